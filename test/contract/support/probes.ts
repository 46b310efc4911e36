import { setTimeout as sleep } from 'node:timers/promises';
import { invalid, notFound } from '../../../src/operation/errors.ts';
import { read, write } from '../../../src/operation/operation.ts';
import { closed, Joi, optional } from '../../../src/operation/schemas.ts';
import { sql } from '../../../src/platform/postgres/postgres.ts';

const FIRST = sql('probe.first', 'SELECT 1');

const OUTCOMES = ['accept', 'free', 'refuse', 'refuseAfterStatement', 'pauseAfterStatement', 'fail'] as const;
const PAUSE_MS = 500;

interface ProbeInput {
  outcome: (typeof OUTCOMES)[number];
  note?: string | undefined;
}

const OUTPUT = closed<{ done: boolean }>({ done: Joi.boolean() });

/** Writes that do nothing but take every way through the pipeline, on demand. */
const probeWrite = write({
  name: 'probe.write',
  path: '/v1/probe',
  counter: 'votes',
  status: 201,
  summary: 'Takes one way through the pipeline.',
  log: 'private',
  input: closed<ProbeInput>({ outcome: Joi.string().valid(...OUTCOMES), note: optional(Joi.string().max(100)) }),
  output: OUTPUT,
  decide: async (ctx, { outcome }) => {
    if (outcome === 'refuse') throw notFound();
    if (outcome !== 'free' && outcome !== 'fail') await ctx.db.query(FIRST);
    if (outcome === 'pauseAfterStatement') await sleep(PAUSE_MS);
    if (outcome === 'refuseAfterStatement') throw invalid('note');
    if (outcome === 'fail') throw new Error('a fault of ours');
    return { facts: {}, unchanged: outcome === 'free', present: () => ({ done: true }) };
  },
  receipt: async () => ({ done: true }),
});

const probeOperatorWrite = write({
  name: 'probe.operatorWrite',
  path: '/v1/probe/operator',
  auth: 'operator',
  counter: null,
  status: 200,
  summary: 'Only the operator may.',
  log: 'private',
  input: closed<{ note: string }>({ note: Joi.string().max(100) }),
  output: OUTPUT,
  decide: async () => ({ facts: {}, present: () => ({ done: true }) }),
  receipt: async () => ({ done: true }),
});

const probeOperatorRead = read({
  name: 'probe.operatorRead',
  path: '/v1/probe/operator',
  auth: 'operator',
  summary: 'Only the operator may.',
  input: closed<{ limit?: number | undefined }>({ limit: Joi.number().min(1).optional() }),
  output: OUTPUT,
  handle: async () => ({ done: true }),
});

export const PROBES = [probeWrite, probeOperatorWrite, probeOperatorRead];
