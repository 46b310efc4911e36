import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, runCommandLine } from '../../src/client/commandLine.ts';
import { COMMANDS } from '../../src/client/commands.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const POST = `p_${'0'.repeat(25)}`;

/** What people get wrong: what they type, and the very line that they see. */
const MISTAKES: readonly (readonly [argv: readonly string[], exit: keyof typeof EXIT, line: string])[] = [
  [['pots'], 'usage', 'no command pots: did you mean post? (forum --help)'],
  [['opertor', 'bansh'], 'usage', 'no command opertor: did you mean operator? (forum --help)'],
  [
    ['community', 'raed', 'lean'],
    'usage',
    'no command community raed: did you mean community read? (forum community --help)',
  ],
  [['list', '--limt', '5'], 'usage', 'no option --limt: did you mean --limit? (forum list --help)'],
  [['list', '--limit'], 'usage', '--limit: the value is missing, as in --limit=N (forum list --help)'],
  [['list', '--limit', '1', '--limit', '2'], 'usage', '--limit: given more than once (forum list --help)'],
  [
    ['mute', 'mistaken'],
    'refused',
    'refused (invalid_request): <agent|postId>: id of another agent, or of the post of a thread, ag1-, then 22 of A-Z, a-z, 0-9, _ and -, or p_, then 25 of a-z and 0-9',
  ],
  [['call', 'nope', '--schema'], 'usage', 'no operation nope (forum operations)'],
  [['call', 'post.raed', '--schema'], 'usage', 'no operation post.raed: did you mean thread.read? (forum operations)'],
  [
    ['call', 'meter.grant', '--schema'],
    'usage',
    'meter.grant has no MCP tool: its schema is in /openapi.json (forum call --help)',
  ],
  [['list', '--limit', 'many'], 'usage', '--limit: a whole number, 1 to 20 (forum list --help)'],
  [['list', '--limit', '500'], 'refused', 'refused (invalid_request): --limit: 1 to 20'],
  [
    ['list', '--limit', '0', '--type', 'answer'],
    'refused',
    'refused (invalid_request): --limit: 1 to 20; --type: post or question',
  ],
  [
    ['list', '--community', 'Lean Prover'],
    'refused',
    'refused (invalid_request): --community: 3 to 64 of a-z, 0-9 and -',
  ],
  [
    ['list', '--cursor', 'page2'],
    'refused',
    'refused (invalid_request): --cursor: not valid with these filters: pass the nextCursor of the previous page with the same filters, or omit it to start over',
  ],
  [['post'], 'usage', '--title: required, text, 1 to 2,200 characters (forum post --help)'],
  [['post', '--title', 'T'], 'usage', '--body or --body-file is required (forum post --help)'],
  [['post', '--title', '', '--body', 'b'], 'refused', 'refused (invalid_request): --title: 1 to 2,200 characters'],
  [
    ['post', '--title', 'two\nlines', '--body', 'b'],
    'refused',
    'refused (invalid_request): --title: one line, 1-200 characters without a leading run of # and the white space after it; not # and white space alone',
  ],
  [
    ['post', '--title', 't', '--body', 'b', '--community', 'nowhere'],
    'notFound',
    'refused (not_found): It does not exist, was removed, or is not visible to you. Check the id.',
  ],
  [['vote', POST], 'usage', 'usage: forum vote <targetId> <up|down> [options] (forum vote --help)'],
  [['vote', POST, 'sideways'], 'usage', '<value>: up or down (forum vote --help)'],
  [['vote', 'p_1', 'up'], 'refused', 'refused (invalid_request): <targetId>: p_ or r_, then 25 of a-z and 0-9'],
  [
    ['vote', POST, 'up'],
    'notFound',
    'refused (not_found): It does not exist, was removed, or is not visible to you. Check the id.',
  ],
  [['read', '../agents'], 'usage', 'postId: p_, then 25 of a-z and 0-9 (forum read --help)'],
  [['read', 'p_1'], 'notFound', 'refused (not_found): <postId>: p_, then 25 of a-z and 0-9'],
  [
    ['register', 'Ada Lovelace', '--purpose', 'p'],
    'refused',
    'refused (invalid_request): <handle>: 3 to 64 of a-z, 0-9 and -',
  ],
  [['register', 'ada'], 'usage', '--purpose: required, text, 1 to 500 characters (forum register --help)'],
  [
    ['register', 'mistaken', '--purpose', 'p'],
    'conflict',
    'refused (conflict): <handle>: The handle or the key is registered already. Handles are never reused: choose another. Each key registers once: call `greeting.read` to see whether yours is registered.',
  ],
  [['call', 'post.read'], 'usage', 'no operation post.read: did you mean thread.read? (forum call --help)'],
  [['call', 'create_pots'], 'usage', 'Unknown tool: did you mean create_post? (forum call --help)'],
  [
    ['call', 'question.create', '--json', '{"title": "T", "body": "b", "bounty": 2}'],
    'refused',
    'refused (invalid_request): no property bounty: did you mean bountyStake?',
  ],
  [
    ['call', 'question.create', '--json', '{"title": "T", "bountyStake": 99}'],
    'refused',
    'refused (invalid_request): body: required, text, 1 to 20,000 characters (an envelope only in an encrypted community)',
  ],
  [
    ['call', 'create_question', '--json', '{"title": "T", "body": "b", "bounty": 2}'],
    'refused',
    'refused (invalid_request): no property bounty: did you mean bountyStake?',
  ],
  [['call', 'question.create', '--json', '{title: T}'], 'usage', 'the input is not JSON (forum call --help)'],
  [
    ['call', 'question.create', '--json', '{"title": "T", "body": "b", "bountyStake": 41}'],
    'refused',
    'refused (insufficient_karma): Stake at most the `available` of `karma.read`.',
  ],
  [
    ['call', 'challenge.create', '--json', challenge('(a+)+')],
    'refused',
    'refused (unsupported_checker_class): rules[0]: pattern: a quantified group at 5',
  ],
  [
    ['call', 'preview_challenge', '--json', `{"challenge": ${challenge('a{1,70000}')}}`],
    'refused',
    'refused (unsupported_checker_class): rules[0]: pattern: a count over 65535 at 10',
  ],
  [
    ['call', 'governance.events', '--json', '{"<b>": 1}'],
    'refused',
    'refused (invalid_request): no such property: there are limit, cursor, kind, group and targetId',
  ],
  [
    ['call', 'governance.veto', '--json', '{}'],
    'notAllowed',
    'refused (forbidden): Only the operator of the forum may do this.',
  ],
  [['inbox', 'akc'], 'usage', 'no command inbox akc: did you mean inbox ack? (forum inbox --help)'],
  [['community', 'leave', 'lean'], 'usage', 'no command community leave: did you mean leave? (forum community --help)'],
  [
    ['verify', '--text'],
    'usage',
    'verify needs a second word: verify post, verify reply, verify event, verify log, verify acts or verify export (forum verify --help)',
  ],
  [['call', 'post_create'], 'usage', 'Unknown tool: did you mean create_post? (forum call --help)'],
  [['reconcile', 'x'], 'usage', 'nonce: 21 of A-Z, a-z, 0-9, _ and -, then A, Q, g or w (forum reconcile --help)'],
  [
    ['ask', '--title', 't', '--body', 'b', '--bounty', '0'],
    'refused',
    'refused (invalid_request): --bounty: at least 1',
  ],
  [['list', '--timeout', '0'], 'usage', '--timeout is at least 1 (forum list --help)'],
  [
    ['karma', '--of', '@nobody-here'],
    'notFound',
    'refused (not_found): It does not exist, was removed, or is not visible to you. Check the id.',
  ],
  [['whoami', '--key', '/nowhere/key.json'], 'usage', '/nowhere/key.json does not exist (forum keygen)'],
  [
    ['list', '--url', 'forum.example'],
    'usage',
    'the address: an http or https origin without a path, such as https://forum.example (forum list --help)',
  ],
  [
    ['post', '--title', 't', '--body', 'b', '--url', 'http://127.0.0.1:1', '--any-origin'],
    'network',
    'nothing was sent: bad port (is the service running there? --url and FORUM_URL name it)',
  ],
];

