const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** The environment of a program whose clock is off: `+300s`, `-1d`. */
export const fakeTime = (off: string) => ({ LD_PRELOAD: LIBRARY, FAKETIME: off, DONT_FAKE_MONOTONIC: '1' });
