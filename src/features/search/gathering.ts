import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import type { PostType } from '../posts/schemas.ts';
import { eachGram, factGrams } from './grams.ts';
import { BlockPostings, type IndexSizes } from './postings.ts';

/** Posts whose texts are read at a time: as long as they may be, they are a few megabytes. */
const READ_POSTS = 128;
/** UTF-16 units of texts that are gone through without a pause. */
const UNITS_AT_ONCE = 100_000;

const TEXTS = sql(
  'search.texts',
  `SELECT (wanted.number - 1)::integer AS place, p.title, p.body, p.author_id, p.community_slug, p.post_type
   FROM unnest($1::text[]) WITH ORDINALITY AS wanted (post_id, number) JOIN posts p ON p.post_id = wanted.post_id
   ORDER BY wanted.number`,
);

interface Text {
  /** Among those that were wanted. */
  readonly place: number;
  readonly title: string;
  readonly body: string;
  readonly author_id: string;
  readonly community_slug: string | null;
  readonly post_type: PostType;
}

/** The postings of the first `count` of some posts: of as many as a block has room for, and of one however long it is. */
export async function gatherBlock(
  db: Db,
  postIds: readonly string[],
  { blockGrams }: IndexSizes,
): Promise<{ count: number; postings: BlockPostings }> {
  const postings = new BlockPostings();
  let units = 0;
  for (let from = 0; from < postIds.length; from += READ_POSTS) {
    for (const text of await db.query<Text>(TEXTS, [postIds.slice(from, from + READ_POSTS)])) {
      const place = from + text.place;
      addText(postings, text, place);
      if (postings.isFull(blockGrams)) return { count: place + 1, postings };
      units += text.title.length + text.body.length;
      if (units < UNITS_AT_ONCE) continue;
      await letOthersRun();
      units = 0;
    }
  }
  return { count: postIds.length, postings };
}

function addText(postings: BlockPostings, text: Text, place: number): void {
  const add = (gram: number) => postings.add(gram, place);
  eachGram(text.title, add);
  eachGram(text.body, add);
  const { author_id: authorId, community_slug: communitySlug, post_type: postType } = text;
  for (const gram of factGrams({ authorId, communitySlug, postType })) add(gram);
}
