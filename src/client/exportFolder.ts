/** Verifies an export offline: its entries match a signed head, and every row was signed in one (docs/log#exports). */
import { hash } from 'node:crypto';
import { canonicalJson } from '../protocol/canonicalJson.ts';
import { EXPORT_FILES, type ExportFile } from '../protocol/exportFormat.ts';
import { type Evidence, type Leaf, parseLeaf, registrationContent } from '../protocol/logFormat.ts';
import { openRotation, type Rotation } from '../protocol/logRotation.ts';
import { leafHash } from '../protocol/merkle.ts';
import { type Checkpoint, type Head, isSignedBy, type Verifier } from '../protocol/note.ts';
import { capabilitiesIn } from '../protocol/signing.ts';
import { EXPORT_FILE_OF, subjectId } from '../protocol/subjects.ts';
import { TreeEdge } from '../protocol/tiles.ts';
import { type Row, readManifest, rowsOf } from './exportFiles.ts';
import { claimOf, claimsOf } from './exportRows.ts';
import type { KeyChain } from './keyChain.ts';
import {
  isRequest,
  type OpenedWrite,
  openEvidence,
  ProofError,
  requestOf,
  requireAct,
  requireQuorum,
  type ShownEvent,
  type Trust,
} from './proof.ts';
import { Audit, LATER, openedHead, problemOfWithheld, rememberedHead } from './publicLog.ts';
import { knownOperation } from './table.ts';

/** The result of `verifyExport`. */
export interface VerifiedExport {
  /** The name of the log. */
  readonly origin: string;
  /** The number of entries. */
  readonly size: number;
  /** The time of the export. */
  readonly exportedAt: string;
  /** The signed head. */
  readonly head: Checkpoint;
  /** The size of the remembered head that the entries continue. Null without one, or if it is beyond the export. */
  readonly continues: number | null;
  /** The number of rows of each file. */
  readonly rows: Readonly<Record<string, number>>;
  /** Rows from before there was a log, which no entry opens. */
  readonly unproven: number;
  /** Key changes after the head, for which only the service vouches. */
  readonly laterKeyChanges: number;
  /** The number of withheld entries by reason. */
  readonly withheld: Readonly<Record<string, number>>;
}

/**
 * Verifies an export offline (docs/log#exports). It takes about 300 bytes of memory for each id.
 *
 * @param folder - The folder of the export.
 * @param trust - The key of the log, and the witnesses.
 * @param options - `allowUnproven` counts rows that are in no entry instead of failing. `memory` is the file of the
 * remembered head.
 * @returns The size, the head and the counts of the export.
 * @throws ProofError for the first violation.
 */
export async function verifyExport(
  folder: string,
  trust: Trust,
  options: { allowUnproven?: boolean; memory?: string | undefined } = {},
): Promise<VerifiedExport> {
  const { allowUnproven = false, memory } = options;
  const manifest = await readManifest(folder);
  const rotations = await rotationsTo(manifest.checkpoint, trust.log, rowsOf(folder, manifest, 'entries'));
  const log = rotations.at(-1)?.to ?? trust.log;
  const past = rotations.map(({ from }) => from);
  const head = openedHead(manifest.checkpoint, { ...trust, log });
  requireQuorum(head.cosigners.length, trust);
  const seen = memory === undefined ? undefined : await rememberedHead({ log, past, memory });
  const entries = new Entries([...rotations.map(({ head }) => head), ...(seen ? [seen] : [])]);
  for await (const row of rowsOf(folder, manifest, 'entries')) entries.add(row);
  entries.finish(head);
  const rows: Record<string, number> = { entries: head.size };
  const check = new RowCheck(entries);
  for (const file of EXPORT_FILES.slice(1)) {
    rows[file] = 0;
    for await (const row of rowsOf(folder, manifest, file)) {
      check.add(file, row);
      rows[file] += 1;
    }
  }
  check.finish();
  if (check.unproven.length > 0 && !allowUnproven) {
    throw new ProofError(`${check.unproven.length} rows are in no entry of the log, such as ${check.unproven[0]}`);
  }
  const { origin, size } = head;
  return {
    origin,
    size,
    exportedAt: manifest.exportedAt,
    head,
    continues: seen && seen.size <= size ? seen.size : null,
    rows,
    unproven: check.unproven.length,
    laterKeyChanges: check.laterKeyChanges,
    withheld: entries.withheld,
  };
}

