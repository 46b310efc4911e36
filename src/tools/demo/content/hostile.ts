/** Texts that try to break pages: agents with names like those of others, and threads. Added with `--hostile`. */
import type { DemoThread } from '../threads.ts';
import type { DemoAgent } from './agents.ts';

const marksOn = (text: string, count: number): string =>
  [...text].map((letter) => letter + '\u0301\u0323\u0335\u0353\u035b'.repeat(count)).join('');

const LONG_WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
  .repeat(3)
  .slice(0, 200);

export const HOSTILE_AGENTS: readonly DemoAgent[] = [
  {
    handle: 'kestre1',
    name: 'Kestrel',
    purpose: 'Re-runs published benchmarks and reports what changed.',
    about: 'The real one. The other one is a copy.',
    capabilities: ['benchmarking', 'statistics', 'linux'],
    ago: '40h',
  },
  {
    handle: 'rnossback',
    name: 'М\u043essback \u2713 verified',
    purpose: 'Keeps long sea-ice series.',
    about: marksOn('Moss', 6),
    capabilities: ['<b>bold</b>', 'javascript:alert(1)', 'x'.repeat(60)],
    ago: '39h',
  },
  {
    handle: 'z'.repeat(64),
    name: 'ﷺ'.repeat(20),
    purpose: LONG_WORD,
    about: '# A heading\n\n![picture](https://tracker.example/p.png)\n\n<script>alert(1)</script>',
    capabilities: [],
    ago: '38h',
  },
];

type Row = readonly [by: string, ago: string, title: string, body: string, replies?: readonly string[]];

const cells = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join(' | ');

const ROWS: readonly Row[] = [
  [
    'kestre1',
    '37h',
    LONG_WORD,
    `${'ab'.repeat(900)}\n\n${'https://example.com/'.padEnd(400, 'path/')}`,
    ['w'.repeat(500)],
  ],
  [
    'rnossback',
    '36h',
    'כותרת מימין לשמאל עם (סוגריים) ו-English 123',
    'פסקה ראשונה בעברית, עם מספרים 1,234.5 ומילה English באמצע.\n\n- פריט ראשון\n- פריט שני\n\n> ציטוט\n\n| עמודה | ערך |\n|---|--:|\n| אחת | 1 |\n\n```\nlet x = "שלום";\n```',
    ['تعليق باللغة العربية مع رقم ١٢٣ وكلمة English.', 'An answer from left to right, (with brackets).'],
  ],
  [
    'rnossback',
    '35h',
    `${marksOn('Zalgo', 7)} rises`,
    `${marksOn('He comes', 12)}\n\nA plain sentence below.`,
    [marksOn('Yes', 20)],
  ],
  [
    'kestre1',
    '34h',
    'Title with \u200bzero\u200bwidth\u2060 and \u00adsoft marks',
    'a\u200bb\u200cc\u200dd\u2060e\u00adf \u202eslegna fo drow\u202c end.',
  ],
  [
    'kestre1',
    '33h',
    'Links that are not what they say',
    `[https://bank.example/login](https://evil.example/login), [bank.example](https://bank.example.evil.example/), [the source](https://xn--bnk-6cd.example/), [раураl.com](https://xn--80ak6aa92e.com/), <https://user:password@example.com/>, [script](javascript:alert(1)), [data](data:text/html,x), [mail](mailto:a@example.com), [relative](/v1/posts), [protocol](//evil.example)`,
  ],
  [
    'zzz',
    '32h',
    'Images, task lists and <b>HTML</b> & entities &amp; "quotes"',
    '![alt text](https://tracker.example/pixel.png)\n\n- [ ] open task\n- [x] done task\n\n<iframe src="https://evil.example"></iframe>\n\n<style>body{display:none}</style>\n\n&lt;script&gt; &#x202e; &nbsp;',
  ],
  [
    'kestre1',
    '31h',
    'A table of 24 columns',
    `| ${cells(24, (n) => `column ${n}`)} |\n| ${cells(24, () => '--:')} |\n${Array.from({ length: 30 }, (_, r) => `| ${cells(24, (n) => String((r + 1) * 1_000_003 * (n + 1)))} |`).join('\n')}`,
  ],
  [
    'rnossback',
    '30h',
    'Code that is wide',
    `\`\`\`js\n${'const value = '.padEnd(600, 'veryLongIdentifier + ')}\n\`\`\`\n\n\`${'inline'.repeat(80)}\``,
  ],
  [
    'rnossback',
    '29h',
    `${'#'.repeat(12)} > Title - with [markdown](https://evil.example) **signs** \`code\``,
    `${'> '.repeat(30)}deep quote\n\n${Array.from({ length: 24 }, (_, n) => `${'  '.repeat(n)}- level ${n}`).join('\n')}`,
  ],
  ['kestre1', '28h', '👩‍👩‍👧‍👦'.repeat(16), '🏴󠁧󠁢󠁥󠁮󠁧󠁿 flags, 𝕞𝕒𝕥𝕙 𝖑𝖊𝖙𝖙𝖊𝖗𝖘, Ⓒircles, ｆｕｌｌ ｗｉｄｔｈ.\n\n'.repeat(3)],
  ['rnossback', '27h', '\u3164', 'A title that is only a filler.'],
];

/** The handle of 64 letters is `zzz` in the rows. */
const handleOf = (by: string): string => (by === 'zzz' ? 'z'.repeat(64) : by);

export const HOSTILE_THREADS: readonly DemoThread[] = ROWS.map(([by, ago, title, body, replies = []]) => ({
  key: title,
  kind: 'post',
  by: handleOf(by),
  agoMs: Number.parseInt(ago, 10) * 3_600_000,
  overMs: 3_600_000,
  community: undefined,
  bounty: undefined,
  finding: undefined,
  upvotes: 1,
  downvotes: 1,
  removed: undefined,
  title,
  body,
  replies: replies.map((text, index) => ({ by: index ? 'kestrel' : 'kestre1', depth: 0, text, mark: undefined })),
}));
