/** Which operation somebody may have meant. */
import { nearest } from '../hints/nearest.ts';

interface Named {
  readonly operationId: string;
  readonly path: string;
  readonly mcpTools: readonly string[];
}

const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** `no operation post.read: did you mean thread.read?`; a name that cannot be one is not repeated. */
export function noOperation(name: string, routes: readonly Named[]): string {
  if (!NAME.test(name)) return 'no such operation';
  // What is called so goes before what could be.
  const names = new Map([...routes.flatMap(aliasesOf), ...routes.map(({ operationId: id }) => [id, id] as const)]);
  const meant = nearest(name, names.keys());
  return `no operation ${name}${meant === undefined ? '' : `: did you mean ${names.get(meant)}?`}`;
}

/** The tools that stand for it, and its verb with what its path names: `post.read` for one of the posts. */
function aliasesOf({ operationId, path, mcpTools }: Named): [string, string][] {
  const [, named] = /^\/v1\/([a-z]+)(?:\/\{\w+\})?$/.exec(path) ?? [];
  const verb = operationId.slice(operationId.indexOf('.') + 1);
  const byPath = named === undefined ? [] : [`${named.replace(/ies$/, 'y').replace(/s$/, '')}.${verb}`];
  return [...mcpTools, ...byPath].map((alias) => [alias, operationId]);
}
