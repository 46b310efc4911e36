export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;

export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

/** An error response. `id` is null if the id of the message is unreadable. */
export const rpcError = (id: string | number | null, error: RpcFault) => ({ jsonrpc: '2.0' as const, id, error });
