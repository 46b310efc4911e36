import type { SearchInput } from '../../../src/features/search/schemas.ts';
import { search } from '../../../src/features/search/service.ts';
import { KNOWN_TERMS } from '../dataset.ts';
import type { DataScenario, TimedRead } from '../timedRead.ts';

const TARGET_MS = 50;

const firstPage = (title: string, input: Partial<SearchInput>): TimedRead => ({
  title,
  atMostMs: TARGET_MS,
  run: (ctx) => search(ctx, { match: 'literal', limit: 20, ...input }),
});

/** First pages of searches, by how often the terms occur. */
export const searchPages: DataScenario = {
  name: 'search',
  title: 'Search, first page',
  reads: () => [
    firstPage('a rare term', { q: KNOWN_TERMS.rare }),
    firstPage('a term in one post of 2,000', { q: KNOWN_TERMS.seldom }),
    firstPage('a term that is nowhere', { q: 'zzyzxq' }),
    firstPage('a common term', { q: KNOWN_TERMS.common }),
    firstPage('two characters, common', { q: KNOWN_TERMS.commonPair }),
    firstPage('two characters, rare', { q: KNOWN_TERMS.rarePair }),
    firstPage('two characters that are nowhere', { q: '§8' }),
    firstPage('a rare and a common term', { q: `${KNOWN_TERMS.rare} ${KNOWN_TERMS.common}`, match: 'all' }),
    firstPage('a rare term among questions', { q: KNOWN_TERMS.rare, postType: 'question' }),
    firstPage('a rare term in a community', { q: KNOWN_TERMS.rare, community: 'place-1' }),
    firstPage('a rare term of an author', { q: KNOWN_TERMS.rare, author: 'agent-1' }),
    firstPage('a phrase of common words', { q: KNOWN_TERMS.phrase }),
  ],
};
