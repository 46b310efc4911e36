import assert from 'node:assert/strict';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  COMPUTED,
  type CollectedStatements,
  collectStatements,
  DECLARATION,
  refusedPreparations,
} from './support/statements.ts';

/** The names that are written out where their statements are declared. */
const namesIn = (declaring: CollectedStatements['declaring']): string[] =>
  [...declaring.values()].flatMap((text) =>
    [...text.matchAll(new RegExp(`${DECLARATION}\\s*'([^']+)'`, 'g'))].map(([, name]) => name!),
  );

/** Every statement of the service against the migrated schema, whether anything else here happens to send it or not. */
describe('the statements of the service', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let declared: CollectedStatements['declared'];
  let sources: CollectedStatements['sources'];
  let declaring: CollectedStatements['declaring'];
  before(async () => {
    database = await createDatabase();
    ({ declared, sources, declaring } = await collectStatements(database.url));
  });
  after(() => database.drop());

  it('are all listed here: each name is in the source or computed by the list above', () => {
    const unknown = namesIn(declaring).filter((name) => !declared.has(name));
    assert.deepEqual(unknown, [], 'declared when called: list it as computed');
    const computed = [...declaring].flatMap(([path, text]) =>
      // Where the statements of an effect are put together, and those of a list that is read either way.
      /(?:recording\/effect|postgres\/statement)\.ts$/.test(path)
        ? []
        : [...text.matchAll(new RegExp(`${DECLARATION}(?!\\s*')`, 'g'))],
    );
    assert.equal(computed.length, Object.keys(COMPUTED).length, 'another name is computed: list it');
    for (const prefix of Object.keys(COMPUTED)) {
      assert.ok(
        [...declared.keys()].some((name) => name === prefix || name.startsWith(`${prefix}.`)),
        prefix,
      );
    }
  });

  it('have one text each', () => {
    const ambiguous = [...declared].filter(([, texts]) => texts.size > 1).map(([name]) => name);
    assert.deepEqual(ambiguous, []);
    const names = namesIn(declaring);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
      'declared twice',
    );
  });

  it('are prepared by the database', async () => {
    assert.ok(declared.size > 100, String(declared.size));
    assert.deepEqual(await refusedPreparations(database.url, declared), []);
  });

  it('of writes pass the write guard and are recorded', () => {
    const effects = [...declared].filter(([, texts]) => /\brecord_writes\(/.test([...texts][0]!));
    assert.ok(effects.length > 20, String(effects.length));
    for (const [name, texts] of effects)
      assert.match([...texts][0]!, /FROM unnest\(\w+\.enter_writes\(\$1, \$2\)\)/, name);
  });

  it('are all used', () => {
    const unused: string[] = [];
    for (const [path, text] of declaring) {
      for (const [, exported, name] of text.matchAll(
        /^(export )?const (\w+)(?:: \w+)? = (?:sql|effect|manyRows|oneRow|oneValue|noRows)\b/gm,
      )) {
        const uses = (source: string) => [...source.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length;
        const elsewhere = exported ? [...sources].filter(([other]) => other !== path) : [];
        if (uses(text) < 2 && !elsewhere.some(([, other]) => uses(other) > 0)) unused.push(name!);
      }
    }
    assert.deepEqual(unused, []);
  });
});
