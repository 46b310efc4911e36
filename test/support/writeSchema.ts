// `npm run schema`: writes migrations/schema.sql, what all migrations together make of an empty database.
import { writeFile } from 'node:fs/promises';
import { schemaText } from '../../migrations/schema.ts';
import { createDatabase } from './database.ts';
import { startTestServices } from './services.ts';
import { createTemplate } from './template.ts';

const services = await startTestServices();
try {
  process.env.TEST_DATABASE_URL = services.databaseUrl;
  process.env.TEST_REDIS_URL = services.redisUrl;
  await createTemplate();
  const database = await createDatabase();
  await writeFile(new URL('../../migrations/schema.sql', import.meta.url), await schemaText(database.url));
  await database.drop();
} finally {
  await services.stop();
}
