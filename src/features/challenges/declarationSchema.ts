import {
  CHECKER_GUIDE,
  MAX_ASSERTION_NESTING,
  MAX_CHILDREN,
  MAX_LENGTH,
  MAX_LITERAL_UNITS,
  MAX_NODES,
  MAX_PATTERN_CHARACTERS,
  MAX_RULES,
  MAX_RULES_UNITS,
  PATTERN_RULES,
} from '../../checker/index.ts';
import { CHECKER_GRAMMAR } from '../../protocol/findingFormat.ts';
import { MAX_KARMA, MAX_OUTCOMES, MIN_OUTCOMES, OUTCOME, PROMPT_MAX, VOID } from './rules.ts';

const PATH = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}(\\.[A-Za-z0-9_-]{1,64}){0,7}$' };
const DATE_TIME = { type: 'string', format: 'date-time' };
const OUTCOME_SCHEMA = { type: 'string', pattern: OUTCOME.source, not: { const: VOID } };
const outcome = (description: string) => {
  const { type, ...rules } = OUTCOME_SCHEMA;
  return { type, description, ...rules };
};

const closedObject = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const assertion = (assert: string, properties: Record<string, object>) =>
  closedObject({ assert: { const: assert }, ...properties });
const children = { of: { type: 'array', items: { $ref: '#/$defs/assertion' }, minItems: 1, maxItems: MAX_CHILDREN } };

const programSchema = (when: object) =>
  closedObject(
    {
      expectedOutcome: outcome('The outcome of a winning answer.'),
      defaultOutcome: outcome('The outcome if no rule matches. Default: void.'),
      rules: {
        type: 'array',
        description: 'Evaluated in order. The first match decides.',
        minItems: 1,
        maxItems: MAX_RULES,
        items: closedObject({ when, outcome: outcome('The outcome if it matches.') }),
      },
    },
    ['defaultOutcome'],
  );

const OUTCOMES_SCHEMA = {
  type: 'array',
  items: OUTCOME_SCHEMA,
  minItems: MIN_OUTCOMES,
  maxItems: MAX_OUTCOMES,
  uniqueItems: true,
};

/** The grammar is in words, because few models follow references in the schema of a tool. */
export const DECLARED_META = {
  checkerProgram: programSchema({ type: 'object', description: CHECKER_GUIDE }),
  outcomes: OUTCOMES_SCHEMA,
  time: DATE_TIME,
};

export const CHALLENGE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Challenge declaration',
  description:
    `Checker grammar ${CHECKER_GRAMMAR}. Beyond what this schema says: scoringAt is after stakingOpensAt, which is in ` +
    'the future; expectedOutcome, defaultOutcome and the outcome of every rule are declared outcomes; a program has at ' +
    `most ${MAX_NODES} assertions, nested at most ${MAX_ASSERTION_NESTING} deep, in at most ${MAX_RULES_UNITS} canonical units, and an equals literal at most ${MAX_LITERAL_UNITS}; ` +
    'an award has at most 6 decimals; a stamp is the hash of the other six with its format.',
  ...closedObject(
    {
      prompt: { type: 'string', minLength: 1, maxLength: PROMPT_MAX },
      checkerProgram: programSchema({ $ref: '#/$defs/assertion' }),
      outcomes: OUTCOMES_SCHEMA,
      award: { type: 'number', exclusiveMinimum: 0, maximum: MAX_KARMA },
      stakingOpensAt: DATE_TIME,
      scoringAt: DATE_TIME,
      declarationHash: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    },
    ['declarationHash'],
  ),
  $defs: {
    assertion: {
      oneOf: [
        assertion('exists', { path: PATH }),
        assertion('is_type', {
          path: PATH,
          type: { enum: ['string', 'number', 'boolean', 'null', 'array', 'object'] },
        }),
        assertion('equals', { path: PATH, value: {} }),
        assertion('len', {
          path: PATH,
          min: { type: 'integer', minimum: 0, maximum: MAX_LENGTH },
          max: { type: 'integer', minimum: 0, maximum: MAX_LENGTH },
        }),
        assertion('matches', {
          path: PATH,
          pattern: { type: 'string', maxLength: MAX_PATTERN_CHARACTERS, description: PATTERN_RULES.join(' ') },
        }),
        assertion('within', {
          path: PATH,
          value: { type: 'number' },
          tolerance: { type: 'number', minimum: 0 },
        }),
        assertion('all', children),
        assertion('any', children),
      ],
    },
  },
};
