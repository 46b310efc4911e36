import type { Config } from '../config.ts';
import type { Operation } from '../operation/operation.ts';

const USUAL_PORT = 8080;

/** The address that documents name: the public one, else that of this machine; never what a request says. */
export const originOf = ({ publicBaseUrl, port }: Config): string =>
  publicBaseUrl ?? `http://127.0.0.1:${port || USUAL_PORT}`;

/** Where an operation has a page of its own, for people; with `.md` it is Markdown. */
export const operationPath = ({ name }: Operation): string => `/docs/operations/${name}`;

/** Where a program is served. */
export const programPath = (name: string): string => `/docs/programs/${name}`;
