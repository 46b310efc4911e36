import { startForum } from '../support/forum.ts';

describe('starts', function () {
  this.timeout(200_000);
  const N = Number(process.env.N ?? 20);
  const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  for (const workers of [false, true]) {
    it(`start ${workers}`, async () => {
      await (await startForum({ workers })).stop();
      const began = performance.now(); const c = cpu();
      for (let n = 0; n < N; n++) await (await startForum({ workers })).stop();
      console.log(`      workers=${workers}: ${((performance.now() - began) / N).toFixed(0)} ms wall, ${((cpu() - c) / N).toFixed(0)} ms cpu each`);
    });
  }
});
