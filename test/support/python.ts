import { spawnSync } from 'node:child_process';

/** Python itself: the command `python3` may be a shell script, which takes six times as long to start. */
export const PYTHON =
  spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout?.trim() || 'python3';
