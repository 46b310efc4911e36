/**
 * The HTTP server of the console, on 127.0.0.1 only. The key stays in this process. The address has a secret, so that
 * other users of this machine cannot act, and no page elsewhere can know it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConsoleOptions, RunningConsole } from '../client/commands/console.ts';
import { ForumError } from '../client/errors.ts';
import { failureOf } from '../client/failure.ts';
import { PAGE_HEADERS } from '../web/headers.ts';
import { Title } from '../web/view/parts.tsx';
import { type ConsoleAssets, loadConsoleAssets } from './assets.ts';
import { documentOf } from './layout.tsx';
import { find, reports, target } from './reports.tsx';
import type { Screen, View } from './screen.ts';
import { bulk, decisions, feedback, meter, moderators, sweeps } from './screens.tsx';
import { Session } from './session.ts';

const HOST = '127.0.0.1';
const TOKEN_BYTES = 18;
const MAX_FORM_BYTES = 1_048_576;

const SCREENS: Readonly<Record<string, Screen>> = {
  reports,
  feedback,
  bulk,
  moderators,
  meter,
  sweeps,
  decisions,
  target,
  find,
};

const HEADERS = {
  ...PAGE_HEADERS,
  // With `no-referrer`, browsers send `Origin: null` with forms. Other origins get no referrer either way.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly text: string;
  readonly location?: string;
}

/** Throws ForumError `forbidden` unless the key belongs to the operator or a moderator. */
export async function startConsole({ client, forum, port }: ConsoleOptions): Promise<RunningConsole> {
  const session = await Session.open(client, forum);
  const assets = await loadConsoleAssets();
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  let origin = '';
  const server = createServer((request, response) => {
    answer({ session, assets, token, origin }, request)
      .catch((error: unknown): Answer => ({ status: statusOf(error), text: `${problemOf(error)}\n` }))
      .then((answered) => send(response, answered))
      .catch(() => response.destroy());
  });
  await once(server.listen(port, HOST), 'listening');
  origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/${token}/`,
    role: session.isOperator ? 'operator' : 'moderator',
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function send(response: ServerResponse, { status, type = 'text/plain; charset=utf-8', text, location }: Answer): void {
  response.writeHead(status, { ...HEADERS, 'content-type': type, ...(location === undefined ? {} : { location }) });
  response.end(text);
}

interface Place {
  readonly session: Session;
  readonly assets: ConsoleAssets;
  readonly token: string;
  readonly origin: string;
}

async function answer({ session, assets, token, origin }: Place, request: IncomingMessage): Promise<Answer> {
  const { method = '', url = '', headers } = request;
  const isPost = method === 'POST';
  // A foreign page can give its own name this address, or send a form here. Its `Host` or `Origin` shows it.
  const isOwn = `http://${headers.host}` === origin && (headers.origin === origin || (!isPost && !headers.origin));
  if (!isOwn) return { status: 403, text: 'Open the address that forum operator serve printed.\n' };
  const notFound = { status: 404, text: 'Not found. Open the address that forum operator serve printed.\n' };
  const { pathname, searchParams } = new URL(url, origin);
  const [, given = '', name = '', ...rest] = pathname.split('/');
  if (!isEqual(given, token) || rest.length > 0) return notFound;
  if (name === '') return { status: 303, text: '', location: `/${token}/reports` };
  if (Object.hasOwn(assets, name)) return { status: 200, ...assets[name]! };
  const screen = Object.hasOwn(SCREENS, name) ? SCREENS[name]! : undefined;
  await session.refresh();
  if (!screen?.isFor(session)) return notFound;
  if (!isPost) return page(session, name, screen, searchParams);
  if (screen.submit === undefined) return { status: 405, text: 'This page has no form.\n' };
  const form = await formOf(request);
  if (form === undefined) return { status: 413, text: 'The form is too large.\n' };
  try {
    return { status: 303, text: '', location: await screen.submit(session, form) };
  } catch (error) {
    return page(session, name, screen, form, error);
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isEqual = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

async function formOf(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_FORM_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

async function page(
  session: Session,
  name: string,
  screen: Screen,
  input: URLSearchParams,
  failure?: unknown,
): Promise<Answer> {
  let error = failure;
  const view = await screen.show(session, input).catch((problem: unknown): View => {
    error ??= problem;
    return { title: 'Problem', main: Title({ children: 'This page cannot be shown' }) };
  });
  const sections = Object.entries(SCREENS).flatMap(([each, { section, isFor }]) =>
    section !== undefined && isFor(session) ? [[each, section] as const] : [],
  );
  const text = documentOf(view, {
    session,
    sections,
    section: screen.within ?? name,
    done: session.decisions[Number(input.get('done')) - 1],
    problem: error === undefined ? undefined : problemOf(error),
  });
  return { status: error === undefined ? 200 : statusOf(error), type: 'text/html; charset=utf-8', text };
}

const statusOf = (error: unknown): number => (error instanceof ForumError ? error.status : 400);

/** The sentence of the command line, which says after a lost response how to find out what happened. */
function problemOf(error: unknown): string {
  const command = {
    name: 'operator serve',
    summary: '',
    examples: ['', ''],
    positionals: [],
    options: {},
    writes: true,
  } as const;
  const { report } = failureOf(error, { ...command, run: async () => undefined });
  const { error: token, message = token, hint } = report;
  return hint === undefined ? message : `${message}: ${hint}`;
}
