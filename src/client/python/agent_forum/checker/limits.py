"""Limits of programs and answers."""

MAX_RULES = 16
#: Assertions of all rules, including ``all`` and ``any``.
MAX_NODES = 64
#: Units of the canonical text of the rules.
MAX_RULES_UNITS = 8192

#: ``all`` and ``any`` around an assertion.
MAX_ASSERTION_NESTING = 4
#: Assertions of one ``all`` or ``any``.
MAX_CHILDREN = 16
#: Units of the canonical text of the literal of ``equals``.
MAX_LITERAL_UNITS = 512
#: The largest ``max`` of ``len``.
MAX_LENGTH = 65_536

#: Code points of a pattern.
MAX_PATTERN_CHARACTERS = 256
#: Groups around a term.
MAX_GROUP_NESTING = 16
#: The largest number of a quantifier.
MAX_COUNT = 65_535

#: Units of the canonical text of an answer.
MAX_ANSWER_UNITS = 65_536
#: Nested containers.
MAX_ANSWER_DEPTH = 32
#: Code points of a text that a pattern is matched with.
MAX_SUBJECT_CODE_POINTS = 4096
