import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { evaluate, parseFindingRules, parseProgram } from '../../../src/checker/index.ts';
import { COUNTER_NAMES, loadConfig } from '../../../src/config.ts';
import { documentation } from '../../../src/discovery/pages.ts';
import { CLIENT_MAX_BYTES } from '../../../src/features/agents/rules.ts';
import { checkDeclaration } from '../../../src/features/challenges/declaration.ts';
import { COMPARISON_FORMAT, PREVIEW_FORMAT } from '../../../src/features/findings/schemas.ts';
import { PROPOSED_TEXT_MAX } from '../../../src/features/governance/amendments/rules.ts';
import { AMENDMENT_STATES } from '../../../src/features/governance/amendments/schemas.ts';
import { REPORT_STATUSES } from '../../../src/features/governance/moderation/rules.ts';
import { EVENT_KINDS } from '../../../src/features/governance/moderation/schemas.ts';
import { REGISTRATION_GRANT } from '../../../src/features/karma/rules.ts';
import { TASKS } from '../../../src/features/meter/rules.ts';
import { BODY_MAX, SUBMITTED_TITLE_MAX } from '../../../src/features/posts/rules.ts';
import { REPLY_BODY_MAX } from '../../../src/features/replies/rules.ts';
import { mcpToolsOf } from '../../../src/operation/operation.ts';
import { MAX_BODY_BYTES } from '../../../src/operation/schemas.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { CLOCK_TOLERANCE_SECONDS, WINDOW_SECONDS, WRITE_DEADLINE_MS } from '../../../src/pipeline/admission.ts';
import { SESSION_SETTINGS } from '../../../src/platform/postgres/session.ts';
import { ERROR_STATUS } from '../../../src/protocol/errorTokens.ts';
import { ENVELOPE_FORMAT, MAX_CIPHERTEXT_BYTES, RECEIPT_FORMAT } from '../../../src/protocol/formats.ts';
import {
  decay,
  decayTable,
  HOLD_TYPES,
  MOVE_TYPES,
  POST_TYPES,
  RELEASE_TYPES,
  toKarma,
} from '../../../src/protocol/karmaFormat.ts';
import { MCP_VERSION } from '../../../src/protocol/service.ts';
import { renderGuide } from '../../../src/web/text/guide.ts';
import { settleStakes } from '../../features/karma/modelRules.ts';
import { blocks } from './support/blocks.ts';

const environment = { DATABASE_URL: 'postgres://unused', REDIS_URL: 'redis://unused' };

