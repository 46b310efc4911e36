import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateKeyOf } from '../../../../src/platform/crypto/privateKey.ts';
import { bodyHash, requestText } from '../../../../src/protocol/signing.ts';
import { type ServiceProcess, startProcess } from '../../../faults/support/processes.ts';
import { TestAgent } from '../../../support/agent.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../../../support/database.ts';

const AGENTS = 50;
const KNOWN = 60;
const ACCEPTED = new Set([200, 201, 202]);
/** Refusals that a storm may meet; anything else is a fault. */
const REFUSED = new Set([400, 403, 404, 409]);

/** Signs natively: a hundred times faster than the test agents, so that the load falls on the service. */
class StormAgent extends TestAgent {
  readonly #key: KeyObject;
  lastVotedOn: string | undefined;

  constructor(url: string, seed: Buffer) {
    super(url, Date.now, seed);
    this.#key = privateKeyOf('ed25519', seed);
  }

  override headers(method: string, path: string, _options: object, body: Buffer): Record<string, string> {
    const [timestamp, nonce] = [String(Math.floor(Date.now() / 1_000)), randomBytes(16).toString('base64url')];
    const text = requestText({ method, path, query: '', timestamp, nonce, bodyHash: bodyHash(body) });
    return {
      'x-svc-agent-id': this.agentId,
      'x-svc-timestamp': timestamp,
      'x-svc-nonce': nonce,
      'x-svc-signature': sign(null, Buffer.from(text), this.#key).toString('base64url'),
    };
  }
}

interface Question {
  readonly postId: string;
  readonly asker: StormAgent;
  readonly replies: { replyId: string; author: StormAgent }[];
}

const ACTS = ['ask', 'reply', 'vote', 'recant', 'solve', 'close', 'forfeit', 'settle', 'sweep'] as const;
type Act = (typeof ACTS)[number];
const MIX: readonly Act[] = ['ask', 'reply', 'vote', 'vote', 'solve', ...ACTS];
type ServiceEnvironment = { DATABASE_URL: string; REDIS_URL: string } & Record<string, string>;

/** Service processes of their own, as in production, and fifty agents that hammer each other's questions. */
export class Storm {
  readonly database: TestDatabase;
  /** Accepted acts by name. */
  readonly accepted: Partial<Record<Act, number>> = {};
  /** What was acknowledged: the state of a question by its id. */
  readonly acknowledged = new Map<string, string>();
  /** Answers that no storm explains. */
  readonly faults: string[] = [];
  /** Requests that were never answered, or with 503: only a crash explains them. */
  unanswered = 0;
  readonly #env: ServiceEnvironment;
  readonly #processes = new Map<'api' | 'worker', ServiceProcess>();
  readonly #agents: StormAgent[] = [];
  readonly #questions: Question[] = [];
  #operator: StormAgent | undefined;
  #random = 1;

  private constructor(database: TestDatabase, env: ServiceEnvironment) {
    this.database = database;
    this.#env = env;
  }

  static async start(): Promise<Storm> {
    const database = await createDatabase();
    const operatorSeed = randomBytes(32);
    const limits = ['LIMIT_POSTS', 'LIMIT_REPLIES', 'LIMIT_VOTES', 'LIMIT_BOUNTY_WRITES'];
    const storm = new Storm(database, {
      DATABASE_URL: database.url,
      REDIS_URL: (await redisForTest()).url,
      BOUNTY_ABANDONED_SECONDS: '1',
      OPERATOR_AGENT_ID: new TestAgent('', Date.now, operatorSeed).agentId,
      ...Object.fromEntries(limits.map((name) => [name, '1000000'])),
    });
    await Promise.all([storm.#launch('api'), storm.#launch('worker')]);
    storm.#operator = await new StormAgent(storm.#url, operatorSeed).register('operator');
    const names = Array.from({ length: AGENTS }, (_, n) => `storm-${n}`);
    storm.#agents.push(...(await Promise.all(names.map((name) => storm.#newAgent(name)))));
    return storm;
  }

  get redisUrl(): string {
    return this.#env.REDIS_URL;
  }

  get #url(): string {
    return this.#processes.get('api')!.url;
  }

  #newAgent(name: string): Promise<StormAgent> {
    return new StormAgent(this.#url, randomBytes(32)).register(name);
  }

  async #launch(kind: 'api' | 'worker'): Promise<void> {
    this.#processes.set(kind, await startProcess(kind, this.#env));
  }

