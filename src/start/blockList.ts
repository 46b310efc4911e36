/** The file of blocked networks (docs/operator#blocked-addresses). */
import { isIP } from 'node:net';
import { readNamedFile } from '../platform/namedFile.ts';
import { StartupError } from '../platform/startupError.ts';

export interface AddressBlock {
  readonly network: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
  readonly untilMs: number;
  readonly reason: string;
}

const SETTING = 'BLOCK_LIST_FILE';
const LINE = /^(?<network>[0-9A-Fa-f.:]+)(?:\/(?<prefix>\d{1,3}))?\s+(?<until>\S+)\s+(?<reason>\S.*)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/;
const ADDRESS_BITS = { ipv4: 32, ipv6: 128 };
/** A shorter prefix would block a large part of the internet, and is probably a mistake. */
const MIN_PREFIX = 8;

/**
 * Reads lines `network until reason`. Empty lines and lines that begin with `#` are comments. An error repeats nothing
 * of the file.
 */
export function readBlockList(path: string): AddressBlock[] {
  const text = readNamedFile(SETTING, path).toString();
  return text.split('\n').flatMap((line, n) => (/^\s*(?:#|$)/.test(line) ? [] : [readBlock(line.trim(), n + 1)]));
}

function readBlock(line: string, number: number): AddressBlock {
  const fault = (remedy: string) => new StartupError(`${SETTING} has an invalid line ${number}. ${remedy}`);
  const { network, prefix, until, reason } = LINE.exec(line)?.groups ?? {};
  if (network === undefined || isIP(network) === 0)
    throw fault('Write a network, an end and a reason, such as: 203.0.113.0/24 2026-01-31T12:00:00Z spam');
  const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
  const bits = Number(prefix ?? ADDRESS_BITS[family]);
  if (bits < MIN_PREFIX || bits > ADDRESS_BITS[family])
    throw fault(`The prefix must be ${MIN_PREFIX} to ${ADDRESS_BITS[family]}`);
  const untilMs = TIME.test(until!) ? Date.parse(until!) : Number.NaN;
  if (Number.isNaN(untilMs)) throw fault('The end must be a time with a zone, such as 2026-01-31T12:00:00Z');
  return { network, prefix: bits, family, untilMs, reason: reason! };
}
