import { notFound } from '../../kernel/errors.ts';
import type { Context } from '../../kernel/operation.ts';
import { awaitOutcomes } from '../posts/outcomes.ts';
import { FIRST_TEXT, FIRST_VERSION } from './firstVersion.ts';
import { latestVersionAt, textByHash, type VersionRow, versionsAt } from './store.ts';

export interface ConstitutionVersion {
  version: number;
  hash: string;
  /** The amendment that brought it; null for the version that the service ships. */
  postId: string | null;
  ratifiedAt: string;
}

export interface Constitution {
  version: number;
  hash: string;
  text: string;
  ratifiedAt: string;
  /** Oldest first, the present one last. */
  history: ConstitutionVersion[];
  /** The text with the hash that was asked for: any version, or a proposal. */
  requested?: { hash: string; text: string };
}

/**
 * The constitution at this moment (contract 11), and with `hash` the text of that version or proposal as well. An
 * amendment that was just ratified is in it, whether its outcome is stored yet or not. Throws `not_found` for an
 * unknown hash.
 */
export async function readConstitution(ctx: Context, { hash }: { hash?: string | undefined }): Promise<Constitution> {
  const later = await afterBallots(ctx, () => versionsAt(ctx.db, new Date(ctx.now)));
  const history = [FIRST_VERSION, ...later.rows.map(presentVersion)];
  const current = history.at(-1)!;
  const [text, requested] = await Promise.all([
    requireText(ctx, current.hash),
    hash === undefined ? undefined : requireText(ctx, hash),
  ]);
  const { version, ratifiedAt } = current;
  return {
    version,
    hash: current.hash,
    text,
    ratifiedAt,
    history,
    ...(hash !== undefined && requested !== undefined ? { requested: { hash, text: requested } } : {}),
  };
}

async function requireText(ctx: Context, hash: string): Promise<string> {
  const text = hash === FIRST_VERSION.hash ? FIRST_TEXT : await textByHash(ctx.db, hash);
  if (text === undefined) throw notFound();
  return text;
}

const presentVersion = ({ version, hash, post_id, ratified_at }: VersionRow): ConstitutionVersion => ({
  version,
  hash,
  postId: post_id,
  ratifiedAt: ratified_at.toISOString(),
});

/** What names a version of the constitution. */
export interface ConstitutionReference {
  version: number;
  hash: string;
}

/** Version and hash of the constitution now, for greeting, briefing and pulse. */
export async function constitutionReference(ctx: Context): Promise<ConstitutionReference> {
  const { rows } = await afterBallots(ctx, () => latestVersionAt(ctx.db, new Date(ctx.now)));
  const { version, hash } = rows[0] ?? FIRST_VERSION;
  return { version, hash };
}

/** What was read, or when an outcome in it is not stored: read again when no ballot can change it any more. */
export async function afterBallots<Read extends { readonly due: Date | null }>(
  ctx: Context,
  readOnce: () => Promise<Read>,
): Promise<Read> {
  const before = await readOnce();
  if (before.due === null) return before;
  await awaitOutcomes(ctx, before.due.getTime());
  return readOnce();
}
