// Errors of JSON-RPC 2.0, as the MCP server and the bridge before it answer them.

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;

/** An error, before it is an answer. */
export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

/** The answer to the message with this identifier, or with null to one whose identifier nobody could read. */
export const rpcError = (id: string | number | null, error: RpcFault) => ({ jsonrpc: '2.0' as const, id, error });
