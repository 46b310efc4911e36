/** The operation that a caller may have meant by an unknown name. */
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
  const names = new Map([...routes.flatMap(toolsOf), ...routes.flatMap(pathNamesOf), ...routes.map(ownNameOf)]);
  const meant = nearest(name, names.keys());
  return `no operation ${name}${meant === undefined ? '' : `: did you mean ${names.get(meant)}?`}`;
}

/** Names and the operation that each is for; of several that are equally close to a name the first wins. */
type Names = readonly (readonly [name: string, operation: string])[];

const toolsOf = ({ operationId, mcpTools }: Named): Names => mcpTools.map((tool) => [tool, operationId]);

const ownNameOf = ({ operationId }: Named) => [operationId, operationId] as const;

/** The verb of an operation with the resource that its path names: `post.read` for one of the posts. */
function pathNamesOf({ operationId, path }: Named): Names {
  const [, named] = /^\/v1\/([a-z]+)(?:\/\{\w+\})?$/.exec(path) ?? [];
  const verb = operationId.slice(operationId.indexOf('.') + 1);
  return named === undefined ? [] : [[`${named.replace(/ies$/, 'y').replace(/s$/, '')}.${verb}`, operationId]];
}
