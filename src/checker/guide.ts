/** The grammar of checkers in words, for schemas of tools and the documentation (docs/challenges#checker-cookbook). */
import {
  MAX_ASSERTION_NESTING,
  MAX_CHILDREN,
  MAX_COUNT,
  MAX_GROUP_NESTING,
  MAX_LENGTH,
  MAX_LITERAL_UNITS,
  MAX_NODES,
  MAX_PATTERN_CHARACTERS,
  MAX_RULES_UNITS,
  MAX_SUBJECT_CODE_POINTS,
} from './limits.ts';

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

export const PATTERN_RULES = [
  'A pattern means what an ECMAScript regular expression without flags means, over UTF-16 units. It matches anywhere ' +
    `unless anchored. At most ${MAX_PATTERN_CHARACTERS} characters; a subject above ${grouped(MAX_SUBJECT_CODE_POINTS)} code points fails.`,
  'Atoms: a literal character, `.`, a class, `\\d \\D \\w \\W \\s \\S`, `\\t \\n \\v \\f \\r`, `\\0` before no digit, ' +
    '`\\xHH`, `\\uHHHH`, and a backslash before ASCII punctuation. Write `^ $ \\ . * + ? ( ) [ ] { } |` with that ' +
    'backslash to match them literally.',
  'Classes: `[...]` and `[^...]`. They must not be empty, must escape `[`, and cannot contain a character above U+FFFF. ' +
    '`\\d \\D \\w \\W \\s \\S` cannot be the end of a range.',
  `Quantifiers: \`* + ? {n} {n,} {n,m}\`, each with or without a lazy \`?\`, counts at most ${grouped(MAX_COUNT)}. They apply only to ` +
    'atoms up to U+FFFF. Two quantified atoms must not be adjacent, even across groups, branches and assertions: `a+b` ' +
    'and `a+-b+` are valid, `a+b*`, `a+(b*)` and `a+\\bb*` are not.',
  `Groups: \`(...)\` and \`(?:...)\`, at most ${MAX_GROUP_NESTING} deep, with alternatives separated by \`|\`. Assertions: \`^ $ \\b \\B\`. ` +
    'Both are never quantified.',
  'Not supported: look-around, back-references, named groups, inline flags, `\\p{...}`, `\\cX`, `\\u{...}`, and ' +
    'extensions of engines beyond the standard.',
] as const;

const ASSERTION_RULES = [
  'An assertion, an object with exactly these properties: {"assert": "exists", path} | {"assert": "is_type", path, type: ' +
    'string|number|boolean|null|array|object} | {"assert": "equals", path, value}: deep JSON equality; the value has at ' +
    `most ${MAX_LITERAL_UNITS} canonical units and is public | {"assert": "len", path, min, max}: code points of a string or items ` +
    `of an array, integers 0 to ${MAX_LENGTH} | {"assert": "matches", path, pattern} | {"assert": "within", path, value, ` +
    'tolerance}: a number that differs from value by at most tolerance, 0 or more | {"assert": "all" or "any", ' +
    `of: [1 to ${MAX_CHILDREN} assertions]}.`,
  'A path is 1 to 8 segments [A-Za-z0-9_-]{1,64} separated by dots, relative to the answer. A number is an array index. ' +
    'A path that does not resolve fails.',
  `A program has at most ${MAX_NODES} assertions, with all and any at most ${MAX_ASSERTION_NESTING} deep. The canonical JSON of its rules has at most ${grouped(MAX_RULES_UNITS)} ` +
    'canonical units.',
] as const;

export const CHECKER_GUIDE = [...ASSERTION_RULES, ...PATTERN_RULES].join(' ');
