import { createDatabase, redisForTest } from '../support/database.ts';
import { startForum } from '../support/forum.ts';

describe('phases', function () {
  this.timeout(200_000);
  it('phases', async () => {
    await (await startForum()).stop();
    for (let n = 0; n < 4; n++) {
      let at = performance.now();
      const lap = (what: string) => { const t = performance.now(); console.log(what, Math.round(t - at)); at = t; };
      const d = await createDatabase(); lap('createDatabase');
      await d.drop(); lap('drop');
      await redisForTest(); lap('redis');
      const f = await startForum(); lap('startForum');
      const s = Math.random();
      await f.api.stop(); lap('api.stop');
      await f.database.drop(); lap('drop');
    }
  });
});