  /** Kills a process with -9 and starts it again, an API at the same address. */
  async kill(kind: 'api' | 'worker'): Promise<void> {
    if (kind === 'api') this.#env.PORT = new URL(this.#url).port;
    await this.#processes.get(kind)!.end('SIGKILL');
    await this.#launch(kind);
  }

  /** Actions that have not succeeded yet. */
  get missing(): Act[] {
    return ACTS.filter((act) => this.accepted[act] === undefined);
  }

  /** Lets all agents act at random for `seconds`. */
  async rage(seconds: number): Promise<void> {
    const deadline = performance.now() + seconds * 1_000;
    const everybody = [...this.#agents, this.#operator!];
    await Promise.all(
      everybody.map(async (agent) => {
        while (performance.now() < deadline) await this.#act(agent);
      }),
    );
  }

  async stop(): Promise<void> {
    for (const process of this.#processes.values()) await process.end('SIGTERM');
    await this.database.drop();
  }

  async #act(agent: StormAgent): Promise<void> {
    const act = this.#pick(MIX)!;
    try {
      const status = await this.#perform(act, agent);
      if (status === undefined) await sleep(1);
      else if (ACCEPTED.has(status)) this.accepted[act] = (this.accepted[act] ?? 0) + 1;
      else if (status === 503) this.unanswered += 1;
      else if (!REFUSED.has(status)) this.faults.push(`${act}: ${status}`);
    } catch {
      this.unanswered += 1;
      await sleep(50);
    }
  }

  /** The status, or undefined when there was nothing to act upon. */
  async #perform(act: Act, agent: StormAgent): Promise<number | undefined> {
    if (act === 'ask') return this.#ask(agent);
    // What resolves finds something answered, so that solving has a chance beside closing.
    const open = act === 'reply' ? this.#questions : this.#questions.filter(({ replies }) => replies.length > 0);
    const question = this.#pick(open);
    if (!question) return undefined;
    const { postId, asker, replies } = question;
    const reply = this.#pick(replies);
    switch (act) {
      case 'reply':
        return this.#reply(agent, question);
      case 'vote': {
        agent.lastVotedOn = reply?.replyId ?? postId;
        const value = this.#next(3) === 0 ? 'down' : 'up';
        return (await agent.post('/v1/votes', { targetId: agent.lastVotedOn, value })).status;
      }
      case 'recant': {
        const targetId = agent.lastVotedOn ?? postId;
        return (await agent.post('/v1/votes/recant', { targetId })).status;
      }
      case 'solve':
        return reply && this.#resolve(asker, postId, 'solving', { replyId: reply.replyId }, 'solved');
      case 'close':
        return this.#resolve(asker, postId, 'closure', {}, 'closed');
      case 'forfeit':
        return this.#resolve(asker, postId, 'closure', { forfeit: true }, 'closed');
      case 'settle': {
        const how = reply ? { replyId: reply.replyId } : { refund: true };
        return this.#resolve(this.#operator!, postId, 'settlement', { ...how, reason: 'A storm' }, 'settled');
      }
      case 'sweep':
        // Rarely, or sweeps would leave nothing to the others.
        return this.#next(20) > 0
          ? undefined
          : (await this.#operator!.post('/v1/questions/sweeps/abandoned', { dryRun: this.#next(2) === 0 })).status;
    }
  }

  async #ask(asker: StormAgent): Promise<number> {
    const body = { title: 'How?', body: 'x', bountyStake: 1 + this.#next(9) };
    const answer = await asker.post('/v1/questions', body);
    if (answer.status === 201) this.#questions.push({ postId: answer.body.post.postId, asker, replies: [] });
    if (this.#questions.length > KNOWN) this.#questions.shift();
    return answer.status;
  }

  async #reply(author: StormAgent, { postId, replies }: Question): Promise<number> {
    const answer = await author.post(`/v1/posts/${postId}/replies`, { body: 'x' });
    if (answer.status === 201) replies.push({ replyId: answer.body.reply.replyId, author });
    return answer.status;
  }

  async #resolve(by: StormAgent, postId: string, how: string, body: object, state: string): Promise<number> {
    const { status } = await by.post(`/v1/questions/${postId}/${how}`, body);
    if (status !== 200) return status;
    if (this.acknowledged.has(postId)) this.faults.push(`${postId} was resolved twice`);
    this.acknowledged.set(postId, state);
    return status;
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[this.#next(list.length)];
  }

  /** A small generator: what matters is that acts mix, not how. */
  #next(bound: number): number {
    this.#random = (Math.imul(this.#random, 1_103_515_245) + 12_345) >>> 0;
    return bound === 0 ? 0 : (this.#random >>> 8) % bound;
  }
}
