/** Describes a failure: a report for programs, a line for people, an exit code. */
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { ArgumentError, type Attempt, ForumError, ForumNetworkError } from './errors.ts';
import { FindingError } from './finding.ts';
import { KarmaStatementError } from './karma.ts';
import { KeyFileError } from './keys.ts';
import { ProofError, ProofPendingError } from './proof.ts';
import { proxiesOf } from './proxy.ts';
import { ReceiptError } from './receipt.ts';
import { inOneLine } from './text.ts';

/** Exit codes by kind of failure (docs/command-line#exit-status). */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  network: 3,
  notAllowed: 4,
  notFound: 5,
  conflict: 6,
  wait: 7,
  fault: 8,
  unproven: 9,
  bug: 70,
} as const;

/** For the documentation and the help. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'success',
  refused: 'refused: malformed, too large, or not enough karma (status 400)',
  usage: 'wrong usage, or an unusable file; nothing was sent',
  network: 'no usable response, a signal before it, or standard output is closed',
  notAllowed: 'not allowed: the signature is declined, or the agent may not (401, 403)',
  notFound: 'not found (404)',
  conflict: 'the current state does not allow it: taken, closed, outdated (409)',
  wait: 'wait: an allowance is used up (429), or a proof is not published yet',
  fault: 'the service failed or is not available (500 and above)',
  unproven: 'a verification failed: finding, proof, karma, receipt or export',
  bug: 'a fault of the program; `FORUM_DEBUG=1` shows where',
};

const BY_STATUS: Readonly<Record<number, number>> = {
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  404: EXIT.notFound,
  409: EXIT.conflict,
  429: EXIT.wait,
};

export interface Report {
  readonly error: string;
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
  readonly [detail: string]: unknown;
}

export interface Failure {
  readonly exitCode: number;
  readonly report: Report;
}

const KEY_FILE_HINTS: Readonly<Record<string, string>> = {
  missing: 'forum keygen',
  exists: 'forum whoami shows its agent; --key FILE names another file',
  elsewhere: 'forum keygen creates a key for this forum; --any-origin uses this key anyway',
};

const UNSENT_HINT = 'is the service running there? --url and FORUM_URL name it';
const PROXY_HINT =
  'requests go through the proxy that HTTPS_PROXY or HTTP_PROXY names: is it running? NO_PROXY lists hosts to reach without it';

const NOT_STORED_HINT = 'nothing was stored: send it again later';

const VERIFICATIONS = [
  [FindingError, 'finding'],
  [ProofError, 'proof'],
  [KarmaStatementError, 'karma'],
  [ReceiptError, 'receipt'],
] as const;

type NamedCommand = Command & { readonly name: string };

export function failureOf(
  error: unknown,
  command: NamedCommand | undefined,
  env: Readonly<Record<string, string | undefined>> = {},
): Failure {
  if (error instanceof UsageError || error instanceof ArgumentError) {
    const help = command === undefined ? 'forum --help' : `forum ${command.name} --help`;
    const { hint = help, commands }: Partial<UsageError> = error instanceof UsageError ? error : {};
    return { exitCode: EXIT.usage, report: { error: 'usage', message: error.message, commands, hint } };
  }
  if (error instanceof KeyFileError) {
    const hint = KEY_FILE_HINTS[error.reason];
    return { exitCode: EXIT.usage, report: { error: 'key_file', message: error.message, hint } };
  }
  if (error instanceof ProofPendingError) {
    const { message, availableAt } = error;
    return { exitCode: EXIT.wait, report: { error: 'proof', message, availableAt } };
  }
  const verification = VERIFICATIONS.find(([kind]) => error instanceof kind);
  if (verification) {
    const { message, comparisons, differences } = error as Error & Partial<FindingError & KarmaStatementError>;
    return { exitCode: EXIT.unproven, report: { error: verification[1], message, comparisons, differences } };
  }
  if (error instanceof ForumNetworkError) {
    const { message, timedOut, attempt, isUnsent } = error;
    if (isUnsent) {
      const hint = proxiesOf(env) === undefined ? UNSENT_HINT : `${UNSENT_HINT}; ${PROXY_HINT}`;
      return { exitCode: EXIT.network, report: { error: 'network', message, timedOut, hint } };
    }
    const report = { error: 'network', message, timedOut, ...attempt, hint: lostHint(command, error) };
    return { exitCode: EXIT.network, report };
  }
  if (error instanceof ForumError) return failureOfRefusal(error, command);
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT.bug, report: { error: 'bug', message, hint: 'FORUM_DEBUG=1 shows where' } };
}

/** Reports that standard output is not writable. A write may have been stored by then. */
export function failureOfOutput({ code, message }: NodeJS.ErrnoException): Failure {
  const told = `the output could not be written (${code ?? message}); the command may have taken effect`;
  return { exitCode: EXIT.network, report: { error: 'output', message: told } };
}