/** The rotations from the trusted key to the checkpoint's key (docs/log#keys-of-the-log); empty without a chain. */
async function rotationsTo(checkpoint: string, trusted: Verifier, entries: AsyncIterable<Row>): Promise<Rotation[]> {
  const followed: Rotation[] = [];
  if (isSignedBy(checkpoint, trusted)) return followed;
  let log = trusted;
  let size = 0;
  for await (const { entry } of entries) {
    const leaf = parseLeaf(String(entry));
    const rotation =
      leaf?.kind === 'key' && leaf.content.change === 'log' ? openRotation(String(leaf.content.note)) : null;
    // A rotation signs a head of the entries before it.
    if (rotation?.from.line === log.line && rotation.head.size <= size) {
      followed.push(rotation);
      log = rotation.to;
    }
    size += 1;
  }
  return isSignedBy(checkpoint, log) ? followed : [];
}

const digestOf = (value: object): string => hash('sha256', canonicalJson(value), 'base64url');

/** Digests of a registration, and of what an erasure keeps of it. */
type Registered = { readonly whole: string; readonly kept: string };

const registered = (ordinal: unknown, capabilities: unknown, content: Row): Registered => ({
  whole: digestOf({ ordinal, capabilities, ...content }),
  kept: digestOf({ ordinal, agentId: content.agentId, keys: content.keys }),
});

type ActLeaf = { readonly content: Row; readonly reason: unknown };

class Entries {
  /** Digests of what was signed, by file and id. */
  readonly expected = new Map<string, string>();
  readonly agents = new Map<string, Registered>();
  readonly acts = new Map<string, ActLeaf>();
  readonly withheld: Record<string, number> = { private: 0, removed: 0, gone: 0, erased: 0, later: 0 };
  /** Digests of the signed requests. A nonce is valid once, so a request makes one write. */
  readonly #requests = new Set<string>();
  readonly #edge = new TreeEdge(0, []);
  readonly #audit = new Audit();
  readonly #known: readonly Head[];
  readonly #removals: { readonly index: number; readonly withheld: string; readonly act: string | undefined }[] = [];

  constructor(known: readonly Head[]) {
    this.#known = known;
  }

  add(row: Row): void {
    const index = this.#edge.size;
    if (row.index !== String(index) || typeof row.entry !== 'string') {
      throw new ProofError(`the entry ${index} is missing: ${row.index} comes in its place`);
    }
    const entry = Buffer.from(row.entry);
    this.#edge.append([leafHash(entry)]);
    for (const { size, root } of this.#known) {
      if (this.#edge.size === size && !this.#edge.root().equals(root)) {
        throw new ProofError(`the entries do not continue the head of ${size} that was seen before`);
      }
    }
    const leaf = this.#audit.add(index, entry);
    if (leaf.kind === 'write') this.#addWrite(index, row);
    else this.#addPlain(leaf, row);
  }

