import assert from 'node:assert/strict';
import { communityBySlug, writableBy } from '../../../src/features/communities/store.ts';
import type { Db } from '../../../src/platform/postgres/postgres.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops': number;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * An encrypted community of others is not there: neither the answer nor the time that it takes tells
 * (docs/communities#encrypted-communities).
 */
describe('looking for an encrypted community', () => {
  let forum: TestForum;
  let stranger: TestAgent;
  before(async () => {
    forum = await startForum();
    const [founder, other] = [await forum.agent(), await forum.agent()];
    stranger = other;
    const { status } = await founder.post('/v1/communities', {
      slug: 'hidden',
      displayName: 'Hidden',
      description: '',
      visibility: 'encrypted',
    });
    assert.equal(status, 201);
  });
  after(() => forum.stop());

  const looks: Record<string, (db: Db, caller: string | null, slug: string) => Promise<unknown>> = {
    'reads it': communityBySlug,
    'writes in it': (db, caller, slug) => writableBy(db, caller!, slug),
  };

  for (const [what, look] of Object.entries(looks)) {
    it(`does the same work as for one that is not there, when a stranger ${what}`, async () => {
      const work = async (slug: string) => {
        const plans: PlanNode[] = [];
        const explaining = {
          query: async ({ text }: { text: string }, values: readonly unknown[] = []) => {
            const literal = (index: string) =>
              values[Number(index) - 1] === null ? 'NULL' : `'${values[Number(index) - 1]}'`;
            const filled = text.replaceAll(/\$(\d)/g, (_, index: string) => literal(index));
            const [row] = await forum.rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
              `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${filled}`,
            );
            plans.push(row!['QUERY PLAN'][0].Plan);
            return [];
          },
        } as unknown as Db;
        await look(explaining, stranger.agentId, slug);
        return plans.flatMap(executed);
      };
      const [hidden, absent] = [await work('hidden'), await work('absent')];
      assert.deepEqual(hidden, absent);
      // A function of a dozen microseconds, asked for each row that is there.
      assert.deepEqual(
        hidden.filter((node) => node.includes('release.is_member(')),
        [],
      );
    });
  }
});

/** The steps of a plan that were carried out. */
function executed(node: PlanNode): string[] {
  if (node['Actual Loops'] === 0) return [];
  const filter = node.Filter?.replaceAll(/'[^']*'/g, '?') ?? '';
  return [`${node['Node Type']} ${node['Relation Name'] ?? ''} ${filter}`, ...(node.Plans ?? []).flatMap(executed)];
}
