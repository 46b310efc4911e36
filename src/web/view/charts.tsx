/**
 * Charts as small SVG without text: their labels are HTML, so they keep their size on phones. Each chart has a
 * `<title>`, and `ChartTable` shows the same figures as a table, which the Markdown format of a page has too.
 */
import type { ComponentChildren, VNode } from 'preact';
import { figure, NBSP } from './parts.tsx';

/** Null is a gap: the figure is unknown. */
export type Values = readonly (number | null)[];

const WIDTH = 600;
const HEIGHT = 100;
/** Classes with a color each; further series begin again. */
const TONES = 4;

export const toneOf = (series: number): string => `s${series % TONES}`;

const round = (n: number): number => Math.round(10 * n) / 10;

const Chart = ({ title, kind, children }: { title: string; kind?: string; children?: ComponentChildren }): VNode => (
  <svg
    class={kind ? `chart ${kind}` : 'chart'}
    viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    width={WIDTH}
    height={HEIGHT}
    preserveAspectRatio="none"
    role="img"
  >
    <title>{title}</title>
    {children}
  </svg>
);

/** The highest value, but at least a value above 0, so that a row of zeros is a flat line. */
const topOf = (values: Values): number => Math.max(...values.map((value) => value ?? 0), 0) || 1;

/** A line over equal distances of time, from 0 to the highest value. */
export function Sparkline({ title, values }: { title: string; values: Values }): VNode {
  const top = topOf(values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const lines: string[] = [];
  const areas: string[] = [];
  let run: string[] = [];
  for (const [n, value] of [...values, null].entries()) {
    if (value !== null) {
      // Two units are left above and below, so that the line is not cut.
      run.push(`${round(n * step)} ${round(HEIGHT - 2 - (value / top) * (HEIGHT - 4))}`);
    } else if (run.length > 0) {
      const first = round((n - run.length) * step);
      const last = round((n - 1) * step);
      // A value between two gaps is a short stroke.
      lines.push(`M${run.join('L')}${run.length === 1 ? 'h2' : ''}`);
      areas.push(`M${first} ${HEIGHT}L${run.join('L')}L${last} ${HEIGHT}z`);
      run = [];
    }
  }
  return (
    <Chart title={title} kind="line">
      <path d={areas.join('')} />
      <path d={lines.join('')} vector-effect="non-scaling-stroke" />
    </Chart>
  );
}

/** One column for each value. A zero is a thin foot, and an unknown value has no column. */
export function Columns({ title, values }: { title: string; values: Values }): VNode {
  const top = topOf(values);
  const step = WIDTH / Math.max(1, values.length);
  const gap = Math.min(6, step / 4);
  const path = values.map((value, n) => {
    if (value === null) return '';
    const height = Math.max(2, round((value / top) * HEIGHT));
    return `M${round(n * step + gap / 2)} ${HEIGHT}v-${height}h${round(step - gap)}v${height}z`;
  });
  return (
    <Chart title={title}>
      <path d={path.join('')} />
    </Chart>
  );
}

export interface Share {
  readonly name: string;
  readonly value: number;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Shares of the sum as whole percents that add up to 100: the largest fractions are rounded up. */
export function percentsOf(values: readonly number[]): string[] {
  const whole = sumOf(values) || 1;
  const exact = values.map((value) => (100 * value) / whole);
  const missing = Math.round(sumOf(exact)) - sumOf(exact.map(Math.floor));
  const byFraction = exact.map((share, n) => ({ n, fraction: share % 1 })).toSorted((a, b) => b.fraction - a.fraction);
  const roundedUp = new Set(byFraction.slice(0, missing).map(({ n }) => n));
  return exact.map((share, n) => `${Math.floor(share) + (roundedUp.has(n) ? 1 : 0)}${NBSP}%`);
}

/** The share of a part as a whole percent, such as `62 %`. */
export const percent = (part: number, whole: number): string => percentsOf([part, whole - part])[0]!;

/** The shares of a whole, in their order. Without any value it is an empty bar. */
export function StackedBar({ shares, empty = 'Nothing yet' }: { shares: readonly Share[]; empty?: string }): VNode {
  const whole = sumOf(shares.map(({ value }) => value));
  const percents = percentsOf(shares.map(({ value }) => value));
  const title = shares.map(({ name }, n) => `${name} ${percents[n]}`).join(', ');
  let x = 0;
  return (
    <Chart title={whole === 0 ? empty : title} kind="bar">
      {shares.map(({ value }, n) => {
        if (value === 0) return null;
        const width = (value / whole) * WIDTH;
        const part = <rect class={toneOf(n)} x={round(x)} width={round(width)} height={HEIGHT} />;
        x += width;
        return part;
      })}
    </Chart>
  );
}

/** A part of a whole with a mark at the share that is needed, such as 2/3. */
export const Meter = ({
  title,
  part,
  whole,
  mark,
}: {
  title: string;
  part: number;
  whole: number;
  mark: number;
}): VNode => (
  <Chart title={title} kind="bar">
    <rect class={toneOf(0)} width={round((part / whole) * WIDTH)} height={HEIGHT} />
    <path class="limit" d={`M${round(mark * WIDTH)} 0V${HEIGHT}`} vector-effect="non-scaling-stroke" />
  </Chart>
);

export interface Step {
  /** ISO time. */
  readonly at: string;
  /** One for each series, in the order of `StackedBar`. */
  readonly values: readonly number[];
}

interface StepChartProps {
  readonly title: string;
  /** Oldest first. */
  readonly steps: readonly Step[];
  /** The chart reaches from `from` to `to`. The last step continues to the end, paler. */
  readonly from: string;
  readonly to: string;
  /** The time after the last step is past, so it is not pale. */
  readonly isOver?: boolean;
}

/** Shares over time, stacked as in `StackedBar`: they change only at the steps. */
export function StepChart({ title, steps, from, to, isOver = false }: StepChartProps): VNode {
  const start = Date.parse(from);
  const length = Math.max(1, Date.parse(to) - start);
  const xOf = (at: string): number => round(WIDTH * Math.min(1, Math.max(0, (Date.parse(at) - start) / length)));
  const xs = steps.map(({ at }) => xOf(at));
  /** For each step the upper edge of the first part, then the lower edge of each part. */
  const edges = steps.map(({ values }) => {
    const whole = sumOf(values) || 1;
    return [0, ...values.map((_, n) => round((sumOf(values.slice(0, n + 1)) / whole) * HEIGHT))];
  });
  const last = steps.length - 1;
  const parts = steps[0]?.values.map((_, series) => {
    const upper = edges.map((each) => each[series]!);
    const lower = edges.map((each) => each[series + 1]!);
    // Along the upper edge to the last step, then back along the lower edge.
    const there = upper.slice(0, last).map((y, n) => `V${y}H${xs[n + 1]}`);
    const back = lower.slice(0, last).map((y, n) => `V${y}H${xs[n]}`);
    return (
      <>
        {last === 0 ? null : (
          <path class={toneOf(series)} d={`M${xs[0]} ${upper[0]}${there.join('')}${back.toReversed().join('')}z`} />
        )}
        <path
          class={isOver ? toneOf(series) : `${toneOf(series)} later`}
          d={`M${xs[last]} ${upper[last]}H${WIDTH}V${lower[last]}H${xs[last]}z`}
        />
      </>
    );
  });
  return (
    <Chart title={title} kind="steps">
      {parts}
    </Chart>
  );
}

/** The color of a series, for its row in a table or its word in a line. */
export const Swatch = ({ series }: { series: number }): VNode => (
  <>
    <i class={`swatch ${toneOf(series)}`} />
    {NBSP}
  </>
);

/** A chart with its figures under it: what it shows, then the table. */
export const Charted = ({ chart, note, table }: { chart: VNode; note: ComponentChildren; table: VNode }): VNode => (
  <div class="charted">
    {chart}
    <p class="by">{note}</p>
    {table}
  </div>
);

interface ChartTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly [heading: string, ...figures: (number | null)[]])[];
}

