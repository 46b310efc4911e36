"""Evaluates a program on an answer."""

import re
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from ..canonical import code_points, units_of
from .assertion import Assertion, Group, Leaf
from .limits import MAX_ANSWER_DEPTH, MAX_ANSWER_UNITS, MAX_SUBJECT_CODE_POINTS
from .match import matches_anywhere
from .program import VOID_OUTCOME, Program
from .subject import Subject
from .values import is_number, measure_json

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]*")
_ABSENT = object()


@dataclass(frozen=True)
class Verdict:
    """``win`` if the outcome is the expected one, ``void`` if there is no outcome."""

    outcome: str
    win: bool
    void: bool


#: Prepared texts that several assertions of a program may share. None: over the limit of code points.
_Memory = Dict[str, Optional[Subject]]


def evaluate(program: Program, answer: Any) -> Verdict:
    """Returns the verdict on a JSON answer for which ``answer_problem`` returns None. The first matching rule decides,
    then the default outcome, then ``void``. Deterministic, with bounded cost for every program and answer.
    """
    memory: _Memory = {}
    outcome = program.default_outcome or VOID_OUTCOME
    for rule in program.rules:
        if _holds(rule.when, answer, memory):
            outcome = rule.outcome
            break
    return Verdict(outcome, outcome == program.expected_outcome, outcome == VOID_OUTCOME)


def answer_problem(answer: Any) -> Optional[str]:
    """Returns None if the answer may be evaluated, ``size`` above 65,536 canonical units, ``depth`` above 32 nested
    containers.
    """
    units, depth = measure_json(answer, MAX_ANSWER_UNITS)
    if units > MAX_ANSWER_UNITS:
        return "size"
    return "depth" if depth > MAX_ANSWER_DEPTH else None


def _holds(assertion: Assertion, answer: Any, memory: _Memory) -> bool:
    if isinstance(assertion, Group):
        children = (_holds(child, answer, memory) for child in assertion.of)
        return all(children) if assertion.kind == "all" else any(children)
    value = _resolve(assertion.path, answer)
    return value is not _ABSENT and _leaf_holds(assertion, value, memory)


def _leaf_holds(assertion: Leaf, value: Any, memory: _Memory) -> bool:
    kind, arguments = assertion.kind, assertion.arguments
    if kind == "exists":
        return True
    if kind == "is_type":
        return bool(_json_type(value) == arguments)
    if kind == "equals":
        return _equal(arguments, value)
    if kind == "len":
        length = _length(value)
        return length is not None and bool(arguments[0] <= length <= arguments[1])
    if kind == "matches":
        subject = _subject_of(value, memory) if isinstance(value, str) else None
        return subject is not None and matches_anywhere(arguments, subject)
    return is_number(value) and bool(abs(float(value) - arguments[0]) <= arguments[1])


def _resolve(path: Tuple[str, ...], answer: Any) -> Any:
    """Returns the value at the path. An index has no leading zero: ``01`` may only be a property."""
    value = answer
    for segment in path:
        if isinstance(value, dict) and segment in value:
            value = value[segment]
        elif isinstance(value, list) and _ARRAY_INDEX.fullmatch(segment) and int(segment) < len(value):
            value = value[int(segment)]
        else:
            return _ABSENT
    return value


def _json_type(value: Any) -> Optional[str]:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    for kind, name in (((int, float), "number"), (str, "string"), (list, "array"), (dict, "object")):
        if isinstance(value, kind):  # type: ignore[arg-type]
            return name
    return None


def _equal(literal: Any, value: Any) -> bool:
    """Recurses along the literal only, which has at most 512 units."""
    if isinstance(literal, list):
        if not isinstance(value, list) or len(value) != len(literal):
            return False
        pairs = list(zip(literal, value))
    elif isinstance(literal, dict):
        if not isinstance(value, dict) or value.keys() != literal.keys():
            return False
        pairs = [(literal[key], value[key]) for key in literal]
    elif is_number(literal):
        return is_number(value) and float(literal) == float(value)
    else:
        return type(literal) is type(value) and bool(literal == value)
    for one, other in pairs:
        if not _equal(one, other):
            return False
    return True


def _length(value: Any) -> Optional[int]:
    if isinstance(value, list):
        return len(value)
    return code_points(value) if isinstance(value, str) else None


def _subject_of(text: str, memory: _Memory) -> Optional[Subject]:
    if text not in memory:
        memory[text] = Subject(units_of(text)) if code_points(text) <= MAX_SUBJECT_CODE_POINTS else None
    return memory[text]
