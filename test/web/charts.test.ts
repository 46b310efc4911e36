import assert from 'node:assert/strict';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import {
  Charted,
  ChartTable,
  Columns,
  percentsOf,
  Sparkline,
  StackedBar,
  StepChart,
  weeksOf,
} from '../../src/web/view/charts.tsx';
import { markdownOf } from '../../src/web/view/markdown.ts';

const svgOf = (chart: VNode) => renderToString(chart);
const pathsOf = (svg: string) => [...svg.matchAll(/ d="([^"]*)"/g)].map(([, path]) => path!);
const widthsOf = (svg: string) => [...svg.matchAll(/<rect[^>]* width="([^"]+)"/g)].map(([, width]) => Number(width));

describe('charts', () => {
  const charts: Readonly<Record<string, VNode>> = {
    sparkline: Sparkline({ title: 'Karma', values: [0, 1, null, 3] }),
    columns: Columns({ title: 'Posts', values: [0, 1, null, 3] }),
    bar: StackedBar({
      shares: [
        { name: 'yes', value: 3 },
        { name: 'no', value: 1 },
      ],
    }),
    steps: StepChart({
      title: 'Odds',
      steps: [
        { at: '2026-11-27T06:00:00.000Z', values: [1, 0] },
        { at: '2026-11-27T12:00:00.000Z', values: [1, 3] },
      ],
      from: '2026-11-27T00:00:00.000Z',
      to: '2026-11-28T00:00:00.000Z',
    }),
  };

  it('have a title, and neither style attributes nor text', () => {
    for (const [name, chart] of Object.entries(charts)) {
      const svg = svgOf(chart);
      assert.match(svg, /^<svg [^>]*role="img"[^>]*><title>[^<]+<\/title>/, name);
      assert.doesNotMatch(svg, / style=|<text|NaN|undefined/, name);
    }
  });

  it('have finite geometry without values, with one value, and with zeros only', () => {
    for (const values of [[], [null], [5], [0, 0, 0], [null, 2, null]]) {
      assert.doesNotMatch(svgOf(Sparkline({ title: 't', values })), /NaN|Infinity/);
      assert.doesNotMatch(svgOf(Columns({ title: 't', values })), /NaN|Infinity/);
    }
    assert.doesNotMatch(svgOf(StackedBar({ shares: [] })), /NaN|<rect/);
    const [from, to] = ['2026-11-27T00:00:00.000Z', '2026-11-27T00:00:00.000Z'];
    assert.doesNotMatch(svgOf(StepChart({ title: 't', steps: [], from, to })), /NaN|<path/);
    const steps = [{ at: from, values: [0, 0] }];
    assert.doesNotMatch(svgOf(StepChart({ title: 't', steps, from, to })), /NaN|Infinity/);
  });

  it('draw a gap for an unknown value', () => {
    const [area, line] = pathsOf(svgOf(charts.sparkline!));
    assert.equal(line, 'M0 98L200 66M600 2h2');
    assert.equal(area!.match(/z/g)!.length, 2);
    assert.equal(pathsOf(svgOf(charts.columns!))[0]!.match(/M/g)!.length, 3);
  });

  it('say shares in words, and draw them to scale', () => {
    const bar = svgOf(charts.bar!);
    assert.match(bar, /<title>yes 75\u00A0%, no 25\u00A0%<\/title>/);
    assert.deepEqual(widthsOf(bar), [450, 150]);
    assert.match(svgOf(StackedBar({ shares: [{ name: 'yes', value: 0 }], empty: 'No stakes yet' })), /No stakes yet/);
  });

  it('name shares that add up to 100 percent', () => {
    const sums = [[15, 25], [1, 1, 1], [0, 0], [1_000, 1], [7]].map((values) => percentsOf(values).join(' '));
    assert.deepEqual(
      sums.map((each) => each.replaceAll('\u00A0', '')),
      ['38% 62%', '34% 33% 33%', '0% 0%', '100% 0%', '100%'],
    );
  });

  it('change odds at the time of a step, and continue paler after the last one', () => {
    assert.deepEqual(pathsOf(svgOf(charts.steps!)), [
      'M150 0V0H300V100H150z',
      'M300 0H600V25H300z',
      'M150 100V100H300V100H150z',
      'M300 25H600V100H300z',
    ]);
  });

  it('have their figures in the Markdown of the page, without the drawing', () => {
    const table = ChartTable({
      label: 'By week',
      columns: ['Week', 'Posts'],
      rows: [
        ['2026-11-23', 1_234],
        ['2026-11-30', null],
      ],
    });
    const main = Charted({ chart: charts.columns!, note: 'Posts by week.', table });
    const text = markdownOf({ title: 'T', description: '', json: '/j', main }, { own: '', origin: '' });
    assert.equal(
      text,
      '# T\n\nPosts by week.\n\nBy week\n\n| Week | Posts |\n|---|---|\n| 2026-11-23 | 1,234 |\n| 2026-11-30 | – |\n',
    );
  });
});

describe('weeksOf', () => {
  const days = (first: string, values: readonly (number | null)[]) =>
    values.map((value, n) => ({
      date: new Date(Date.parse(first) + n * 86_400_000).toISOString().slice(0, 10),
      value,
    }));

  it('adds up days from Monday, and leaves out an incomplete first week', () => {
    const counted = days('2026-11-21', [5, 5, 1, 1, 1, 1, 1, 1, 1, 9]);
    assert.deepEqual(
      weeksOf(counted, ({ value }) => value),
      [
        { date: '2026-11-23', value: 7 },
        { date: '2026-11-30', value: 9 },
      ],
    );
  });

  it('knows nothing of a week in which no day was counted', () => {
    const weeks = weeksOf(days('2026-11-16', [...Array(9).fill(null), 2]), ({ value }) => value);
    assert.deepEqual(
      weeks.map(({ value }) => value),
      [null, 2],
    );
  });
});
