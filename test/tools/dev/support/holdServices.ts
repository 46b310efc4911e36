// Starts services and holds them until it is killed: node --import tsx holdServices.ts <directory> <cache directory>
import { startServices } from '../../../../src/tools/dev/services.ts';

const [directory = '', cacheDirectory = ''] = process.argv.slice(2);
const { databaseUrl, redisUrl } = await startServices({
  directory,
  cacheDirectory,
  durable: true,
  log: () => undefined,
});
process.send?.({ databaseUrl, redisUrl });
setInterval(() => undefined, 1_000);