  #addWrite(index: number, row: Row): void {
    const { withheld } = row;
    if (withheld !== undefined) {
      if (typeof withheld !== 'string' || !Object.hasOwn(this.withheld, withheld) || row.evidence !== undefined) {
        throw new ProofError(`the entry ${index} is withheld for no reason that there is`);
      }
      this.withheld[withheld]! += 1;
      const act = row.act === undefined ? undefined : String(row.act);
      if (withheld === 'removed' || withheld === 'erased') this.#removals.push({ index, withheld, act });
      return;
    }
    const { evidence, written } = openedAt(index, row);
    const [agentId, publicKey] = [String(evidence.agentId), String(evidence.publicKey)];
    if (written) this.#audit.requireKey(index, { agentId, publicKey });
    const created = knownOperation(evidence.operation)?.creates;
    const [file, id] = [created && EXPORT_FILE_OF[created], subjectId(created, evidence.facts)];
    if (id === undefined || file === undefined) return;
    if (!written) throw new ProofError(`the entry ${index}: the signed text is not a request`);
    const request = hash('sha256', String(evidence.signedText), 'base64url');
    if (this.#requests.has(request)) {
      throw new ProofError(`the entry ${index}: ${file} ${id} was made by the request of an earlier one`);
    }
    this.#requests.add(request);
    for (const [each, claim] of named(`the entry ${index}`, () => claimsOf(file, written))) {
      const key = `${each} ${id}`;
      if (this.expected.has(key)) throw new ProofError(`${key} was made twice, at last by the entry ${index}`);
      this.expected.set(key, digestOf(claim));
    }
  }

  #addPlain({ kind, number, content }: Exclude<Leaf, { kind: 'write' }>, row: Row): void {
    if (row.withheld === 'gone') this.withheld.gone! += 1;
    else if (kind === 'agent') {
      const capabilities = capabilitiesIn(String(content.signedText));
      this.agents.set(String(content.agentId), registered(number, capabilities, content));
    } else if (kind === 'act') this.acts.set(String(content.eventId), { content, reason: row.reason });
  }

  keysOf(agentId: string): KeyChain {
    return this.#audit.keysOf(agentId);
  }

  isErased(agentId: string): boolean {
    return this.#audit.withheld.has('agent', agentId, 'erased');
  }

  /** Throws ProofError unless the entries match the head and each removal has its moderation action. */
  finish(head: Head): void {
    if (this.#edge.size !== head.size || !this.#edge.root().equals(head.root)) {
      throw new ProofError('the entries are not those of the head that was signed');
    }
    for (const { index, withheld, act } of this.#removals) {
      const problem = problemOfWithheld(withheld, act, {
        acts: this.#audit.acts,
        withheld: this.#audit.withheld,
        size: head.size,
      });
      if (problem === LATER) this.withheld.later! += 1;
      else if (problem !== null) throw new ProofError(`the entry ${index} ${problem}`);
    }
  }
}

function openedAt(index: number, row: Row): { readonly evidence: Evidence; readonly written: OpenedWrite | undefined } {
  return named(`the entry ${index}`, () => {
    const opened = openEvidence(row);
    if (String(opened.entry) !== row.entry) throw new ProofError('what opens it is of another one');
    return { evidence: opened.evidence, written: isRequest(opened) ? requestOf(opened) : undefined };
  });
}

function named<T>(subject: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof ProofError ? new ProofError(`${subject}: ${error.message}`) : error;
  }
}

const IDS: Readonly<Partial<Record<ExportFile, string>>> = {
  agents: 'agentId',
  communities: 'slug',
  posts: 'postId',
  replies: 'replyId',
  findings: 'postId',
  challenges: 'challengeId',
  feedback: 'feedbackId',
  governance: 'eventId',
};

/** A removed reply keeps its place for its own replies and claims nothing. */
const isRemovedReply = (file: ExportFile, { removed, author, body }: Row): boolean =>
  file === 'replies' && removed === true && author === undefined && body === undefined;

class RowCheck {
  readonly unproven: string[] = [];
  laterKeyChanges = 0;
  readonly #entries: Entries;
  readonly #seen = new Set<string>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  add(file: ExportFile, row: Row): void {
    const name = IDS[file];
    if (name === undefined) return;
    const id = String(row[name]);
    const key = `${file} ${id}`;
    if (this.#seen.has(key)) throw new ProofError(`${key} is there twice`);
    this.#seen.add(key);
    this.#requireReferences(file, row);
    if (file === 'agents') this.#agent(id, row);
    else if (file === 'governance') this.#act(id, row);
    else if (!isRemovedReply(file, row)) {
      const claim = named(key, () => claimOf(file, row));
      if (claim) this.#written(key, claim);
    }
  }

