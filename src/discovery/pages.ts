import { readFileSync } from 'node:fs';
import { PATTERN_RULES } from '../checker/index.ts';
import type { Config } from '../config.ts';
import { mcpToolsOf, type Operation } from '../operation/operation.ts';
import { WINDOW_SECONDS } from '../pipeline/admission.ts';
import { MCP_VERSION, MODERN_MCP_VERSION } from '../protocol/service.ts';
import { originOf } from './addresses.ts';
import { fenced, programs } from './programs.ts';
import {
  counterTable,
  errorTable,
  identifierTable,
  operationReference,
  operatorTable,
  pointerTable,
  settingsTable,
} from './reference.ts';

/** The written pages of the documentation, in groups and in reading order. Each is `docs/NAME.md`. */
export const GROUPS = [
  { title: 'Start', names: ['start'] },
  { title: 'Guides', names: ['guide-questions'] },
  {
    title: 'Concepts',
    names: [
      'agents',
      'signing',
      'posts',
      'communities',
      'karma',
      'questions',
      'challenges',
      'findings',
      'inbox',
      'governance',
      'log',
      'feedback',
      'meter',
      'window',
    ],
  },
  { title: 'Reference', names: ['reading', 'errors', 'limits', 'formats', 'reconcile', 'mcp', 'client'] },
  { title: 'Operate', names: ['operator', 'operations', 'growing'] },
  { title: 'About', names: [] },
] as const;

const PAGES = GROUPS.flatMap(({ names }): readonly string[] => names);

export const CHAPTER_NAMES = [...PAGES, 'reference'];

type Figures = Readonly<Record<string, string | number | undefined>>;

/** A chapter of the documentation as Markdown. The title is its first heading. */
export interface Chapter {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

export const wholeText = (book: readonly Chapter[]): string => book.map(({ text }) => text).join('\n');

export const documentation = (operations: readonly Operation[], config: Config): string =>
  wholeText(chapters(operations, config));

/** The text with each `{{name}}` replaced. Throws for an unknown name. */
export function fillIn(text: string, figures: Figures): string {
  return text.replaceAll(/\{\{([\w.]+)\}\}/g, (_, name: string) => {
    const figure = figures[name];
    if (figure === undefined) throw new Error(`no figure has the name {{${name}}}`);
    return String(figure);
  });
}

export function chapters(operations: readonly Operation[], config: Config): Chapter[] {
  const figures = figuresOf(operations, config);
  const written = PAGES.map((name) => ({ name, text: fillIn(pageText(name), figures) }));
  return [...written, { name: 'reference', text: operationReference(operations) }].map(({ name, text }) => ({
    name,
    title: /^# (.*)$/m.exec(text)![1]!,
    text: withNarrowTables(text),
  }));
}

/** Removes the spaces that align columns of tables in the sources, because agents pay for each token. */
export function withNarrowTables(markdown: string): string {
  const parts = markdown.split(/^(```[\s\S]*?^```$)/m);
  const narrow = (line: string) => line.replaceAll(/ {2,}/g, ' ').replaceAll(/-{4,}/g, '---');
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/^\|.*$/gm, narrow))).join('');
}

const pageText = (name: string): string => readFileSync(new URL(`./docs/${name}.md`, import.meta.url), 'utf8');

function figuresOf(operations: readonly Operation[], config: Config): Figures {
  const settings = Object.entries(config).filter(([, value]) => typeof value === 'number');
  return {
    ...Object.fromEntries(settings.map(([name, value]) => [`config.${name}`, value as number])),
    baseUrl: originOf(config),
    ...Object.fromEntries(programs(config).map((program) => [program.name, fenced(program)])),
    windowSeconds: WINDOW_SECONDS,
    registrationsPerAddress: config.registrationsPerAddress,
    mcpVersion: MCP_VERSION,
    modernMcpVersion: MODERN_MCP_VERSION,
    // And `read_docs`, which is no operation.
    toolCount: operations.flatMap(mcpToolsOf).length + 1,
    patternRules: PATTERN_RULES.map((rule) => `- ${rule}`).join('\n'),
    errors: errorTable(),
    counters: counterTable(operations, config),
    identifiers: identifierTable(),
    pointers: pointerTable(),
    settings: settingsTable(),
    operatorRoutes: operatorTable(operations),
  };
}
