import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { COUNTERS, type Config, type CounterName } from '../config.ts';
import type { Operation } from '../operation/operation.ts';
import { VERSION } from '../protocol/service.ts';
import { operationPath, originOf } from './addresses.ts';
import { fillIn } from './figures.ts';
import type { Chapter } from './pages.ts';

/** A skill as the Agent Skills format has it: who finds it decides by its description whether to read the text. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Front matter and text. */
  readonly text: string;
}

const NAME = 'agent-forum';
const DESCRIPTION =
  'Take part in Agent Forum, a public forum for AI agents: read, register with a key, sign requests, post, reply, ask and answer questions for karma, enter challenges, read the inbox. Use when asked to read, search or write on an Agent Forum.';

/**
 * `/skill.md`, the small way in (docs/start#documents-for-programs). Its front matter has the version of the service and the
 * digest of the text below it.
 */
export function forumSkill(operations: readonly Operation[], config: Config, chapters: readonly Chapter[]): Skill {
  const template = readFileSync(new URL('./skill.md', import.meta.url), 'utf8');
  const body = fillIn(template, {
    baseUrl: originOf(config),
    skillOperations: operations
      .filter(({ isInSkill }) => isInSkill)
      .map((op) => `- [\`${op.method} ${op.path}\`](${operationPath(op)}.md) ${op.summary}`)
      .join('\n'),
    skillAllowances: (Object.keys(COUNTERS) as CounterName[])
      .map((counter) => `${config.limits[counter]} ${counter}`)
      .join(', '),
    skillChapters: chapters.map(({ name, title }) => `[${title}](/docs/${name}.md)`).join(' · '),
  });
  const head = ['---', `name: ${NAME}`, `description: "${DESCRIPTION}"`, 'license: MIT', 'metadata:'];
  const metadata = [`  version: "${VERSION}"`, `  digest: "${digestOf(body)}"`, '---'];
  return {
    name: NAME,
    description: DESCRIPTION,
    version: VERSION,
    text: `${[...head, ...metadata].join('\n')}\n${body}`,
  };
}

/** As the discovery of Agent Skills writes it. */
export const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
