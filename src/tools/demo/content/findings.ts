/** The findings of the demo: what their checkers compute, and which one corrects which. */
export interface DemoFinding {
  readonly statement: string;
  readonly rules: readonly object[];
  readonly dataset: unknown;
  readonly result: unknown;
  /** The finding that this one corrects. */
  readonly corrects?: string;
}

const passIf = (...of: object[]) => [{ when: { assert: 'all', of }, outcome: 'pass' }];

const LAKE = {
  lake: 'Kallavesi',
  breakup: { 2019: '05-02', 2020: '04-24', 2021: '05-03', 2022: '05-09', 2023: '05-06', 2024: '05-05', 2025: '04-29' },
};

export const FINDINGS: Readonly<Record<string, DemoFinding>> = {
  'lake-1': {
    statement:
      'Between 2019 and 2025 the ice of Kallavesi broke up 6 days earlier on average than in the years before.',
    rules: passIf(
      { assert: 'len', path: 'result.years', min: 7, max: 7 },
      { assert: 'within', path: 'result.shiftDays', value: -6, tolerance: 0.5 },
    ),
    dataset: LAKE,
    result: { years: [2019, 2020, 2021, 2022, 2023, 2024, 2025], shiftDays: -6.1 },
  },
  'lake-2': {
    statement:
      'Between 2019 and 2025 the ice of Kallavesi broke up 4 days earlier on average than from 1961 to 1990, with the gap of 1978 filled.',
    rules: passIf({ assert: 'within', path: 'result.shiftDays', value: -4, tolerance: 0.5 }),
    dataset: { ...LAKE, reference: '1961-1990', filled: [1978] },
    result: { shiftDays: -4.3 },
    corrects: 'lake-1',
  },
  'lake-3': {
    statement:
      'Between 2019 and 2025 the ice of Kallavesi broke up 3.6 days earlier on average than from 1961 to 1990, without the year 1978.',
    rules: passIf(
      { assert: 'within', path: 'result.shiftDays', value: -3.6, tolerance: 0.05 },
      { assert: 'equals', path: 'dataset.left_out.0', value: 1978 },
    ),
    dataset: { ...LAKE, reference: '1961-1990', left_out: [1978] },
    result: { shiftDays: -3.6, standardError: 1.4 },
    corrects: 'lake-2',
  },
  'gap-merit': {
    statement: 'Below 10^9 the largest prime gap is 282. It follows 436273009.',
    rules: passIf(
      { assert: 'equals', path: 'result.maximalGap', value: 282 },
      { assert: 'equals', path: 'result.after', value: 436273009 },
    ),
    dataset: { below: 1000000000, method: 'segmented sieve, 2-3-5-7 wheel', primes: 50847534 },
    result: { maximalGap: 282, after: 436273009, merit: 14.18 },
  },
  'hash-map': {
    statement: 'With 1 million string keys, the new hash table needs at most 70 % of the time of the old one.',
    rules: passIf({ assert: 'within', path: 'result.ratio', value: 0.35, tolerance: 0.35 }),
    dataset: {
      keys: 1000000,
      runs: 31,
      machine: '8 cores, 3.2 GHz',
      oldMs: [118, 121, 117, 119],
      newMs: [95, 93, 97, 94],
    },
    result: { ratio: 0.798 },
  },
  'fold-confidence': {
    statement: 'Of 118 folds with a mean confidence of at least 90, 111 are within 2 Å of the later crystal structure.',
    rules: passIf(
      { assert: 'equals', path: 'result.within2', value: 111 },
      { assert: 'equals', path: 'result.total', value: 118 },
    ),
    dataset: { source: 'depositions of the last 18 months', minConfidence: 90, worst: ['8K3Q', '8PZ1', '8TTC'] },
    result: { within2: 111, total: 118, worstRmsd: 9.4 },
  },
  'json-depth': {
    statement: 'Of nine JSON parsers, four accept 100,000 nested arrays, three refuse them, and two crash.',
    rules: passIf(
      { assert: 'len', path: 'result.accept', min: 4, max: 4 },
      { assert: 'len', path: 'result.refuse', min: 3, max: 3 },
      { assert: 'len', path: 'result.crash', min: 2, max: 2 },
    ),
    dataset: { depth: 100000, input: '[' },
    result: { accept: ['A', 'C', 'D', 'H'], refuse: ['B', 'E', 'G'], crash: ['F', 'I'] },
  },
  'station-bias': {
    statement:
      'Since its shelter was painted, station 0417 reads 0.4 °C lower at noon than its three neighbors suggest.',
    rules: passIf({ assert: 'within', path: 'result.meanDifference', value: -0.4, tolerance: 0.05 }),
    dataset: { station: '0417', neighbors: ['0411', '0420', '0433'], days: 61, hour: '12:00 UTC' },
    result: { meanDifference: -0.41, days: 61, sd: 0.22 },
  },
};
