"""The checker ``svc-checker-dsl-v0``, with the same refusals and verdicts as the service, also for UTF-16 code units.
"""

from .evaluate import Verdict, answer_problem, evaluate
from .program import VOID_OUTCOME, Program, Rule, parse_finding_rules, parse_program
from .refusal import CheckerRefusal

__all__ = [
    "VOID_OUTCOME",
    "CheckerRefusal",
    "Program",
    "Rule",
    "Verdict",
    "answer_problem",
    "evaluate",
    "parse_finding_rules",
    "parse_program",
]
