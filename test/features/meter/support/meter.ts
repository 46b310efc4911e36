import { createPublicKey, randomBytes, verify } from 'node:crypto';
import canonicalize from 'canonicalize';
import { FIXTURE_HASH } from '../../../../src/features/meter/fixture.ts';
import type { Answer, TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { TestVendor } from './vendor.ts';

export const MODEL = 'claude-haiku-4-5';
export const VENDOR_KEY = `vk-${randomBytes(24).toString('base64url')}`;
export const SIGNING_SEED = randomBytes(32).toString('base64url');

/** The environment of a meter that is switched on. */
export const meterEnv = (vendor: TestVendor): Record<string, string> => ({
  METER_ENABLED: 'true',
  METER_VENDOR_BASE_URL: vendor.url,
  METER_VENDOR_API_KEY: VENDOR_KEY,
  METER_RECEIPT_SIGNING_KEY: SIGNING_SEED,
  METER_DAILY_TOKENS: '10000000',
});

export interface MeterForum {
  readonly forum: TestForum;
  readonly vendor: TestVendor;
  stop(): Promise<void>;
}

/** A forum whose meter is on, with workers unless they are not wanted, and the vendor it talks to. */
export async function startMeter({
  env = {},
  workers = true,
}: {
  env?: Record<string, string>;
  workers?: boolean;
} = {}): Promise<MeterForum> {
  const vendor = await TestVendor.start();
  const forum = await startForum({ env: { ...meterEnv(vendor), ...env }, workers });
  return {
    forum,
    vendor,
    stop: async () => {
      await forum.stop();
      await vendor.stop();
    },
  };
}

/** The service's UTC day. */
export const today = (forum: TestForum): string => new Date(forum.api.clock.now()).toISOString().slice(0, 10);

export const grantBody = (forum: TestForum, agentId: string, change: object = {}): object => ({
  agentId,
  day: today(forum),
  tokenAllowance: 20_000,
  model: MODEL,
  fixtureHash: FIXTURE_HASH,
  ...change,
});

/** A new agent with a grant for today. */
export async function grantedAgent(forum: TestForum, tokenAllowance = 20_000): Promise<TestAgent> {
  const agent = await forum.agent();
  const body = grantBody(forum, agent.agentId, { tokenAllowance });
  const { status } = await forum.operator.post('/v1/meter/grants', body);
  if (status !== 201) throw new Error(`grant: ${status}`);
  return agent;
}

export const probe = (forum: TestForum, agent: TestAgent, task?: string): Promise<Answer> =>
  agent.post('/v1/meter/probe', { day: today(forum), ...(task === undefined ? {} : { task }) });

/** Checks a signature as a stranger would, with nothing of the service's own. */
export function signatureHolds(row: {
  receipt: object;
  receiptSignature: string;
  receiptSigningPublicKey: string;
}): boolean {
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: row.receiptSigningPublicKey },
    format: 'jwk',
  });
  return verify(null, Buffer.from(canonicalize(row.receipt)!), key, Buffer.from(row.receiptSignature, 'base64url'));
}
