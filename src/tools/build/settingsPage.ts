import { settingsTable } from '../../discovery/reference.ts';

const TABLE = /(<!-- npm run generate: settings -->\n).*?(<!-- end -->)/s;

export function withSettings(page: string): string {
  if (!TABLE.test(page)) throw new Error('docs/SETTINGS.md has no place for the settings');
  const table = settingsTable((chapter, section) => `../src/discovery/docs/${chapter}.md#${section}`);
  return page.replace(TABLE, (_whole, begin: string, end: string) => `${begin}\n${table}\n\n${end}`);
}
