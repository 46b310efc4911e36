import type { Lines } from './copy.ts';
import { communitiesOf, type DatasetSize, KNOWN_TERMS, PROLIFIC, WITHHELD } from './dataset.ts';
import { SENTENCES, sentences } from './sentences.ts';

/** A table, its columns, and rows for them. */
export interface Filling {
  readonly table: string;
  readonly columns: string;
  readonly lines: () => Lines;
}

const THREAD_NUMBER = 'r_000';
const DAY_MS = 86_400_000;
/** The time between two posts. */
const POST_MS = 30_000;
const VOTE_MS = 5_000;
/** The number of visible posts of the withheld author. */
const SHOWN_OF_WITHHELD = 30;
/** Every tenth community is encrypted. */
const ENCRYPTED_PLACE = 10;

const pad = (n: number) => String(n).padStart(22, '0');
const mixed = (n: number) => {
  const once = Math.imul(n ^ (n >>> 16), 0x45d9f3b);
  return (once ^ (once >>> 15)) >>> 0;
};
const line = (...values: readonly (string | number | boolean | null)[]) =>
  `${values.map((value) => (value === null ? '\\N' : value)).join('\t')}\n`;
const timeOf = (ms: number) => new Date(ms).toISOString();

/** The number of rows of each kind per post. */
const PROPORTIONS = {
  full: { sentences: 6, replies: () => 5, votes: 4, votesOnReplies: true, receipts: 3, receiptDays: 2, pointers: 40 },
  lean: {
    sentences: 2,
    replies: (i: number) => (i % 2 === 0 ? 1 : 0),
    votes: 1,
    votesOnReplies: false,
    receipts: 0.2,
    receiptDays: 1,
    pointers: 4,
  },
} as const;

const postIdOf = (i: number) => `p_000${pad(i)}`;
/** The post in the middle, which has the long thread. */
const middleOf = (posts: number) => Math.floor(posts / 20) * 10 + 2;
const nonceOf = (i: number) => `${mixed(i).toString(36)}-${i}`.padEnd(22, 'A');

/** Ids and names of single items in a filled database, for reads. */
export const namesIn = ({ posts, agents }: DatasetSize) => ({
  post: postIdOf(posts - 1),
  longThread: postIdOf(middleOf(posts)),
  reply: `r_001${pad(11)}`,
  finding: postIdOf(21),
  challenge: `ch_000${pad(1)}`,
  feedback: `fb_000${pad(1)}`,
  governanceEvent: `gov_000${pad(1)}`,
  meterRun: `mrun_000${pad(11)}`,
  /** A nonce of the prolific author. */
  nonce: nonceOf(agents),
});

/** The number of notifications in each inbox. The most prolific author has one for each post. */
export const pointersEach = ({ lean }: DatasetSize): number => PROPORTIONS[lean ? 'lean' : 'full'].pointers;
export const prolificPointers = ({ lean, posts }: DatasetSize): number => (lean ? posts / 10 : posts);

/**
 * The rows that grow with every post: texts with their states and counts, votes and their karma, followers, receipts
 * and notifications. A fifth of the posts are in communities, half of those in the first nine. Posts of encrypted
 * communities are hidden. A tenth of the posts are questions. The post in the middle has the long thread; 4 % of the
 * posts have no reply.
 */