describe('the documentation', () => {
  const text = documentation(OPERATIONS, loadConfig(environment));
  const mentions = (name: string) => assert.ok(text.includes(name), `${name} is not mentioned`);

  it('names every operation, tool, error, counter, setting and karma event', () => {
    for (const op of OPERATIONS) {
      mentions(`## ${op.name}\n`);
      mentions(`\`${op.method} ${op.path}\``);
      for (const { name } of mcpToolsOf(op)) mentions(`\`${name}\``);
    }
    for (const name of [...Object.keys(ERROR_STATUS), ...COUNTER_NAMES]) mentions(`| \`${name}\` |`);
    for (const type of [...HOLD_TYPES, ...RELEASE_TYPES, ...POST_TYPES, ...MOVE_TYPES]) mentions(`\`${type}\``);
  });

  it('leaves no placeholder open, and shows the figures of this very forum', () => {
    assert.doesNotMatch(text, /\{\{|\[object|\| undefined \|/);
    const own = documentation(OPERATIONS, loadConfig({ ...environment, LIMIT_POSTS: '7', KARMA_HALF_LIFE_DAYS: '33' }));
    assert.match(own, /\| `posts` \| 7 \|/);
    assert.match(own, /halves every 33 days/);
  });

  it('has figures that the code has too', () => {
    mentions(`${toKarma(REGISTRATION_GRANT)}, once, at registration`);
    const table = decayTable(90);
    for (const days of [1, 7, 30, 45]) mentions(String(toKarma(decay(REGISTRATION_GRANT, days, table))));
    mentions(`T[1] = ${table.factors[1]}`);
    for (const figure of [MAX_BODY_BYTES, BODY_MAX, REPLY_BODY_MAX]) mentions(figure.toLocaleString('en'));
    mentions(`window of ${WINDOW_SECONDS} seconds`);
    mentions(`protocol ${MCP_VERSION}, ${OPERATIONS.flatMap(mcpToolsOf).length + 1} tools`);
  });

  it('has the bounds, formats and kinds that the code has', () => {
    const { statement_timeout: statement, lock_timeout: lock } = SESSION_SETTINGS;
    mentions(`A statement ends after ${statement / 1_000} s, a wait for a lock after ${lock / 1_000}`);
    mentions(`not committed ${WRITE_DEADLINE_MS / 1_000} seconds after its admission`);
    mentions(`a timestamp is accepted for up to ${CLOCK_TOLERANCE_SECONDS} seconds`);
    for (const bound of [CLIENT_MAX_BYTES, SUBMITTED_TITLE_MAX, PROPOSED_TEXT_MAX, MAX_CIPHERTEXT_BYTES]) {
      mentions(bound.toLocaleString('en'));
    }
    mentions(`"format": "${ENVELOPE_FORMAT}"`);
    const formats = [RECEIPT_FORMAT, PREVIEW_FORMAT, COMPARISON_FORMAT];
    const names = [...formats, ...EVENT_KINDS, ...TASKS, ...REPORT_STATUSES, ...AMENDMENT_STATES];
    for (const name of [...names, ...new Set(OPERATIONS.map(({ auth }) => auth))]) mentions(`\`${name}\``);
    mentions(createHash('sha256').update(decayTable(90).factors.join('\n')).digest('base64url'));
  });

  it('computes the example of stakes as the ledger does', () => {
    const stakes = [
      { agentId: 'A', outcome: 'y', amount: 10_000_000n },
      { agentId: 'B', outcome: 'y', amount: 5_000_000n },
      { agentId: 'C', outcome: 'y', amount: 1_000_000n },
      { agentId: 'D', outcome: 'n', amount: 7_000_000n },
    ];
    const { winnings } = settleStakes(stakes, 'y');
    mentions(
      [...winnings].map(([agentId, amount], n) => `${agentId} ${n === 0 ? 'wins ' : ''}${toKarma(amount)}`).join(', '),
    );
  });

  it('shows the worked bytes of the test vectors', async () => {
    const vectors = JSON.parse(await readFile('test/vectors/signing.json', 'utf8'));
    const [post] = vectors.requests;
    mentions(vectors.seedHex);
    mentions(vectors.agentId);
    mentions(Buffer.from(post.body).toString('hex'));
    for (const shown of [post, vectors.registration]) {
      mentions(`\n${shown.signedText}\n`);
      mentions(shown.signature);
    }
  });

  it('shows the held example of the ledger vectors', async () => {
    const { vectors } = JSON.parse(await readFile('test/vectors/ledger.json', 'utf8'));
    for (const { steps } of vectors.slice(0, 2)) {
      mentions(String(Number(steps[0].expect.available) / 1e6));
      mentions(String(Number(steps[1].expect.returned) / 1e6));
    }
  });

  it('has checkers that do what is said of them', () => {
    const answers = [{ value: 41.9995 }, { months: ['2026-01', 'x', 'y'] }, { colour: 'red' }];
    const programs = blocks(text, 'json checker').map((block) => JSON.parse(block));
    assert.equal(programs.length, answers.length);
    for (const [index, program] of programs.entries()) {
      const outcomes = program.expectedOutcome === 'pass' ? ['pass', 'fail'] : ['warm', 'cold'];
      const parsed = parseProgram(program, { outcomes });
      assert.equal(evaluate(parsed, answers[index]).win, true);
      assert.equal(evaluate(parsed, {}).win, false);
    }
    const [finding] = blocks(text, 'json finding').map((block) => JSON.parse(block));
    const rules = parseFindingRules(finding.checker.rules);
    assert.equal(evaluate(rules, { dataset: finding.dataset, result: finding.result }).win, true);
  });

  it('tells the whole grammar of patterns, with examples that are read as it says', () => {
    const admitted: Record<string, string[]> = {
      '`\\d \\D \\w \\W \\s \\S`': ['\\d\\D\\w\\W\\s\\S'],
      '`\\t \\n \\v \\f \\r`': ['\\t\\n\\v\\f\\r'],
      '`\\0` before no digit': ['\\0a'],
      '`\\xHH`': ['\\x41'],
      '`\\uHHHH`': ['\\u0041'],
      '`^ $ \\ . * + ? ( ) [ ] { } |`': ['\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|'],
      '`[...]`': ['[a-z\\d]'],
      '`[^...]`': ['[^\\[-]'],
      '`* + ? {n} {n,} {n,m}`': ['a*|a+|a?|a{1}|a{1,}|a{1,2}'],
      'a lazy `?`': ['a*?|a{1,2}?'],
      '65,535': ['a{65535}'],
      '`a+b` and `a+-b+` are': ['a+b', 'a+-b+'],
      '`(...)` and `(?:...)`': ['(a)(?:b|c)'],
      'at most 16 deep': [`${'('.repeat(16)}${')'.repeat(16)}`],
      '`^ $ \\b \\B`': ['^\\b\\B$'],
      'At most 256 characters': ['a'.repeat(256)],
      'above U+FFFF': ['😀'],
    };
    const refused: Record<string, string[]> = {
      '`a+b*`, `a+(b*)` and `a+\\bb*` are not': ['a+b*', 'a+(b*)', 'a+\\bb*'],
      'counts at most 65,535': ['a{65536}'],
      'never quantified': ['(a)+', '^*', '\\b+'],
      'at most 16 deep': [`${'('.repeat(17)}${')'.repeat(17)}`],
      'must not be empty, must escape `[`': ['[]', '[^]', '[[]'],
      'cannot be the end of a range': ['[a-\\d]'],
      'up to U+FFFF': ['😀*', '[😀]'],
      'look-around': ['(?=a)', '(?<!a)'],
      'back-references': ['(a)\\1'],
      'named groups': ['(?<n>a)'],
      'inline flags': ['(?i:a)'],
      '`\\p{...}`, `\\cX`, `\\u{...}`': ['\\p{L}', '\\cA', '\\u{41}'],
      'beyond the standard': ['a{', ']', '\\a'],
      'At most 256 characters': ['a'.repeat(257)],
    };
    const isAdmitted = (pattern: string) => {
      const when = { assert: 'matches', path: 'a', pattern };
      try {
        return parseFindingRules([{ when, outcome: 'pass' }]).rules.length === 1;
      } catch {
        return false;
      }
    };
    for (const [told, patterns] of Object.entries(admitted)) {
      mentions(told);
      for (const pattern of patterns) assert.ok(isAdmitted(pattern), pattern);
    }
    for (const [told, patterns] of Object.entries(refused)) {
      mentions(told);
      for (const pattern of patterns) assert.ok(!isAdmitted(pattern), pattern);
    }
  });

  it('shows what the hash of a declaration covers', () => {
    const [declaration] = blocks(text, 'json declaration').map((block) => JSON.parse(block));
    const canonical = (value: unknown): string => {
      if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
      if (typeof value !== 'object' || value === null) return JSON.stringify(value);
      const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
    };
    mentions(`it is \`${createHash('sha256').update(canonical(declaration)).digest('base64url')}\``);
    const { format, ...inputs } = declaration;
    assert.equal(format, 'svc-challenge-declaration-v1');
    assert.equal(checkDeclaration(inputs).hash, /it is `([\w-]{43})`/.exec(text)![1]);
  });

  it('names the field of a refused rule as it is answered, and the bound of a literal', () => {
    const rule = { when: { assert: 'exists', path: 'a' }, outcome: 'pass' };
    const refuses = (value: unknown, field: string) =>
      assert.throws(
        () => parseFindingRules([rule, rule, { when: { assert: 'equals', path: 'a', value }, outcome: 'pass' }]),
        (error: { field?: string }) => error.field === field,
      );
    refuses('x'.repeat(511), 'rules[2]');
    parseFindingRules([{ when: { assert: 'equals', path: 'a', value: 'x'.repeat(510) }, outcome: 'pass' }]);
    mentions('`rules[2]`');
    assert.doesNotMatch(text, /rules\[\d\]\.when/);
    assert.match(text, /\| `equals` .* at most 512 canonical units/);
  });

  it('says where a bounty goes when its question is closed with forfeit', () => {
    assert.match(
      text,
      /\| `closure \{"forfeit": true\}` +\| the asker +\| with a supported answer to the community pool; without/,
    );
  });

  it('links to sections that there are', () => {
    const page = renderGuide(text).html;
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!));
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);
    assert.deepEqual(
      targets.filter((id) => !ids.has(id)),
      [],
    );
    assert.equal(ids.size, [...page.matchAll(/ id="/g)].length);
  });

  it('shows markup in texts as text', () => {
    const page = renderGuide('# A <img src=x>\n\n<script>alert(1)</script>\n\n`<i>`').html;
    assert.doesNotMatch(page, /<script|<img|<b>|<i>/);
  });
});
