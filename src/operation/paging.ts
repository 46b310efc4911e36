import type BaseJoi from 'joi';
import type { CursorPosition } from '../platform/codec/cursor.ts';
import type { Order } from '../platform/postgres/postgres.ts';
import { invalid } from './errors.ts';
import type { Context } from './operation.ts';
import { Joi } from './schemas.ts';
import { listOf, named, nameOf, object, omittable, oneOf, type Shape, type Static } from './shape.ts';

const MAX_CURSOR_LENGTH = 512;

export const pageInput = (max = 20, byDefault = 20, cursorName?: string) => ({
  limit: pageLimit(max).default(byDefault).optional(),
  cursor: cursorInput(cursorName),
});

export const pageLimit = (max: number) => Joi.number().integer().min(1).max(max).description('Page size.');

export const cursorInput = (name = 'nextCursor') =>
  omittable(Joi.string().max(MAX_CURSOR_LENGTH))
    .description(`The ${name} of the previous page.`)
    .meta({ brief: `A page's ${name}.` });

export const orderInput = () =>
  oneOf('oldest', 'newest').default('oldest').optional().description('Sort order by time.') as Shape<Order>;

/** The scope of a cursor includes the order of its list (docs/reading). */
export const inOrder = (scope: readonly unknown[], order: Order = 'oldest'): readonly unknown[] =>
  order === 'oldest' ? scope : [...scope, order];

export const cursorOutput = () =>
  omittable(Joi.string()).description('Cursor of the next page. Absent on the last page.');

/** For callers that follow the end of a list (docs/reading#cursors). */
export const resumeOutput = () =>
  Joi.string().description('Pass it as `cursor` later to get the items added after this page.');

const PAGE_INPUT = object(pageInput());
export type PageInput = Static<typeof PAGE_INPUT>;
export type OrderedPageInput = PageInput & { readonly order: Order };

export const pageOutput = <S extends BaseJoi.Schema>(item: S) => ({
  items: listOf(item).description('The items of this page.'),
  nextCursor: cursorOutput(),
});

export const page = <S extends BaseJoi.Schema>(item: S) => {
  const name = nameOf(item);
  const schema = object(pageOutput(item));
  return name === undefined ? schema : named(`${name}Page`, 'One page of a list.', schema);
};
export type Page<Item> = Static<ReturnType<typeof page<Shape<Item>>>>;

/** Reads a page by keyset; `fetch` gets one row more. Cursors are bound to their scope (docs/reading#cursors). */
export async function readPage<Row>(
  ctx: Context,
  input: PageInput & { readonly order?: Order },
  filters: readonly unknown[],
  fetch: (position: CursorPosition | null, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => CursorPosition,
): Promise<{ rows: Row[]; nextCursor?: string }> {
  const scope = inOrder(filters, input.order);
  const position = openCursor(ctx, scope, input.cursor);
  const rows = await fetch(position, input.limit + 1);
  if (rows.length <= input.limit) return { rows };
  const shown = rows.slice(0, input.limit);
  return { rows: shown, nextCursor: ctx.cursors.seal(scope, positionOf(shown.at(-1)!)) };
}

export interface TargetPosition {
  readonly at: Date;
  readonly targetId: string;
}

/** Later than all targets, so that the first page needs no statement of its own. */
const BEYOND_ALL_TARGETS: TargetPosition = { at: new Date('9999-12-31T00:00:00Z'), targetId: '' };

/** Reads a page of a list of targets, the latest first. */
export function readTargets<Row>(
  ctx: Context,
  input: PageInput,
  filters: readonly unknown[],
  fetch: (before: TargetPosition, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => TargetPosition,
) {
  const fetchBefore = (position: CursorPosition | null, limit: number) =>
    fetch(position ? { at: new Date(position.at!), targetId: String(position.targetId) } : BEYOND_ALL_TARGETS, limit);
  const sealed = ({ at, targetId }: TargetPosition) => ({ at: at.getTime(), targetId });
  return readPage(ctx, input, filters, fetchBefore, (row) => sealed(positionOf(row)));
}

export function openCursor(ctx: Context, scope: readonly unknown[], cursor: string | undefined): CursorPosition | null {
  if (cursor === undefined) return null;
  const position = ctx.cursors.open(scope, cursor);
  if (!position) throw invalid('cursor');
  return position;
}