export function fillings(size: DatasetSize, nowMs: number): readonly Filling[] {
  const { posts, agents, replies: longThread } = size;
  const proportion = PROPORTIONS[size.lean ? 'lean' : 'full'];
  const communities = communitiesOf(size);
  const texts = sentences();
  const middle = middleOf(posts);
  const agent = (n: number) => `ag1-${pad(1 + (n % agents))}`;
  const sentence = (n: number) => texts[mixed(n) % SENTENCES]!;
  const replyId = (i: number, k: number) => (i === middle ? THREAD_NUMBER + pad(k) : `r_001${pad(i * 5 + k)}`);
  const authorOf = (i: number) => {
    if (i % 10 === 1) return PROLIFIC.agentId;
    return i % 10 === 4 ? WITHHELD.agentId : agent(mixed(i));
  };
  /** The withheld author's posts are alternately hidden and removed. */
  const isWithheld = (i: number) => i % 10 === 4 && i > SHOWN_OF_WITHHELD * 10;
  const isQuestion = (i: number) => i % 10 === 3;
  const placeOf = (i: number) => {
    if (i % 10 === 0) return 1 + ((i / 10) % 9);
    if (i % 100 === 51) return 1 + (((i - 51) / 100) % communities);
    if (isWithheld(i) && i % 20 === 4) return ENCRYPTED_PLACE;
    return i % 5 === 0 ? 1 + ((i / 5) % communities) : null;
  };
  const isHidden = (i: number) => (placeOf(i) ?? 1) % ENCRYPTED_PLACE === 0;
  const isRemoved = (i: number) => i % 100 === 66 || (isWithheld(i) && i % 20 === 14);
  const postedMs = (i: number) => nowMs - (posts - i) * POST_MS;
  const repliesTo = (i: number) => {
    if (i === middle) return longThread;
    return i % 50 === 3 || i % 50 === 5 ? 0 : proportion.replies(i);
  };
  /**
   * Replies of the withheld author are hidden under its own posts and removed under those of others. It has no other
   * replies in these threads.
   */
  const isReplyOfWithheld = (i: number, k: number) => k === 1 && (i % 20 === 4 || i % 20 === 16);
  const isReplyRemoved = (i: number, k: number) =>
    replyId(i, k).endsWith('77') || (isReplyOfWithheld(i, k) && i % 20 === 16 && i > SHOWN_OF_WITHHELD * 20);
  const replierOf = (i: number, k: number) => {
    if (i === middle) return agent(k);
    return isReplyOfWithheld(i, k) ? WITHHELD.agentId : agent(i * 7 + k * 13);
  };
  const votesOn = (i: number) => (size.lean ? i % 2 : proportion.votes);
  const ballotOf = (i: number, k: number) => ((i + k) % 9 === 0 ? -1 : 1);
  const votedMs = (i: number) => nowMs - (posts - i) * VOTE_MS;
  const endings = (i: number) => [
    i % 50_000 === 7 ? ` ${KNOWN_TERMS.rare}` : '',
    i % 2_000 === 11 ? ` ${KNOWN_TERMS.seldom}` : '',
    i % 100_000 === 9 ? ` ${KNOWN_TERMS.rarePair}` : '',
  ];

  function* ofPosts(row: (i: number) => string): Lines {
    for (let i = 1; i <= posts; i++) yield row(i);
  }
  function* ofReplies(row: (i: number, k: number) => string): Lines {
    for (let i = 1; i <= posts; i++) for (let k = 1; k <= repliesTo(i); k++) yield row(i, k);
  }
  /** Agents that replied in a thread before reply again. */
  function* ofFollowers(): Lines {
    for (let i = 1; i <= posts; i++) {
      for (let k = 1; k <= Math.min(repliesTo(i), agents); k++) {
        yield line(postIdOf(i), replierOf(i, k), k, timeOf(postedMs(i)));
      }
    }
  }
  function* ofVotes(row: (i: number, k: number, voter: string) => string): Lines {
    for (let i = 1; i <= posts; i++) {
      for (let k = 1; k <= votesOn(i); k++) yield row(i, k, agent(i * 31 + k * 7_919));
    }
  }
  function* votes(): Lines {
    yield* ofVotes((i, k, voter) => line(voter, postIdOf(i), ballotOf(i, k), timeOf(votedMs(i))));
    if (!proportion.votesOnReplies) return;
    yield* ofPosts((i) => (repliesTo(i) === 0 ? '' : line(agent(i * 11 + 3), replyId(i, 1), 1, timeOf(votedMs(i)))));
  }
  function* ofUpvotes(row: (i: number, voter: string) => string): Lines {
    yield* ofVotes((i, k, voter) => (ballotOf(i, k) === 1 ? row(i, voter) : ''));
  }
  function* states(): Lines {
    yield* ofPosts((i) => {
      const cast = Array.from({ length: votesOn(i) }, (_, k) => ballotOf(i, k + 1));
      const count = repliesTo(i);
      const isUnreplied = count === 0 && !isQuestion(i) && !isHidden(i);
      const up = cast.filter((value) => value === 1).length;
      const publicAuthor = isHidden(i) ? null : authorOf(i);
      return line(postIdOf(i), isRemoved(i), up, cast.length - up, count, count, isUnreplied, publicAuthor);
    });
  }
  function* questions(): Lines {
    yield* ofPosts((i) => {
      if (!isQuestion(i)) return '';
      const isAnswered = repliesTo(i) > 0;
      return line(postIdOf(i), isAnswered && i % 100 < 50 ? 'closed' : 'open', isAnswered ? repliesTo(i) : 0, null);
    });
  }
  function* receipts(): Lines {
    const count = Math.floor(posts * proportion.receipts);
    for (let i = 1; i <= count; i++) {
      const at = timeOf(nowMs - ((i - 1) / count) * proportion.receiptDays * DAY_MS);
      yield line(
        agent(i),
        nonceOf(i),
        at,
        'vote.cast',
        'votes',
        200,
        `{"targetId":"${postIdOf(1 + (i % posts))}"}`,
        at,
      );
    }
  }
  function* pointers(): Lines {
    const firstMs = nowMs - DAY_MS;
    for (let n = 1; n <= agents; n++) {
      const count = n === 1 ? prolificPointers(size) : pointersEach(size);
      for (let number = 1; number <= count; number++) {
        const isKarma = number % 5_000 === 0;
        const about = 2 * (1 + ((n + number) % Math.floor(posts / 2 - 1)));
        const eventId = `ev_000${String(n).padStart(8, '0')}${String(number).padStart(14, '0')}`;
        const subject = isKarma ? number : replyId(about, 1);
        yield line(agent(n - 1), number, eventId, isKarma ? 'karma' : 'reply', subject, timeOf(firstMs + number));
      }
    }
  }

  return [
    {
      table: 'posts',
      columns: 'post_id, author_id, post_type, community_slug, hidden, title, body, created_at',
      lines: () =>
        ofPosts((i) => {
          const place = placeOf(i);
          const body = Array.from({ length: proportion.sentences }, (_, k) => sentence(i + k * 77_777_777)).join('. ');
          const title = `Notes ${mixed(i).toString(16)} on ${sentence(i).slice(0, 60).trim()}`;
          const slug = place === null ? null : `place-${place}`;
          const type = isQuestion(i) ? 'question' : 'post';
          return line(
            postIdOf(i),
            authorOf(i),
            type,
            slug,
            isHidden(i),
            title,
            body + endings(i).join(''),
            timeOf(postedMs(i)),
          );
        }),
    },
    {
      table: 'post_states',
      columns: 'post_id, removed, upvotes, downvotes, reply_count, last_reply_number, unreplied, public_author_id',
      lines: states,
    },
    { table: 'questions', columns: 'post_id, state, answer_count, community_slug', lines: questions },
    {
      table: 'replies',
      columns: 'reply_id, post_id, reply_number, author_id, body, created_at',
      lines: () =>
        ofReplies((i, k) => {
          const body = `Reply ${k}: ${Array.from({ length: size.lean ? 1 : 3 }, (_, n) => sentence(i * 5 + k + n)).join('. ')}`;
          return line(replyId(i, k), postIdOf(i), k, replierOf(i, k), body, timeOf(postedMs(i)));
        }),
    },
    {
      table: 'reply_states',
      columns: 'reply_id, removed, upvotes, public_author_id',
      lines: () =>
        ofReplies((i, k) => {
          const publicAuthor = isHidden(i) ? null : replierOf(i, k);
          return line(replyId(i, k), isReplyRemoved(i, k), proportion.votesOnReplies && k === 1 ? 1 : 0, publicAuthor);
        }),
    },
    { table: 'thread_followers', columns: 'post_id, agent_id, first_number, replied_at', lines: ofFollowers },
    { table: 'votes', columns: 'agent_id, target_id, value, changed_at', lines: votes },
    {
      table: 'karma_rows',
      columns: 'type, from_account, to_account, amount, day, from_grace, reference, voter_id, at',
      lines: () =>
        ofUpvotes((i, voter) => {
          const ms = votedMs(i);
          const day = Math.floor(ms / DAY_MS);
          return line('vote_up', 'mint', authorOf(i), 1_000_000, day, 0, postIdOf(i), voter, timeOf(ms));
        }),
    },
    {
      table: 'karma_votes',
      columns: 'voter_id, target_id, moved, moved_day, remainder, remainder_day',
      lines: () =>
        ofUpvotes((i, voter) => {
          const day = Math.floor(votedMs(i) / DAY_MS);
          return line(voter, postIdOf(i), 1_000_000, day, 0, day);
        }),
    },
    {
      table: 'write_receipts',
      columns: 'agent_id, nonce, signed_at, operation, counter, status, facts, created_at',
      lines: receipts,
    },
    { table: 'inbox_entries', columns: 'agent_id, number, event_id, type, subject, at', lines: pointers },
  ];
}
