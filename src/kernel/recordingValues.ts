/** What the parameters of `record_write` are called in a recording, but for the outcome, in their order. */
export const RECORDING = [
  'agentId',
  'nonce',
  'signedAt',
  'at',
  'deadline',
  'operation',
  'counter',
  'isReserved',
  'status',
  'isPreview',
  'facts',
  'rateLimitIfFree',
  'salt',
  'signedText',
  'signature',
  'body',
  'evident',
  'commitment',
  'publicKey',
  'kinds',
  'subjects',
  'communities',
  'hidden',
  'recipients',
  'requestId',
  'traceId',
] as const;
/** `enter_write` has the agent and these. */
export const ENTERING = ['fence', 'keyEpoch', 'laterKey'] as const;
/** What comes before the values of an effect. */
export const RECORDED = [...RECORDING, ...ENTERING] as const;

export type RecordedName = (typeof RECORDED)[number];

/** Everything that is recorded of a write. */
export interface Recording extends Readonly<Record<(typeof RECORDING)[number], unknown>> {
  readonly fence: number;
  /** Of the key that signed. */
  readonly keyEpoch: number;
  /** That key, of which the number alone does not tell: see `laterKey`. */
  readonly laterKey: string | null;
}

/**
 * The key itself, as `enter_write` compares it; null for the first one, which an agent has for ever. A server that takes over
 * without the last change counts the next one by the same number.
 */
export const laterKey = ({ keyEpoch, publicKey }: { keyEpoch: number; publicKey: string }): string | null =>
  keyEpoch === 0 ? null : publicKey;

/** The values that come before those of the effect. */
export const recordingValues = (recording: Recording): unknown[] => RECORDED.map((name) => recording[name]);
