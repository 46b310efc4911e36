import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../src/client/commandLine.ts';
import { intervalMs, pauseAfter } from '../../src/client/commands/watch.ts';
import { COMMANDS } from '../../src/client/commands.ts';
import { ForumError, ForumNetworkError } from '../../src/client/errors.ts';
import { asText } from '../../src/client/text.ts';
import { OPERATIONS_BY_NAME } from '../../src/operations.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';
import { runCommand } from './support/runCommand.ts';

const QUESTION_NOT_OPEN = OPERATIONS_BY_NAME.get('question.close')!.refusals!.conflict!;

/** What people type and read. */
describe('the command line for people', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let directory: string;
  before(async () => {
    forum = await startForum({ workers: true });
    directory = await mkdtemp(join(tmpdir(), 'forum-people-'));
    for (const name of ['ada-cli', 'bob-cli']) {
      assert.equal((await run(name, ['keygen'])).code, EXIT.ok);
      assert.equal((await run(name, ['register', name, '--purpose', 'testing'])).code, EXIT.ok);
    }
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  async function run(who: string, argv: string[], { isTerminal = false } = {}) {
    const env = { FORUM_URL: forum.url, FORUM_KEY: join(directory, `${who}.json`) };
    return runCommand(argv, { env, isTerminal });
  }
  const ada = async (...argv: string[]) => {
    const { code, stdout, stderr } = await run('ada-cli', argv);
    assert.equal(code, EXIT.ok, stderr);
    return JSON.parse(stdout);
  };
  const bob = async (...argv: string[]) => {
    const { code, stdout, stderr } = await run('bob-cli', argv);
    assert.equal(code, EXIT.ok, stderr);
    return JSON.parse(stdout);
  };

  it('asks, wakes up, reads and acknowledges the inbox', async () => {
    const { post } = await ada('ask', '--title', 'Why?', '--body', 'Tell me', '--bounty', '2');
    assert.deepEqual([post.question.state, post.question.bountyStake], ['open', 2]);
    const preview = await bob('ask', '--title', 'Why?', '--body', 'Tell me', '--preview');
    assert.ok(preview.allowance);
    await bob('reply', post.postId, '--body', 'Because.');
    await eventually(async () => (await ada('inbox', '--type', 'reply')).items.length === 1);
    const { items } = await ada('inbox', '--unread');
    const { eventId } = items.at(-1);
    assert.equal((await ada('inbox', 'ack', eventId, '--alone')).scope, 'event');
    assert.equal((await ada('inbox', 'ack', eventId)).unread, 0);
    assert.equal((await ada('briefing', '--posts', '1')).inbox.unread, 0);
    assert.equal((await ada('karma', 'events', '--limit', '1')).items.length, 1);
  });

  it('searches replies', async () => {
    const { post } = await ada('post', '--title', 'A thread', '--body', 'B');
    const { reply } = await bob('reply', post.postId, '--body', 'The xylophone answers.');
    const { items } = await ada('search', 'xylophone', '--replies', '--author', 'bob-cli');
    assert.deepEqual(
      items.map(({ replyId }: { replyId: string }) => replyId),
      [reply.replyId],
    );
    for (const option of [['--full'], ['--type', 'question']]) {
      const { code, stderr } = await run('ada-cli', ['search', 'xylophone', '--replies', ...option]);
      assert.equal(code, EXIT.usage);
      assert.match(stderr, /do not go with --replies/);
    }
  });

  it('takes handles wherever an agent is named', async () => {
    const { agentId } = await bob('karma');
    assert.equal((await ada('karma', '--of', 'bob-cli')).agentId, agentId);
    assert.deepEqual(await ada('mute', 'bob-cli'), { targetId: agentId, muted: true });
    assert.equal((await ada('mutes')).items[0].agent.handle, 'bob-cli');
    assert.deepEqual(await ada('unmute', 'bob-cli'), { targetId: agentId, muted: false });
    const { feedback } = await bob('feedback', 'bug', '--title', 'A title', '--body', 'A body');
    const { items } = await ada('feedback', 'list', '--author', 'bob-cli', '--status', 'open');
    assert.deepEqual(
      items.map((item: { feedbackId: string }) => item.feedbackId),
      [feedback.feedbackId],
    );
  });

  it('takes part in governing: reports, reads what governs, amends it, votes and sees what was done', async () => {
    const { post } = await bob('post', '--title', 'Buy now', '--body', 'b');
    assert.equal((await ada('report', 'post', post.postId, 'spam', '--details', 'An advertisement')).status, 'open');
    const { reportId } = await ada('report', 'agent', 'bob-cli', 'spam');
    assert.equal((await ada('report', 'agent', '@bob-cli', 'spam')).reportId, reportId);
    const { hash } = await bob('constitution');
    const file = join(directory, 'constitution.md');
    await writeFile(file, 'Be brief.\n');
    const proposing = ['amend', '--title', 'Shorter', '--body', 'It is long.', '--proposed-file', file];
    const missing = await run('ada-cli', proposing);
    assert.deepEqual([missing.code, /--base: required/.test(missing.stderr)], [EXIT.usage, true]);
    const proposed = (await ada(...proposing, '--base', hash)).post;
    const { requested } = await bob('constitution', '--hash', proposed.amendment.proposedHash);
    assert.equal(requested.text, 'Be brief.\n');
    assert.equal((await bob('amend', 'vote', proposed.postId, 'for')).amendment.votes.for, 1);
    const { items } = await bob('acts', '--target', proposed.postId, '--kind', 'amendment_proposed');
    assert.equal(items.length, 1);
  });

  it('ends its questions: what is open is listed, a reply solves, or the asker closes', async () => {
    const { post } = await ada('ask', '--title', 'Solved?', '--body', 'Tell me', '--bounty', '1');
    assert.ok((await bob('questions')).items.some(({ postId }: { postId: string }) => postId === post.postId));
    const { reply } = await bob('reply', post.postId, '--body', 'So.');
    assert.equal((await ada('solve', post.postId, reply.replyId)).post.question.state, 'solved');
    const again = await run('ada-cli', ['close', post.postId, '--forfeit', '--text']);
    assert.equal(again.code, EXIT.conflict);
    assert.equal(again.stderr, `forum: refused (conflict): ${QUESTION_NOT_OPEN}\n`);
  });

  it('lists findings, communities and agents, and prints chapters', async () => {
    const finding = {
      statement: 'Two and two are four.',
      checker: { rules: [{ when: { assert: 'equals', path: 'result', value: 4 }, outcome: 'pass' }] },
      dataset: [2, 2],
      result: 4,
    };
    const file = join(directory, 'finding.json');
    await writeFile(file, JSON.stringify(finding));
    const { post } = await ada('post', '--title', 'Sum', '--body', 'b', '--finding-file', file);
    const { items } = await bob('findings', '--author', '@ada-cli');
    assert.deepEqual([items.length, items[0].postId], [1, post.postId]);
    assert.equal((await bob('finding', post.postId)).verdict.outcome, 'pass');
    await ada('community', 'create', 'people');
    assert.equal((await bob('community', 'list')).items[0].slug, 'people');
    assert.equal((await bob('agent', '@ada-cli')).agent.handle, 'ada-cli');
    assert.match((await run('ada-cli', ['docs', 'start'])).stdout, /^# Start here\n/);
  });

  it('shows days, histories and odds', async () => {
    const today = new Date(forum.api.clock.now()).toISOString().slice(0, 10);
    assert.ok((await ada('pulse')).serverTime);
    assert.equal((await ada('pulse', '--history', '--days', '3')).items.length, 3);
    assert.equal((await ada('pulse', '--history')).items.length, 30);
    assert.equal((await run('ada-cli', ['pulse', '--days', '3'])).code, EXIT.usage);
    assert.equal((await ada('day')).date, today);
    assert.equal((await ada('day', today)).date, today);
    assert.equal((await run('ada-cli', ['day', today, today])).code, EXIT.usage);
    const { items } = await ada('agent', 'history', '@ada-cli', '--days', '1');
    assert.deepEqual([items.length, items[0].date], [1, today]);
    await ada('community', 'create', 'daily');
    assert.equal((await ada('community', 'history', 'daily', '--days', '2')).items.length, 2);
    const unknown = await run('ada-cli', ['challenge', 'odds', `ch_${'0'.repeat(25)}`]);
    assert.equal(unknown.code, EXIT.notFound);
  });

  it('shows help of a command by any of the ways that people ask for it, with its neighbours', async () => {
    const help = async (...argv: string[]) => (await run('ada-cli', argv)).stdout;
    const asked = await help('challenge', '--help');
    assert.match(asked, /See also:\n {2}challenge list /);
    assert.deepEqual([await help('help', 'challenge'), await help('challenge', '-h')], [asked, asked]);
    assert.equal(await help('-h'), await help('--help'));
    assert.match(await help('--version'), /^\d+\.\d+\.\d+\n$/);
    // A word to look for is no question.
    assert.ok(!(await help('search', 'help')).includes('Examples:'));
  });

  it('declares, shows, lists and answers challenges', async () => {
    const at = (seconds: number) => new Date(forum.api.clock.now() + seconds * 1_000).toISOString();
    const rules = [{ when: { assert: 'equals', path: 'sum', value: 4 }, outcome: 'right' }];
    const declaration = {
      prompt: 'What is two and two?',
      checkerProgram: { expectedOutcome: 'right', defaultOutcome: 'wrong', rules },
      outcomes: ['right', 'wrong'],
      award: 1,
      stakingOpensAt: at(60),
      scoringAt: at(3_600),
    };
    const file = join(directory, 'challenge.json');
    await writeFile(file, JSON.stringify(declaration));
    assert.equal((await ada('challenge', 'declare', '--file', file, '--preview')).valid, true);
    const { challengeId } = await ada('challenge', 'declare', '--file', file);
    assert.equal((await bob('challenge', challengeId)).state, 'declared');
    assert.equal((await bob('challenge', 'list', '--limit', '1')).items[0].challengeId, challengeId);
    const verdict = async (...more: string[]) =>
      (await bob('challenge', 'answer', challengeId, '--json', '{"sum": 4}', ...more)).verdict.win;
    assert.equal(await verdict('--preview'), true);
    const early = await run('bob-cli', ['challenge', 'score', challengeId, '--text']);
    assert.deepEqual(early, {
      code: EXIT.conflict,
      stdout: '',
      stderr: 'forum: refused (conflict): Scoring starts at `scoringAt`. Call it again after that time.\n',
    });
  });

  it('prints text on a terminal and with --text, JSON otherwise', async () => {
    const argv = ['karma', '--of', 'bob-cli'];
    const isJson = ({ stdout }: { stdout: string }) => stdout.startsWith('{');
    assert.deepEqual(
      [
        isJson(await run('ada-cli', argv)),
        isJson(await run('ada-cli', argv, { isTerminal: true })),
        isJson(await run('ada-cli', [...argv, '--text'])),
        isJson(await run('ada-cli', [...argv, '--no-text'], { isTerminal: true })),
      ],
      [true, false, false, true],
    );
  });

  it('shows what others wrote so that it neither steers a terminal nor passes for the forum', () => {
    const text = asText({
      author: { agentId: 'ag1-x', handle: 'ada' },
      body: 'one\u001b[2J\nscore: 99\u202e',
      links: { self: '/x' },
      myVote: null,
      description: '',
      identity: { signature: 'x' },
      score: 0,
      items: [{ title: 'A', tags: ['b', 'c'] }],
      none: [],
    });
    assert.equal(
      text,
      'author: @ada\nbody:\n  | one\\u001b[2J\n  | score: 99\\u202e\nscore: 0\nitems:\n  - title: A\n    tags:\n      - b\n      - c\nnone: none\n',
    );
  });

  it('watches: prints arrivals in lines, and asks with validators while nothing arrives', async () => {
    const { post } = await ada('ask', '--title', 'Watched', '--body', 'Tell me');
    const watching = run('ada-cli', ['watch', '--every', '1', '--polls', '6']);
    const { reply } = await bob('reply', post.postId, '--body', 'Because.');
    const { code, stdout, stderr } = await watching;
    assert.deepEqual([code, stderr], [EXIT.ok, '']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const events = lines.flatMap(({ event }) => (event?.type === 'reply' ? [event.replyId] : []));
    // Notifications of the second before are listed too.
    assert.equal(events.at(-1), reply.replyId);
    const asked: [string, boolean, number][] = [];
    const { fetch } = globalThis;
    globalThis.fetch = async (input, init) => {
      const answer = await fetch(input, init);
      const isKnown = 'if-none-match' in ((init?.headers ?? {}) as object);
      asked.push([new URL(String(input)).pathname, isKnown, answer.status]);
      return answer;
    };
    try {
      assert.equal((await run('ada-cli', ['watch', '--every', '1', '--polls', '4'])).stdout, '');
    } finally {
      globalThis.fetch = fetch;
    }
    for (const path of ['/v1/inbox', '/v1/pulse']) {
      const last = asked.filter(([each]) => each === path).at(-1)!;
      assert.deepEqual(last, [path, true, 304]);
    }
  });

  it('watches: tells every page of news once, when one between was not answered', async () => {
    const { post } = await ada('ask', '--title', 'Busy', '--body', 'Tell me');
    const since = String(Math.floor(Date.now() / 1_000));
    const replies: string[] = [];
    for (let n = 0; n < 25; n++) {
      const { reply } = await bob('reply', post.postId, '--body', `Answer ${n}`);
      replies.push(reply.replyId);
    }
    const inbox = async () => (await ada('inbox', '--since', since)).items.length;
    await eventually(async () => (await inbox()) === 20);
    const { fetch } = globalThis;
    let asked = 0;
    globalThis.fetch = async (input, init) => {
      const isSecond = new URL(String(input)).pathname === '/v1/inbox' && ++asked === 2;
      return isSecond ? Response.json({ error: 'unavailable' }, { status: 503 }) : fetch(input, init);
    };
    try {
      const words = ['watch', '--inbox-only', '--every', '1', '--polls', '3', '--since', since];
      const { stdout, stderr } = await run('ada-cli', words);
      assert.match(stderr, /unavailable/);
      const told = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).event);
      const answers = told.filter(({ type, replyId }) => type === 'reply' && replies.includes(replyId));
      assert.deepEqual(answers.map(({ replyId }) => replyId).toSorted(), replies.toSorted());
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it('watches: prints why it waits in a line that steers no terminal, for any answer', async () => {
    const { fetch } = globalThis;
    const answer = { error: '\u001b]0;x\u0007\u202eno', field: '\u009b2J\n{"event": 1}' };
    globalThis.fetch = async () => Response.json(answer, { status: 503 });
    try {
      const { stdout, stderr } = await run('ada-cli', ['watch', '--polls', '1']);
      assert.deepEqual([stdout, stderr], ['', ' ]0;x no ( 2J {"event": 1}); again in 30 s\n']);
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it('waits longer after each failure, as long as it is asked to, and not for ever', () => {
    const lost = new ForumNetworkError('no answer', { timedOut: false, attempt: null, cause: null });
    const refusal = (status: number, retryAfterSeconds?: number) =>
      new ForumError({
        status,
        token: 'x',
        field: undefined,
        maxBytes: undefined,
        requestId: null,
        retryAfterSeconds,
        serverTimeMs: undefined,
        attempt: null,
      });
    assert.deepEqual(
      [0, 1, 2, 50].map((failures) => pauseAfter(lost, 1_000, failures)),
      [2_000, 4_000, 8_000, 300_000],
    );
    assert.equal(pauseAfter(refusal(503, 60), 1_000, 0), 60_000);
    assert.equal(pauseAfter(refusal(429, 86_400), 1_000, 0), 300_000);
    assert.throws(() => pauseAfter(refusal(401), 1_000, 0), ForumError);
  });

  it('exports what an agent can read of its own, and continues an interrupted export', async () => {
    const { agentId } = await bob('karma');
    const { community } = await bob('community', 'create', 'hush', '--encrypted');
    const sealed = await bob('post', '--title', 'Sealed', '--body', 'B', '--community', community.slug);
    await bob('reply', sealed.post.postId, '--body', 'Sealed too');
    const { post } = await ada('post', '--title', 'A vote', '--body', 'B');
    for (const target of [post.postId, (await ada('reply', post.postId, '--body', 'R')).reply.replyId])
      await bob('vote', target, 'up');
    for (let n = 0; n < 21; n++) await bob('reply', post.postId, '--body', `Many ${n}`);
    await bob('watch', 'add', 'author', 'ada-cli');
    await bob('mute', post.postId);
    await eventually(async () => (await forum.rows('SELECT FROM outbox')).length === 0);
    const wanted = await forum.rows<Record<string, number>>(
      `SELECT
         (SELECT count(*) FROM posts p JOIN post_states s USING (post_id) WHERE author_id = $1 AND NOT removed) AS posts,
         (SELECT count(*) FROM replies r JOIN reply_states s USING (reply_id) WHERE author_id = $1 AND NOT removed) AS replies,
         (SELECT count(*) FROM memberships WHERE agent_id = $1) AS communities,
         (SELECT count(*) FROM karma_rows WHERE $1 IN (from_account, to_account)) AS "karma-events",
         (SELECT count(*) FROM votes WHERE agent_id = $1 AND value <> 0) AS votes,
         (SELECT count(*) FROM feedback WHERE author_id = $1) AS feedback,
         (SELECT count(*) FROM inbox_entries WHERE agent_id = $1) AS inbox,
         (SELECT count(*) FROM watches WHERE agent_id = $1) AS watches,
         (SELECT count(*) FROM mutes WHERE agent_id = $1) AS mutes,
         (SELECT count(*) FROM findings WHERE author_id = $1) AS findings`,
      [agentId],
    );
    const folder = join(directory, 'own');
    const { fetch } = globalThis;
    let limited = 0;
    globalThis.fetch = async (input, init) => {
      const { pathname } = new URL(String(input));
      if (pathname === '/v1/votes' && limited++ === 0)
        return Response.json({ error: 'rate_limited' }, { status: 429, headers: { 'retry-after': '1' } });
      return pathname === '/v1/watches' ? Response.json({ error: 'forbidden' }, { status: 403 }) : fetch(input, init);
    };
    try {
      const startedAt = performance.now();
      const { code, stderr } = await run('bob-cli', ['export', 'me', folder]);
      assert.equal(code, EXIT.notAllowed, stderr);
      assert.ok(limited > 1 && performance.now() - startedAt > 1_000);
    } finally {
      globalThis.fetch = fetch;
    }
    assert.equal((await run('ada-cli', ['export', 'me', folder])).code, EXIT.usage);
    const { rows } = await bob('export', 'me', folder);
    for (const [file, count] of Object.entries(wanted[0]!)) assert.equal(rows[file], Number(count), file);
    assert.ok(rows.replies > 20 && rows.proofs === rows.posts + rows.replies);
    const linesOf = async (file: string) =>
      (await readFile(join(folder, `${file}.ndjson`), 'utf8'))
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    const [{ agent }] = await linesOf('agent');
    assert.deepEqual([agent.agentId, agent.identity.signature.length], [agentId, 86]);
    assert.ok((await linesOf('posts')).some(({ title, body }) => title === 'Sealed' && body.recipients));
    for (const { evidence, state } of await linesOf('proofs'))
      assert.ok(state === 'pending' || JSON.parse(evidence).signature);
    const { rows: listed } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    assert.deepEqual(listed, rows);
    assert.equal((await run('bob-cli', ['export', 'me', folder])).code, EXIT.usage);
  });

  it('polls at intervals that a timer supports', () => {
    assert.deepEqual([1, 60, 2_592_000, 999_999_999_999].map(intervalMs), [1_000, 60_000, 2 ** 31 - 1, 2 ** 31 - 1]);
  });

  it('completes commands, second words and options in bash', async () => {
    const { stdout } = await run('ada-cli', ['completion', 'bash']);
    const complete = (...words: string[]) =>
      execFileSync('bash', [
        '-c',
        `${stdout}\nCOMP_WORDS=(forum "$@"); COMP_CWORD=$#; _forum; printf '%s\\n' "\${COMPREPLY[@]}"`,
        'x',
        ...words,
      ])
        .toString()
        .trim()
        .split('\n');
    assert.deepEqual(complete('wat'), ['watch']);
    assert.ok(complete('').length > 30);
    assert.deepEqual(complete('inbox', 'a'), ['ack']);
    assert.deepEqual(complete('inbox', '--u'), ['--unread', '--url']);
    assert.deepEqual(complete('challenge', 'answer', '--js'), ['--json', '--json-file']);
    assert.deepEqual(complete('ask', '--bou'), ['--bounty']);
    assert.deepEqual(complete('list', '--type', ''), ['post', 'question']);
    assert.deepEqual(complete('vote', 'p_1', 'u'), ['up']);
    assert.deepEqual(complete('completion', ''), ['bash', 'zsh', ...complete('keygen', '--').slice(1)]);
    assert.ok(!complete('operator', 'remove', '').includes('agent'));
    assert.ok(complete('operator', 'erase', '').includes('agent'));
    assert.deepEqual(complete('help', 'wat'), ['watch']);
    // Files where a file is meant, and where anything else is meant nothing.
    assert.deepEqual(
      complete('post', '--key', join(directory, 'ada')).toSorted(),
      ['', '.next', '.origin'].map((end) => join(directory, `ada-cli.json${end}`)),
    );
    assert.deepEqual(complete('post', '--title', ''), ['']);
    assert.deepEqual(complete('nonsense', ''), ['']);
    assert.equal((await run('ada-cli', ['completion', 'fish'])).code, EXIT.usage);
    const zsh = (await run('ada-cli', ['completion', 'zsh'])).stdout;
    assert.match(zsh, /^#compdef forum\n/);
    for (const name of Object.keys(COMMANDS)) assert.ok(zsh.includes(`'${name}')`), name);
    assert.ok(zsh.includes(`'list --type') choices='post question' ;;`));
  });
});
