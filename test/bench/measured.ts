// The table of docs/MEASUREMENTS.md, from the results with Debian's PostgreSQL on two versions of Node.
import { readFile, writeFile } from 'node:fs/promises';
import type { ScenarioResult, VariantResult } from './measure.ts';
import type { Results, RunResult } from './report.ts';

const PAGE = new URL('../../docs/MEASUREMENTS.md', import.meta.url);
/** The table is between these marks. */
const [BEGIN, END] = ['<!-- npm run bench -->\n\n', '\n\n<!-- to here -->'] as const;

type Column = 'rate' | 'cpu' | 'latency';
/** A figure of both versions of Node, the older first. */
type Both = (of: (scenario: ScenarioResult) => number | string) => string;

interface Row {
  readonly what: string;
  readonly scenario: string;
  readonly variant: string;
  readonly columns?: readonly Column[];
  readonly floor?: (both: Both) => string;
}

const CELLS: Readonly<Record<Column, (variant: VariantResult) => string>> = {
  rate: ({ callsPerSecond }) => callsPerSecond.toLocaleString('en'),
  cpu: ({ cpuMicrosecondsPerCall }) => cpuMicrosecondsPerCall.toFixed(0),
  latency: ({ medianMs, percentile99Ms }) => `${medianMs.toFixed(1)} / ${percentile99Ms.toFixed(1)}`,
};
const ALL: readonly Column[] = ['rate', 'cpu', 'latency'];
const HEADS = ['', 'a second', 'CPU µs of the API process', 'median / 99th ms', 'floor of the same run'];

const target = (both: Both, number: number) => both(({ targets }) => targets[number]!.ratio);
const times = (number: number, what: string) => (both: Both) => `${target(both, number)} times ${what}`;
/** An MCP call compared with REST, and bare servers that send the same bytes. */
const besideBare = (number: number, bare: number) => (both: Both) =>
  `${target(both, number)} times the CPU of REST; bare servers ${target(both, bare)}`;

/** How many of a hundred calls got 503, read from the title of the variant. */
function turnedAway({ title }: VariantResult): number {
  const counts = [...title.matchAll(/(\d+) × (\d+)/g)].map(([, count, status]) => [Number(count), status] as const);
  const all = counts.reduce((sum, [count]) => sum + count, 0);
  return Math.round(((counts.find(([, status]) => status === '503')?.[0] ?? 0) / all) * 100);
}

const variantOf = ({ variants }: ScenarioResult, name: string): VariantResult =>
  variants.find((each) => each.name === name)!;

const crowd = (kind: string): Row => ({
  what: `a thousand callers at once: ${kind}`,
  scenario: 'clients.thousand',
  variant: kind,
  columns: ['rate', 'latency'],
  floor: (both) => `of a hundred ${both((scenario) => turnedAway(variantOf(scenario, kind)))} turned away`,
});