/** The figures of a chart. */
export const ChartTable = ({ label, columns, rows }: ChartTableProps): VNode => (
  <details>
    <summary>{label}</summary>
    {/* biome-ignore lint/a11y: it takes keys to scroll, and a fieldset is for forms */}
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((title, n) => (
              <th class={n === 0 ? undefined : 'right'}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([heading, ...figures]) => (
            <tr>
              <th scope="row">{heading}</th>
              {figures.map((value) => (
                <td class="right">{value === null ? '–' : figure(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);

export interface Week {
  /** The first day, a Monday, as `2026-11-23`. */
  readonly date: string;
  /** Null if no day of the week was counted. */
  readonly value: number | null;
}

/** Adds up days by weeks from Monday. An incomplete first week is left out. `days` are consecutive, oldest first. */
export function weeksOf<Day extends { readonly date: string }>(
  days: readonly Day[],
  figureOf: (day: Day) => number | null,
): Week[] {
  const weeks: Week[] = [];
  for (const day of days) {
    const isMonday = new Date(`${day.date}T00:00:00Z`).getUTCDay() === 1;
    const week = isMonday ? { date: day.date, value: null } : weeks.pop();
    if (!week) continue;
    const value = figureOf(day);
    weeks.push(value === null ? week : { date: week.date, value: (week.value ?? 0) + value });
  }
  return weeks;
}
