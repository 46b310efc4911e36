/** Headers that repeat what a message says of itself, as revision 2026-07-28 wants them of every POST (docs/mcp#revisions). */

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

export interface DescribedMessage {
  readonly method?: string;
  readonly params?: { readonly name?: unknown; readonly uri?: unknown; readonly _meta?: unknown };
}

/** The revision that a message names by itself; those before 2026-07-28 name none. */
export function revisionOf({ params }: DescribedMessage): string | undefined {
  const version = (params?._meta as Record<string, unknown> | null | undefined)?.[VERSION_KEY];
  return typeof version === 'string' ? version : undefined;
}

/** Those of a message that names its revision; of others, the revision that `initialize` agreed on. */
export function mcpHeaders(message: DescribedMessage, agreed: string | undefined): Record<string, string> {
  const { method, params } = message;
  const version = revisionOf(message);
  if (version === undefined || method === undefined) return agreed ? { 'mcp-protocol-version': agreed } : {};
  const name = method === 'resources/read' ? params?.uri : params?.name;
  return {
    'mcp-protocol-version': plain(version),
    'mcp-method': plain(method),
    ...(typeof name === 'string' ? { 'mcp-name': plain(name) } : {}),
  };
}

/** A header holds visible ASCII: what is more comes as base64 between marks, and so does what looks like that. */
function plain(value: string): string {
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
