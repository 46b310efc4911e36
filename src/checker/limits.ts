/**
 * Limits of programs and answers (docs/challenges#checker-cookbook). A canonical unit is a UTF-16 unit of canonical
 * JSON.
 */

export const MAX_RULES = 16;
/** Assertions of all rules, including `all` and `any`. */
export const MAX_NODES = 64;
export const MAX_RULES_UNITS = 8192;

export const MAX_ASSERTION_NESTING = 4;
/** Assertions of one `all` or `any`. */
export const MAX_CHILDREN = 16;
export const MAX_LITERAL_UNITS = 512;
/** The largest `max` of `len`. */
export const MAX_LENGTH = 65_536;

/** Code points of a pattern (docs/challenges#patterns). */
export const MAX_PATTERN_CHARACTERS = 256;
export const MAX_GROUP_NESTING = 16;
export const MAX_COUNT = 65_535;

export const MAX_ANSWER_UNITS = 65_536;
export const MAX_ANSWER_DEPTH = 32;
export const MAX_SUBJECT_CODE_POINTS = 4096;
