import type { Config } from '../config.ts';
import type { Operation } from '../operation/operation.ts';

const USUAL_PORT = 8080;

/** The origin in documents: the configured one, else that of this machine, never that of a request. */
export const originOf = ({ publicBaseUrl, port }: Config): string =>
  publicBaseUrl ?? `http://127.0.0.1:${port || USUAL_PORT}`;

export const operationPath = ({ name }: Operation): string => `/docs/operations/${name}`;