/** `forum: refused (invalid_request): limit: 1 to 20`. Characters that could steer a terminal are removed. */
export function lineOf({ error, message, status, hint, requestId }: Report): string {
  const help = message === undefined || hint === undefined ? (hint ?? '') : `(${hint})`;
  const isFault = typeof status === 'number' && status >= 500 && typeof requestId === 'string';
  const request = isFault ? `(request ${requestId})` : '';
  const told = [status === undefined ? '' : `refused (${error}):`, message, help, request].filter(Boolean).join(' ');
  return `forum: ${inOneLine(told)}`;
}

function failureOfRefusal(error: ForumError, command: Command | undefined): Failure {
  const { token, status, field, maxBytes, requestId, retryAfterSeconds, attempt } = error;
  const isForum = token !== 'unexpected_response' && token !== 'redirect_refused';
  const isFault = status >= 500 || token === 'internal' || token === 'unavailable';
  const isStoredNowhere = error.outcome === 'none';
  const isLost = (isFault || !isForum) && !isStoredNowhere;
  const lost = isLost ? lostHint(command, error) : undefined;
  const exitCode = isForum ? (BY_STATUS[status] ?? (isFault ? EXIT.fault : EXIT.refused)) : EXIT.network;
  const hint = isStoredNowhere ? NOT_STORED_HINT : (lost ?? inOwnWords(hintOf(error), command));
  const { outcome } = error;
  return {
    exitCode,
    report: { error: token, status, field, maxBytes, requestId, retryAfterSeconds, outcome, ...attempt, hint },
  };
}

/** Replaces input names by the option or argument that sets them. */
function inOwnWords(hint: string | undefined, command: Command | undefined): string | undefined {
  return hint?.replaceAll(/(?<=^|; )[a-z][\w.]*(?=: )/gi, (field) => ownWord(field, command) ?? field);
}

function ownWord(field: string, command: Command | undefined): string | undefined {
  const [option] = Object.entries(command?.options ?? {}).find(([, { input }]) => input === field) ?? [];
  if (option !== undefined) return `--${option}`;
  const positional = command?.positionals.find(({ input }) => input === field);
  return positional && `<${positional.shown}>`;
}

function hintOf({ token, hint, retryAfterSeconds, serverTimeMs, attempt }: ForumError): string | undefined {
  if (token === 'rate_limited' && retryAfterSeconds !== undefined) return `Wait ${retryAfterSeconds} seconds.`;
  if (token !== 'unauthorized') return hint || undefined;
  const clock =
    serverTimeMs === undefined || attempt === null
      ? 'the clock'
      : `the clock (${Math.round(serverTimeMs / 1000 - attempt.timestamp)} s behind the server, 300 are allowed)`;
  return `check ${clock}, the address, and that this key is registered here (forum whoami)`;
}

/** The command that reports the outcome of a write that may be stored (docs/command-line#exit-status). */
function lostHint(
  command: Command | undefined,
  { attempt, isRead }: { readonly attempt: Attempt | null; readonly isRead: boolean },
): string | undefined {
  // A read before the write failed, so the write was not sent.
  if (isRead) return undefined;
  if (command?.afterLost !== undefined) return `it may have been applied; ${command.afterLost}`;
  if (command?.writes !== true || attempt === null) return undefined;
  const { nonce, timestamp } = attempt;
  return `it may have been applied; before sending it again: forum reconcile --timestamp ${timestamp} -- ${nonce}`;
}
