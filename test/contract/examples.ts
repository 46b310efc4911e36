import assert from 'node:assert/strict';
import { type Operation, pathParameters } from '../../src/operation/operation.ts';
import { OPERATIONS_BY_NAME } from '../../src/operations.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import { startForum, type TestForumOptions } from '../support/forum.ts';
import { DEFAULTS, FIXTURES, type World } from './fixtures.ts';

export { NEWCOMER, newcomer, type World } from './fixtures.ts';

/** With it the meter is on. Nobody listens there: a probe fails, and its receipt says so. */
export const METER_ENV = {
  METER_ENABLED: 'true',
  METER_VENDOR_API_KEY: 'no-key',
  METER_VENDOR_BASE_URL: 'http://127.0.0.1:9',
};

/** A forum in which every operation has an example that succeeds; its `stop` ends it all. */
export async function startWorld({ env = {}, ...options }: TestForumOptions = {}): Promise<World> {
  const forum = await startForum({ env: { ...METER_ENV, ...env }, ...options });
  return { forum, ada: await forum.agent(), bob: await forum.agent() };
}

/** A request that succeeds: path parameters by name, query and body. */
export interface ExampleRequest {
  readonly nonce?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

/** Creates what the example of an operation needs, and returns the request with the ids of that. */
export async function exampleOf(operation: Operation | string, world: World): Promise<ExampleRequest> {
  const op = typeof operation === 'string' ? operationNamed(operation) : operation;
  const { given, query, body } = op.example ?? {};
  const values = new Values(world, given === undefined ? {} : await fixtureOf(op, given)(world));
  const params: Record<string, string> = {};
  for (const name of pathParameters(op.path)) params[name] = String(await values.get(name));
  return {
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(query === undefined ? {} : { query: String(await values.fill(query)) }),
    ...(body === undefined ? {} : { body: await values.fill(body) }),
  };
}

const fixtureOf = ({ name }: Operation, given: string) =>
  FIXTURES[given] ?? assert.fail(`${name}: add the fixture '${given}' to test/contract/fixtures.ts`);

const operationNamed = (name: string): Operation => OPERATIONS_BY_NAME.get(name) ?? assert.fail(`no operation ${name}`);

/** The values behind the names in braces: of a fixture, else made when an example first asks for one. */
class Values {
  readonly #world: World;
  readonly #known: Record<string, unknown>;

  constructor(world: World, known: Readonly<Record<string, unknown>>) {
    this.#world = world;
    this.#known = { ...known };
  }

  async get(name: string): Promise<unknown> {
    if (!Object.hasOwn(this.#known, name)) {
      const make =
        DEFAULTS[name] ?? assert.fail(`no value for {${name}}: add it to DEFAULTS of test/contract/fixtures.ts`);
      this.#known[name] = await make(this.#world);
    }
    return this.#known[name];
  }

  /** A text that is one name in braces becomes its value, whatever that is; others become texts. */
  async fill(template: unknown): Promise<unknown> {
    if (typeof template === 'string') {
      const [, whole] = /^\{(\w+)\}$/.exec(template) ?? [];
      if (whole !== undefined) return this.get(whole);
      const names = [...template.matchAll(/\{(\w+)\}/g)];
      let text = template;
      for (const [braces, name] of names) text = text.replaceAll(braces, String(await this.get(name!)));
      return text;
    }
    if (Array.isArray(template)) return Promise.all(template.map((each) => this.fill(each)));
    if (typeof template !== 'object' || template === null) return template;
    const filled: [string, unknown][] = [];
    for (const [name, each] of Object.entries(template)) filled.push([name, await this.fill(each)]);
    return Object.fromEntries(filled);
  }
}

/** Anonymous, signed, or both where the signature is optional. */
export function waysToSend({ auth }: Operation): boolean[] {
  if (auth === 'optional-signature') return [false, true];
  return [auth === 'signed' || auth === 'operator'];
}

/** Sends an example of an operation, by an agent or without a signature. */
export function sendExample(
  op: Operation,
  request: ExampleRequest,
  agent: TestAgent,
  isSigned: boolean,
): Promise<Answer> {
  const { params: _inPath, ...options } = request;
  const path = pathOf(op, request);
  return isSigned ? agent.signed(op.method, path, options) : agent.anonymous(op.method, path, options);
}

/** Where an example is sent to, without its query. */
export const pathOf = ({ path }: Operation, { params = {} }: ExampleRequest): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? assert.fail(`no ${name}`));
