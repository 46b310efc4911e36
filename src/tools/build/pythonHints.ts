/** Writes schemas with the sentences of `hints/wanted.ts`. Python only selects a sentence. */

import { OPERATORS_ALONE } from '../../hints/advice.ts';
import { identifierNoun, RECOGNISED } from '../../hints/identifiers.ts';
import { type Schema, withoutNull } from '../../hints/schema.ts';
import { OTHER_NAMES, SAME_WORDS } from '../../hints/synonyms.ts';
import { boundsText, ruleText, wantedText } from '../../hints/wanted.ts';
import { jsonSchema } from '../../operation/jsonSchema.ts';
import { mcpToolsOf, type Operation } from '../../operation/operation.ts';
import { ERROR_GUIDE, NOT_THERE } from '../../protocol/errorGuide.ts';
import { literal } from './pythonTypes.ts';

/** The keywords that Python checks. */
const CHECKED = [
  'type',
  'enum',
  'not',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'required',
  'additionalProperties',
] as const satisfies readonly (keyof Schema)[];

export function pythonHints(operations: readonly Operation[]): string {
  const nodes = new Nodes();
  const schemas = operations.map(
    (op) => `    ${literal(op.name)}: ${nodes.nameOf(jsonSchema(op.input) as Schema, '')},`,
  );
  const aliases = operations.flatMap((op) => mcpToolsOf(op).map(({ name }) => [name, op.name] as const));
  return `"""Schemas of inputs and sentences about them, for hints."""

from typing import Any, Dict, List, Tuple

${nodes.definitions().join('\n')}

#: The input of each operation.
SCHEMAS: Dict[str, Dict[str, Any]] = {
${schemas.join('\n')}
}

#: The operation behind each MCP tool.
TOOLS: Dict[str, str] = ${literal(Object.fromEntries(aliases))}

#: Patterns of identifiers that are recognised where another one belongs, and what they are called.
RECOGNISED: List[Tuple[str, str]] = [${RECOGNISED.map(([pattern, noun]) => `(${literal(pattern)}, ${literal(noun)})`).join(', ')}]

#: By the name of a property, the names that are meant for it.
OTHER_NAMES: Dict[str, str] = ${literal(OTHER_NAMES)}

#: Words of names that mean the same, by the first of each.
SAME_WORDS: List[str] = ${literal(SAME_WORDS)}

#: What to do about an error, by its token. The caller of an operation has its route.
RECOVER: Dict[str, str] = {
${Object.entries(ERROR_GUIDE)
  .map(([token, { recover }]) => `    ${literal(token)}: ${literal(token === 'not_found' ? NOT_THERE : recover)},`)
  .join('\n')}
}

#: The same for one operation.
OF_OPERATIONS: Dict[str, Dict[str, str]] = {
${operations
  .flatMap(({ name, refusals }) => (refusals ? [`    ${literal(name)}: ${literal(refusals)},`] : []))
  .join('\n')}
}

OPERATORS_ALONE = ${literal(OPERATORS_ALONE)}
`;
}

/** Schemas as Python dictionaries, each defined once. */
class Nodes {
  private readonly names = new Map<string, string>();

  /** `field` is the name of the property, and `isForm` is true for one of several alternatives. */
  nameOf(declared: Schema, field: string, isForm = false): string {
    const text = this.textOf(declared, field, isForm);
    const known = this.names.get(text) ?? `_${this.names.size}`;
    this.names.set(text, known);
    return known;
  }

  /** Each definition comes after those that it uses. */
  definitions(): string[] {
    return [...this.names].map(([text, name]) => `${name}: Dict[str, Any] = ${text}`);
  }

  private textOf(declared: Schema, field: string, isForm: boolean): string {
    const schema = withoutNull(declared);
    const { anyOf, properties, items, description } = schema;
    const entries: string[] = CHECKED.flatMap((keyword) => {
      const value = schema[keyword];
      return value === undefined ? [] : [`${literal(keyword)}: ${literal(value)}`];
    });
    const sentence = (name: string, text: string | undefined) => {
      if (text !== undefined && text !== '') entries.push(`"${name}": ${literal(text)}`);
    };
    if (schema !== declared) entries.push('"nullable": True');
    if (field !== '') {
      sentence('wanted', wantedText(schema));
      sentence('bounds', boundsText(schema));
      sentence('noun', identifierNoun(schema.pattern, field));
    }
    // As in `hints/advice.ts`, the whole describes alternatives without a description.
    if (field !== '' && (!isForm || description !== undefined)) sentence('rule', ruleText(schema, field));
    if (anyOf) entries.push(`"anyOf": [${anyOf.map((each) => this.nameOf(each, field, true)).join(', ')}]`);
    if (items) entries.push(`"items": ${this.nameOf(items, field)}`);
    if (properties) {
      const members = Object.entries(properties).map(([name, each]) => `${literal(name)}: ${this.nameOf(each, name)}`);
      entries.push(`"properties": {${members.join(', ')}}`);
    }
    return `{${entries.join(', ')}}`;
  }
}
