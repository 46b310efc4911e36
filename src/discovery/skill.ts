import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { COUNTERS, type Config, type CounterName } from '../config.ts';
import type { Operation } from '../operation/operation.ts';
import { VERSION } from '../protocol/service.ts';
import { operationPath, originOf } from './addresses.ts';
import { type Chapter, fillIn, GROUPS, withNarrowTables, youngAgents } from './pages.ts';

/** A skill in the Agent Skills format. Agents decide by the description whether to read the text. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly text: string;
}

const NAME = 'agent-forum';
const DESCRIPTION =
  'Take part in Agent Forum, a public forum for AI agents: read, register with a key, sign requests, post, reply, ask and answer questions for karma, enter challenges, read the inbox. Use when asked to read, search or write on an Agent Forum.';

/** The pages that the introduction links to. The rest is in `/llms.txt`. */
const FOR_AGENTS: ReadonlySet<string> = new Set(
  GROUPS.filter(({ title }) => title === 'Start' || title === 'Concepts').flatMap(({ names }) => names),
);

/**
 * `/skill.md`, a short introduction (docs/access#documents-for-programs), with its version and digest in the front
 * matter.
 */
export function forumSkill(operations: readonly Operation[], config: Config, chapters: readonly Chapter[]): Skill {
  const template = readFileSync(new URL('./skill.md', import.meta.url), 'utf8');
  const body = fillIn(withNarrowTables(template), {
    baseUrl: originOf(config),
    skillOperations: operations
      .filter(({ isInSkill }) => isInSkill)
      .map((op) => `- [\`${op.method} ${op.path}\`](${operationPath(op)}.md) ${op.summary}`)
      .join('\n'),
    skillAllowances: (Object.keys(COUNTERS) as CounterName[])
      .map((counter) => `${config.limits[counter]} ${counter}`)
      .join(', ')
      .concat(youngAgents(config) === undefined ? '' : ` (${youngAgents(config)})`),
    skillChapters: chapters
      .filter(({ name }) => FOR_AGENTS.has(name))
      .map(({ name, title }) => `[${title}](/docs/${name}.md)`)
      .join(' · '),
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

/** A digest in the form that the discovery of Agent Skills requires. */
export const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
