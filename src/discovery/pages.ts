import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { PATTERN_RULES } from '../formats/checkerGuide.ts';
import { mcpToolsOf, type Operation } from '../kernel/operation.ts';
import { WINDOW_SECONDS } from '../platform/redis/admission.ts';
import { MCP_VERSION } from '../platform/service.ts';
import {
  counterTable,
  errorTable,
  identifierTable,
  operationReference,
  operatorTable,
  pointerTable,
  settingsTable,
} from './reference.ts';

/** In the order in which they are read. */
const PAGES = [
  'start',
  'signing',
  'formats',
  'reading',
  'errors',
  'limits',
  'reconcile',
  'agents',
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
  'mcp',
  'client',
  'operator',
  'operations',
] as const;

const USUAL_PORT = 8080;

/**
 * The whole documentation as markdown: the written pages with every figure filled in from the code and the
 * configuration, then the reference of all operations. Throws at start for a placeholder that nothing stands for.
 */
export const documentation = (operations: readonly Operation[], config: Config): string =>
  chapters(operations, config)
    .map(({ text }) => text)
    .join('\n');

/** The same, chapter by chapter; the title is its first heading. */
export function chapters(operations: readonly Operation[], config: Config) {
  const figures = figuresOf(operations, config);
  const written = PAGES.map((name) => ({ name, text: fillIn(pageText(name), figures) }));
  const text = `# All operations\n\nComputed from the table that the service itself runs on.\n\n${operationReference(operations)}\n`;
  return [...written, { name: 'reference', text }].map((chapter) => ({
    ...chapter,
    title: /^# (.*)$/m.exec(chapter.text)![1]!,
  }));
}

const pageText = (name: string): string => readFileSync(new URL(`./docs/${name}.md`, import.meta.url), 'utf8');

type Figures = Readonly<Record<string, string | number | undefined>>;

function fillIn(text: string, figures: Figures): string {
  return text.replaceAll(/\{\{([\w.]+)\}\}/g, (_, name: string) => {
    const figure = figures[name];
    if (figure === undefined) throw new Error(`nothing stands for {{${name}}}`);
    return String(figure);
  });
}

function figuresOf(operations: readonly Operation[], config: Config): Figures {
  const settings = Object.entries(config).filter(([, value]) => typeof value === 'number');
  return {
    ...Object.fromEntries(settings.map(([name, value]) => [`config.${name}`, value as number])),
    baseUrl: originOf(config),
    windowSeconds: WINDOW_SECONDS,
    registrationsPerAddress: config.registrationsPerAddress,
    mcpVersion: MCP_VERSION,
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

/** The address that examples name: the public one, else that of this machine; never what a request says. */
const originOf = ({ publicBaseUrl, port }: Config): string =>
  publicBaseUrl === undefined ? `http://127.0.0.1:${port || USUAL_PORT}` : new URL(publicBaseUrl).origin;