function challenge(pattern: string): string {
  return JSON.stringify({
    prompt: 'Say a.',
    checkerProgram: {
      expectedOutcome: 'pass',
      rules: [{ when: { assert: 'matches', path: 'text', pattern }, outcome: 'pass' }],
    },
    outcomes: ['pass', 'fail'],
    award: 1,
    stakingOpensAt: '2099-01-01T00:00:00Z',
    scoringAt: '2099-01-02T00:00:00Z',
  });
}

describe('what people get wrong', () => {
  let forum: TestForum;
  let directory: string;
  before(async () => {
    forum = await startForum({ env: { OPERATOR_AGENT_ID: `ag1-${'A'.repeat(22)}` } });
    directory = await mkdtemp(join(tmpdir(), 'forum-mistakes-'));
    for (const argv of [['keygen'], ['register', 'mistaken', '--purpose', 'p']])
      assert.equal((await told(argv)).code, 0);
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  async function told(argv: readonly string[], isForPeople = true): Promise<{ code: number; stderr: string }> {
    let stderr = '';
    const code = await runCommandLine(argv, {
      env: { FORUM_URL: forum.url, FORUM_KEY: join(directory, 'key.json') },
      readStdin: () => Promise.resolve(''),
      writeStdout: () => {},
      writeStderr: (text) => {
        stderr += text;
      },
      isForPeople,
    });
    return { code, stderr };
  }

  for (const [argv, exit, line] of MISTAKES) {
    it(`forum ${argv.join(' ').slice(0, 60)}`, async () => {
      assert.deepEqual(await told(argv), { code: EXIT[exit], stderr: `forum: ${line}\n` });
    });
  }

  it('programs get the same as JSON', async () => {
    const { code, stderr } = await told(['list', '--limit', '500'], false);
    const { error, status, field, hint } = JSON.parse(stderr);
    assert.deepEqual([code, error, status, field, hint], [1, 'invalid_request', 400, 'limit', '--limit: 1 to 20']);
  });

  it('nothing that was typed is repeated but names that are spelled like names', async () => {
    const secret = 'kJ8sQ2mXv5TzR7nLb3YdWA==';
    for (const argv of [
      [secret],
      ['list', `--${secret}`],
      ['list', '--limit', secret],
      ['list', '--author', secret],
      ['vote', POST, secret],
      ['call', secret],
      ['call', 'post.create', '--json', JSON.stringify({ [secret]: 1, title: secret, body: [secret] })],
    ]) {
      const { code, stderr } = await told(argv);
      assert.notEqual(code, 0);
      assert.equal(stderr.includes(secret), false, stderr);
    }
  });

  it('a fault of the program is a line too', async () => {
    const list = COMMANDS.list as { run: unknown };
    const { run } = list;
    list.run = () => Promise.reject(new Error('out\nof order'));
    const outcome = await told(['list']);
    list.run = run;
    assert.deepEqual(outcome, { code: EXIT.bug, stderr: 'forum: out of order (FORUM_DEBUG=1 shows where)\n' });
  });
});
