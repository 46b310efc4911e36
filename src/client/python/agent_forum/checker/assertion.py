"""Parses the assertions of a program."""

import re
from dataclasses import dataclass
from typing import Any, Dict, Tuple, Union

from .limits import MAX_ASSERTION_NESTING, MAX_CHILDREN, MAX_LENGTH, MAX_LITERAL_UNITS, MAX_NODES
from .pattern import Pattern, parse_pattern
from .refusal import CheckerRefusal, PatternRefusal
from .values import has_exactly, is_number, measure_json, why_no_object

JSON_TYPES = ("string", "number", "boolean", "null", "array", "object")

_PATH = re.compile(r"[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,7}")
_PROPERTIES = {
    "exists": ("assert", "path"),
    "is_type": ("assert", "path", "type"),
    "equals": ("assert", "path", "value"),
    "len": ("assert", "path", "min", "max"),
    "matches": ("assert", "path", "pattern"),
    "within": ("assert", "path", "value", "tolerance"),
    "all": ("assert", "of"),
    "any": ("assert", "of"),
}


@dataclass(frozen=True)
class Leaf:
    """``arguments`` are the type, the literal, (min, max), the pattern, or (value, tolerance); None for ``exists``."""

    kind: str
    path: Tuple[str, ...]
    arguments: Any = None


@dataclass(frozen=True)
class Group:
    """``all`` or ``any`` of other assertions."""

    kind: str
    of: Tuple["Assertion", ...]


Assertion = Union[Leaf, Group]


class Budget:
    """The number of assertions that a program may still have."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes


def parse_assertion(value: Any, field: str, budget: Budget, nesting: int = 0) -> Assertion:
    """Parses an assertion with all its children. Raises CheckerRefusal with the given field."""
    if nesting > MAX_ASSERTION_NESTING:
        raise CheckerRefusal(field, f"assertions nested deeper than {MAX_ASSERTION_NESTING}")
    if budget.nodes == 0:
        raise CheckerRefusal(field, f"more than {MAX_NODES} assertions in the program")
    budget.nodes -= 1
    kind = _close(value, field)
    if kind in ("all", "any"):
        children = value["of"]
        if not isinstance(children, list) or not 1 <= len(children) <= MAX_CHILDREN:
            raise CheckerRefusal(field, f"of: must be a list of 1 to {MAX_CHILDREN} assertions")
        return Group(kind, tuple(parse_assertion(child, field, budget, nesting + 1) for child in children))
    return _read_leaf(kind, value, field)


def _close(value: Any, field: str) -> str:
    if not isinstance(value, dict):
        raise CheckerRefusal(field, f"assertion: {why_no_object(value)}")
    kind = value.get("assert")
    if not isinstance(kind, str) or kind not in _PROPERTIES:
        raise CheckerRefusal(field, f"assert: must be one of {', '.join(_PROPERTIES)}")
    properties = _PROPERTIES[kind]
    if not has_exactly(value, properties):
        raise CheckerRefusal(field, f"{kind}: must have exactly the properties {', '.join(properties)}")
    return kind


def _read_leaf(kind: str, value: Dict[str, Any], field: str) -> Leaf:
    path = value["path"]
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        raise CheckerRefusal(field, "path: must be 1 to 8 segments of [A-Za-z0-9_-]{1,64}, separated by dots")
    return Leaf(kind, tuple(path.split(".")), _read_arguments(kind, value, field))


def _read_arguments(kind: str, value: Dict[str, Any], field: str) -> Any:
    if kind == "is_type":
        if not isinstance(value["type"], str) or value["type"] not in JSON_TYPES:
            raise CheckerRefusal(field, f"type: must be one of {', '.join(JSON_TYPES)}")
        return value["type"]
    if kind == "equals":
        if measure_json(value["value"], MAX_LITERAL_UNITS)[0] > MAX_LITERAL_UNITS:
            raise CheckerRefusal(field, f"value: longer than {MAX_LITERAL_UNITS} canonical units")
        return value["value"]
    if kind == "len":
        bounds = (value["min"], value["max"])
        if not all(map(_is_length, bounds)) or bounds[0] > bounds[1]:
            raise CheckerRefusal(field, f"min, max: must be whole numbers from 0 to {MAX_LENGTH}, min at most max")
        return bounds
    if kind == "matches":
        return _read_pattern(value["pattern"], field)
    if kind == "within":
        if not is_number(value["value"]):
            raise CheckerRefusal(field, "value: must be a finite number")
        if not is_number(value["tolerance"]) or value["tolerance"] < 0:
            raise CheckerRefusal(field, "tolerance: must be a finite number, at least 0")
        return float(value["value"]), float(value["tolerance"])
    return None


def _read_pattern(text: Any, field: str) -> Pattern:
    if not isinstance(text, str):
        raise CheckerRefusal(field, "pattern: must be a string")
    try:
        return parse_pattern(text)
    except PatternRefusal as refusal:
        raise CheckerRefusal(field, f"pattern: {refusal}") from None


def _is_length(value: Any) -> bool:
    return is_number(value) and float(value).is_integer() and 0 <= value <= MAX_LENGTH