const ROWS: readonly Row[] = [
  {
    what: 'signed post, its evidence kept',
    scenario: 'post.create',
    variant: 'api',
    floor: times(0, 'the CPU of its SQL plus one signature check of Node’s'),
  },
  {
    what: 'question with a bounty',
    scenario: 'question.create',
    variant: 'bounty',
    floor: times(0, 'the CPU of a signed post'),
  },
  {
    what: 'post by id',
    scenario: 'post.read',
    variant: 'api',
    floor: times(0, 'the rate of bare `node:http` with the same queries'),
  },
  {
    what: 'greeting',
    scenario: 'overview',
    variant: 'greeting',
    floor: times(0, 'the rate of bare `node:http` with the same statements'),
  },
  { what: 'pulse', scenario: 'overview', variant: 'pulse', floor: times(1, 'that rate') },
  { what: 'briefing', scenario: 'overview', variant: 'briefing', floor: times(2, 'that rate') },
  {
    what: 'a hot thread of 20 replies',
    scenario: 'thread.hot',
    variant: 'api',
    floor: times(0, 'the rate of bare `node:http`, same statement and bytes'),
  },
  { what: 'the same, 304', scenario: 'thread.hot', variant: 'unchanged', floor: times(1, 'that rate') },
  { what: 'the newest posts, a hot page of 20', scenario: 'feed.hot', variant: 'api', floor: times(0, 'that rate') },
  { what: 'the same, 304', scenario: 'feed.hot', variant: 'unchanged', floor: times(1, 'that rate') },
  {
    what: 'the page of a thread for people, kept a second',
    scenario: 'page.thread',
    variant: 'kept',
    floor: times(1, 'the rate of a document of its size'),
  },
  {
    what: 'the same, its reads asked each time',
    scenario: 'page.thread',
    variant: 'page',
    floor: times(0, 'the rate of the JSON that it is made of'),
  },
  { what: 'a thread that changed, as JSON', scenario: 'page.thread.changed', variant: 'json' },
  {
    what: 'the same, as a page',
    scenario: 'page.thread.changed',
    variant: 'page',
    floor: times(0, 'the rate of its JSON'),
  },
  {
    what: 'MCP: `create_post`',
    scenario: 'mcp',
    variant: 'toolWrite',
    floor: times(0, 'the CPU of REST'),
  },
  { what: '`get_post` of a post', scenario: 'mcp', variant: 'toolRead', floor: besideBare(1, 5) },
  { what: '`get_post` of a hot thread', scenario: 'mcp', variant: 'toolThread', floor: besideBare(3, 6) },
  {
    what: '`get_post` of a post, signed',
    scenario: 'mcp',
    variant: 'toolSignedRead',
    floor: times(2, 'the CPU of signed REST'),
  },
  {
    what: '`get_post` of a hot thread, signed',
    scenario: 'mcp',
    variant: 'toolSignedThread',
    floor: times(4, 'the CPU of signed REST'),
  },
  {
    what: 'reply accepted until its notification is there',
    scenario: 'inbox.delivery',
    variant: 'steady',
    columns: ['rate', 'latency'],
  },
  crowd('posts'),
  crowd('votes'),
  crowd('reads'),
];

/** The major versions of Node in the table. */
const NODES = ['20', '24'];

/** The table as Markdown. Undefined until both versions are measured with Debian's PostgreSQL. */
export function measuredTable(results: Results): string | undefined {
  const newest = Object.entries(results).toSorted(([, a], [, b]) => b.date.localeCompare(a.date));
  const measured = NODES.map((major) =>
    newest.find(([server, { node }]) => server.includes('Debian') && node.startsWith(`${major}.`)),
  );
  const found = measured.filter((each) => each !== undefined);
  if (found.length < NODES.length) return undefined;
  const runs = found.map(([, run]) => run);
  const rows = [HEADS, ...ROWS.map((row) => cellsOf(row, runs))];
  const widths = HEADS.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, n) => cell.padEnd(widths[n]!)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [head, ...lines] = rows.map(line);
  const said = found.map(([server, { date }]) => `- ${server}, on ${date}`);
  return [...said, '', head, rule, ...lines].join('\n');
}

function cellsOf({ what, scenario, variant, columns = ALL, floor }: Row, runs: readonly RunResult[]): string[] {
  const scenarios = runs.map(({ scenarios: all }) => all.find(({ name }) => name === scenario)!);
  const figures = ALL.map((column) =>
    columns.includes(column) ? scenarios.map((each) => CELLS[column](variantOf(each, variant))).join(' · ') : '',
  );
  const both: Both = (of) => scenarios.map((each) => String(of(each))).join(' and ');
  return [what, ...figures, floor ? floor(both) : ''];
}

/** The text between the marks. */
export async function readMeasured(): Promise<string> {
  const { text, begin, end } = await marked();
  return text.slice(begin, end);
}

export async function writeMeasured(results: Results): Promise<void> {
  const table = measuredTable(results);
  if (table === undefined) return;
  const { text, begin, end } = await marked();
  await writeFile(PAGE, `${text.slice(0, begin)}${table}${text.slice(end)}`);
}

async function marked(): Promise<{ readonly text: string; readonly begin: number; readonly end: number }> {
  const text = await readFile(PAGE, 'utf8');
  const begin = text.indexOf(BEGIN) + BEGIN.length;
  return { text, begin, end: text.indexOf(END, begin) };
}