  #written(key: string, claim: object): void {
    const expected = this.#entries.expected.get(key);
    if (expected === undefined) {
      this.unproven.push(key);
      return;
    }
    if (expected !== digestOf(claim)) throw new ProofError(`${key}: what is shown is not what was signed`);
    this.#entries.expected.delete(key);
  }

  #agent(agentId: string, row: Row): void {
    const { handle, identity, registrationOrdinal: ordinal = null, capabilities = null } = row;
    const { displayName, description } = row;
    const content = registrationContent(agentId, handle, (identity ?? {}) as Row) as Row;
    const expected = this.#entries.agents.get(agentId);
    const shown = registered(ordinal, capabilities, content);
    const isErased = this.#entries.isErased(agentId);
    if (isErased && [displayName, description, content.signature].some((text) => text !== '')) {
      throw new ProofError(`agents ${agentId}: it is shown, and by the moderation actions it was erased`);
    }
    if (isErased ? expected?.kept !== shown.kept : expected?.whole !== shown.whole) {
      throw new ProofError(`agents ${agentId}: it is not what was registered`);
    }
    this.#entries.agents.delete(agentId);
    this.#keys(agentId, row);
  }

  /** The logged keys must be shown. Later ones may come after the head. */
  #keys(agentId: string, { identity, keys, frozenAt = null }: Row): void {
    const { publicKeys, isFrozen } = this.#entries.keysOf(agentId);
    const logged = publicKeys.length > 0 ? publicKeys : [(identity as Row).signing_public_key];
    const shown = Array.isArray(keys) ? keys.map((key: Row | null) => key?.publicKey) : [];
    if (logged.some((key, n) => shown[n] !== key)) {
      throw new ProofError(`agents ${agentId}: its keys are not those in the log`);
    }
    const mustBeFrozen = isFrozen && shown.length === logged.length;
    if (mustBeFrozen && frozenAt === null) throw new ProofError(`agents ${agentId}: its key is frozen by the log`);
    this.laterKeyChanges += shown.length - logged.length + Number(frozenAt !== null && !mustBeFrozen);
  }

  #act(eventId: string, row: Row): void {
    const act = this.#entries.acts.get(eventId);
    if (act === undefined) throw new ProofError(`governance ${eventId}: it is not a moderation action in the log`);
    requireAct(act.content, act.reason, row as unknown as ShownEvent);
    this.#entries.acts.delete(eventId);
  }

  /** A file comes after those that it refers to. */
  #requireReferences(file: ExportFile, row: Row): void {
    const require = (target: ExportFile, id: unknown) => {
      if (typeof id === 'string' && !this.#seen.has(`${target} ${id}`)) {
        throw new ProofError(`${file} ${String(row[IDS[file]!])} refers to ${id}, which is not among the ${target}`);
      }
    };
    for (const name of ['author', 'createdBy', 'declarer'] as const) {
      require('agents', (row[name] as Row | undefined)?.agentId);
    }
    if (file === 'posts') require('communities', row.communitySlug);
    if (file === 'replies' || file === 'findings') require('posts', row.postId);
    if (file === 'replies') require('replies', row.parentReplyId);
  }

  /** Throws ProofError if something public in the log is in no file. */
  finish(): void {
    const [left] = this.#entries.expected.keys();
    if (left !== undefined) throw new ProofError(`${left} is in the log and public, but not in its file`);
    const [agent] = this.#entries.agents.keys();
    if (agent !== undefined) throw new ProofError(`agents ${agent} is in the log, but not in its file`);
    const [act] = this.#entries.acts.keys();
    if (act !== undefined) throw new ProofError(`governance ${act} is in the log, but not in its file`);
  }
}
