"""Parses and validates programs."""

import re
from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence, Tuple

from .assertion import Assertion, Budget, parse_assertion
from .limits import MAX_NODES, MAX_RULES, MAX_RULES_UNITS
from .refusal import CheckerRefusal
from .values import has_exactly, keys_in_order, measure_json, why_no_object

#: The outcome if no rule matches and there is no ``defaultOutcome``. A program cannot declare it.
VOID_OUTCOME = "void"

_FIELD_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_PROPERTIES = ("expectedOutcome", "defaultOutcome", "rules")


@dataclass(frozen=True)
class Rule:
    when: Assertion
    outcome: str


@dataclass(frozen=True)
class Program:
    expected_outcome: str
    #: None: if no rule matches, the outcome is ``void``.
    default_outcome: Optional[str]
    rules: Tuple[Rule, ...]


def parse_program(program: Any, outcomes: Sequence[str]) -> Program:
    """Parses ``{expectedOutcome, defaultOutcome?, rules}`` with the declared outcomes, of which ``void`` is never one.

    Raises CheckerRefusal. Its ``field`` is ``rules[i]`` if one rule is wrong, otherwise the property or
    ``checkerProgram``.
    """
    if not isinstance(program, dict):
        raise CheckerRefusal("checkerProgram", why_no_object(program))
    _refuse_other_properties(program)
    expected = _read_outcome(program.get("expectedOutcome"), "expectedOutcome", outcomes)
    given = program.get("defaultOutcome")
    rules = _read_rules(program.get("rules"), outcomes)
    default = None if given is None else _read_outcome(given, "defaultOutcome", outcomes)
    return Program(expected, default, rules)


def parse_finding_rules(rules: Any) -> Program:
    """Returns the program of a finding: outcomes ``pass`` and ``fail``, expected ``pass``, default ``fail``."""
    return parse_program(
        {"expectedOutcome": "pass", "defaultOutcome": "fail", "rules": rules}, outcomes=("pass", "fail")
    )


def _refuse_other_properties(program: Dict[str, Any]) -> None:
    for key in keys_in_order(program):
        if key not in _PROPERTIES:
            raise CheckerRefusal(key if _FIELD_NAME.fullmatch(key) else "checkerProgram", "unknown property; use expectedOutcome, defaultOutcome and rules")


def _read_rules(value: Any, outcomes: Sequence[str]) -> Tuple[Rule, ...]:
    if value is None:
        raise CheckerRefusal("rules", f"required, a list of 1 to {MAX_RULES}")
    if isinstance(value, str):
        raise CheckerRefusal("rules", "a list, not JSON in a string")
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_RULES:
        raise CheckerRefusal("rules", f"must be a list of 1 to {MAX_RULES}")
    budget = Budget(MAX_NODES)
    rules = tuple(_read_rule(rule, f"rules[{index}]", outcomes, budget) for index, rule in enumerate(value))
    if measure_json(value, MAX_RULES_UNITS)[0] > MAX_RULES_UNITS:
        raise CheckerRefusal("rules", f"longer than {MAX_RULES_UNITS} canonical units")
    return rules


def _read_rule(value: Any, field: str, outcomes: Sequence[str], budget: Budget) -> Rule:
    if not isinstance(value, dict):
        raise CheckerRefusal(field, why_no_object(value))
    if not has_exactly(value, ("when", "outcome")):
        raise CheckerRefusal(field, "must have exactly the properties when, outcome")
    when = parse_assertion(value["when"], field, budget)
    return Rule(when, _read_outcome(value["outcome"], field, outcomes))


def _read_outcome(value: Any, field: str, outcomes: Sequence[str]) -> str:
    if value is None:
        raise CheckerRefusal(field, "required, one of the declared outcomes")
    if not isinstance(value, str) or value == VOID_OUTCOME or value not in outcomes:
        raise CheckerRefusal(field, "not a declared outcome")
    return value
