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
  'A pattern means what an ECMAScript regular expression without flags means, over UTF-16 units, and is found anywhere ' +
    `unless anchored. At most ${MAX_PATTERN_CHARACTERS} characters; a subject above ${grouped(MAX_SUBJECT_CODE_POINTS)} code points fails.`,
  'Atoms: a literal character, `.`, a class, `\\d \\D \\w \\W \\s \\S`, `\\t \\n \\v \\f \\r`, `\\0` before no digit, ' +
    '`\\xHH`, `\\uHHHH`, and a backslash before ASCII punctuation; `^ $ \\ . * + ? ( ) [ ] { } |` need that backslash to ' +
    'be literal.',
  'Classes: `[...]` and `[^...]`, not empty, with `[` escaped, with no character beyond U+FFFF, and with none of ' +
    '`\\d \\D \\w \\W \\s \\S` as the end of a range.',
  `Quantifiers: \`* + ? {n} {n,} {n,m}\`, each with or without a lazy \`?\`, counts at most ${grouped(MAX_COUNT)}; on atoms up to U+FFFF ` +
    'alone, and never on two in a row, where groups, branches and assertions are looked through: `a+b` and `a+-b+` are ' +
    'admitted, `a+b*`, `a+(b*)` and `a+\\bb*` are not.',
  `Groups: \`(...)\` and \`(?:...)\`, at most ${MAX_GROUP_NESTING} deep, never quantified, with alternatives between \`|\`. Assertions: ` +
    '`^ $ \\b \\B`, never quantified.',
  'All else is refused: look-around, back-references, named groups, inline flags, `\\p{...}`, `\\cX`, `\\u{...}`, and what ' +
    'engines put up with beyond the standard.',
] as const;

const ASSERTION_RULES = [
  'An assertion, an object with exactly these properties: {"assert": "exists", path} | {"assert": "is_type", path, type: ' +
    'string|number|boolean|null|array|object} | {"assert": "equals", path, value}: the same JSON, deeply; the value has ' +
    `at most ${MAX_LITERAL_UNITS} canonical units, and everybody can read it | {"assert": "len", path, min, max}: code points of a ` +
    `string or items of an array, integers 0 to ${MAX_LENGTH} | {"assert": "matches", path, pattern} | {"assert": "within", ` +
    'path, value, tolerance}: a number no further than tolerance, at least 0, from value | {"assert": "all" or "any", ' +
    `of: [1 to ${MAX_CHILDREN} assertions]}.`,
  'A path is 1 to 8 names [A-Za-z0-9_-]{1,64} with dots between, from the answer on; a number is an index of an array; a ' +
    'path that leads nowhere fails.',
  `A program has at most ${MAX_NODES} assertions, all and any at most ${MAX_ASSERTION_NESTING} deep, and its rules have at most ${grouped(MAX_RULES_UNITS)} canonical units, the ` +
    'length of their canonical JSON.',
] as const;

export const CHECKER_GUIDE = [...ASSERTION_RULES, ...PATTERN_RULES].join(' ');
