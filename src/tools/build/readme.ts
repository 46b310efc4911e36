/** The part of README.md that is computed: the table of settings. */
import { settingsTable } from '../../discovery/reference.ts';

const TABLE = /(<!-- npm run generate: settings -->\n).*?(<!-- end -->)/s;

/** README.md with the settings as the table of `settings.ts` has them. */
export function withSettings(readme: string): string {
  if (!TABLE.test(readme)) throw new Error('README.md has no place for the settings');
  const table = settingsTable((chapter, section) => `src/discovery/docs/${chapter}.md#${section}`);
  return readme.replace(TABLE, (_whole, begin: string, end: string) => `${begin}\n${table}\n\n${end}`);
}
