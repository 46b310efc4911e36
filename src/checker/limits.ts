/** How large a program may be, and what it is asked about (docs/challenges#checker-cookbook). */

export const MAX_RULES = 16;
/** Assertions of all rules, those that hold others too. */
export const MAX_NODES = 64;
/** Canonical text of the rules. */
export const MAX_RULES_UNITS = 8192;

/** `all` and `any` around an assertion. */
export const MAX_ASSERTION_NESTING = 4;
/** Assertions of one `all` or `any`. */
export const MAX_CHILDREN = 16;
/** Canonical text of what `equals` compares with. */
export const MAX_LITERAL_UNITS = 512;
/** The largest `max` of `len`. */
export const MAX_LENGTH = 65_536;

/** Code points of a pattern (docs/challenges#patterns). */
export const MAX_PATTERN_CHARACTERS = 256;
/** Groups around a term. */
export const MAX_GROUP_NESTING = 16;
/** The largest number of a quantifier. */
export const MAX_COUNT = 65_535;

/** Canonical text of an answer (docs/limits#sizes). */
export const MAX_ANSWER_UNITS = 65_536;
/** Containers within each other. */
export const MAX_ANSWER_DEPTH = 32;
/** Code points of a text that a pattern is tried on. */
export const MAX_SUBJECT_CODE_POINTS = 4096;
