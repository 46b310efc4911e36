import type { Statement } from '../../src/platform/postgres/postgres.ts';
import type { ScenarioResult } from './measure.ts';
import type { Stage } from './stage.ts';

/** One request, before the load process makes bytes of it. */
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Which of the stage's agents signs it; unsigned without. */
  readonly signer?: number;
}

interface Described {
  /** Short and unique in its scenario; the key in `results.json`. */
  readonly name: string;
  readonly title: string;
}

/** A bare server that runs statements, and answers what is given here, or else their rows. */
export interface BareServer {
  readonly statements: readonly Statement[];
  readonly answer?: BareAnswer;
}

export interface BareAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A process of the service beside the stage's own, with these settings on top of its. */
export interface OwnApi {
  readonly settings: Readonly<Record<string, string>>;
}

/** Requests over HTTP; the CPU measured is the server's. */
export interface HttpVariant extends Described {
  readonly kind: 'http';
  /** The service itself, a bare server that does nothing, or a bare server that only runs statements. */
  readonly server: 'api' | 'nothing' | BareServer | OwnApi;
  /** Any other status fails the run: refusals are cheap and would look like speed. */
  readonly status: number;
  /** True when one request may be sent again and again, which spares making many. */
  readonly repeatable?: boolean;
  /** More in one run would not be what is measured. */
  readonly mostCalls?: number;
  /** As many different requests as asked for. */
  calls(count: number): Promise<Call[]> | Call[];
}

/** A statement driven by raw `pg` in a process of its own, which is the process measured. */
export interface LoopVariant extends Described {
  readonly kind: 'loop';
  readonly statement: Statement;
  /** One strict signature check before each statement, by Node's own library or by the one that the service uses. */
  readonly signature: 'none' | 'node' | 'sodium';
  /** The parameters of as many executions as asked for. */
  values(count: number): Promise<unknown[][]> | unknown[][];
}

export type Variant = HttpVariant | LoopVariant;

/** What one variant may cost in terms of another. */
export interface Target {
  readonly title: string;
  /** CPU of the measured process a request, or requests a second. */
  readonly quantity: 'cpu' | 'rate';
  readonly of: string;
  readonly against: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** Variants that are measured alternately, so that other work on the machine affects all of them. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly targets: readonly Target[];
  /** Fills the database and says what to measure. */
  prepare(stage: Stage): Promise<readonly Variant[]>;
}

/** A scenario that is no comparison but is measured in a way of its own, such as a latency at a given rate. */
export interface OwnScenario {
  readonly name: string;
  readonly title: string;
  measure(stage: Stage): Promise<ScenarioResult>;
}
