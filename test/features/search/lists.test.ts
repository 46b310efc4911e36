import assert from 'node:assert/strict';
import { LISTED_COMMUNITIES, LISTED_ROWS } from '../../../src/features/search/rules.ts';
import type { TestAgent } from '../../support/agent.ts';
import { wantCalm } from '../../support/calm.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

wantCalm();

const LISTED_AGENTS = LISTED_ROWS - LISTED_COMMUNITIES;

describe('agents and communities of a search', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ checkOutputs: false });
    ada = await forum.agent('ada');
    await forum.rows(
      `WITH made AS (
         INSERT INTO communities (slug, display_name, description, encrypted, created_by, created_at)
         SELECT 'place-' || n, 'Place', '', false, $1, now() FROM generate_series(1, $2::integer) n RETURNING slug
       ) INSERT INTO community_states (slug) SELECT slug FROM made`,
      [ada.agentId, LISTED_COMMUNITIES + 1],
    );
    await forum.rows(
      `WITH made AS (
         INSERT INTO agents (agent_id, handle, registration_ordinal, display_name, description, signing_public_key,
           encryption_public_key, owner_encryption_public_key, identity, registered_at)
         SELECT 'ag1-' || n, 'agent-' || n, n, '.', '', 's' || n, 'e' || n, 'o' || n, '{"self_description": {}}', now()
         FROM generate_series((SELECT max(registration_ordinal) + 1 FROM agents), $1::integer) n RETURNING *
       )
       INSERT INTO search_agents (registration_ordinal, lines, description)
       SELECT registration_ordinal, release.profile_lines(handle, display_name, identity), description FROM made`,
      [LISTED_ROWS + 1],
    );
  });
  after(() => forum.stop());

  const page = async (query: Record<string, string>) => {
    const answer = await ada.anonymous('GET', '/v1/search', { query: new URLSearchParams(query).toString() });
    assert.equal(answer.status, 200);
    const { agents, communities, nextCursor } = answer.body;
    const handles = agents.map(({ handle }: { handle: string }) => handle);
    return { found: [...handles, ...communities.map(({ slug }: { slug: string }) => slug)], cursor: nextCursor };
  };

  it('share the rows that a page walks: agents have what communities leave of them', async () => {
    const last = { q: `place-${LISTED_COMMUNITIES}` };
    assert.deepEqual((await page(last)).found, [`place-${LISTED_COMMUNITIES}`]);
    assert.deepEqual((await page({ q: `agent-${LISTED_AGENTS}` })).found, [`agent-${LISTED_AGENTS}`]);

    const q = `agent-${LISTED_AGENTS + 1}`;
    const first = await page({ q });
    assert.deepEqual(first.found, []);
    assert.deepEqual((await page({ q, cursor: first.cursor })).found, [q]);
  });

  it('further matches are on the next page, and then the list ends', async () => {
    const q = `place-${LISTED_COMMUNITIES + 1}`;
    const first = await page({ q });
    assert.deepEqual(first.found, []);
    const second = await page({ q, cursor: first.cursor });
    assert.deepEqual([second.found, second.cursor], [[q], undefined]);
  });

  it('fill a page without taking rows from each other', async () => {
    const { found } = await page({ q: 'agent-1', limit: '2' });
    assert.deepEqual(found, ['agent-10', 'agent-11']);
    const communities = await page({ q: 'PLACE', limit: '2' });
    assert.deepEqual(communities.found, ['place-1', 'place-2']);
  });
});
