"""Parses answers as I-JSON: strict, with bounded depth, numbers as doubles."""

import json
import math
from typing import Any, Dict, List, Tuple

from .canonical import is_well_formed

#: Requests have 64. Answers wrap the content of requests.
MAX_DEPTH = 128
#: An int with more digits may not be exact as a double.
_EXACT_DIGITS = 15


def parse_json(raw: bytes) -> Any:
    """Raises ValueError for bad UTF-8 or JSON, duplicate keys, numbers beyond a double, U+0000, lone surrogates, and
    depth above 128.
    """
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_double,
            parse_int=_integer,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _look(value)
    return value


def _unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a duplicate key")
    return found


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _double(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number beyond a double")
    return number


def _integer(text: str) -> Any:
    if len(text) <= _EXACT_DIGITS:
        return int(text)
    number = _double(text)
    # A number that a double represents exactly stays an int.
    return int(number) if abs(number) <= 2**53 else number


def _look(value: Any) -> None:
    pending: List[Tuple[Any, int]] = [(value, 0)]
    while pending:
        current, depth = pending.pop()
        if isinstance(current, str):
            if "\0" in current or not is_well_formed(current):
                raise ValueError("a character that is none")
        elif isinstance(current, (dict, list)):
            if depth == MAX_DEPTH:
                raise ValueError("nested too deeply")
            if isinstance(current, dict):
                pending.extend((key, depth + 1) for key in current)
            children = current.values() if isinstance(current, dict) else current
            pending.extend((child, depth + 1) for child in children)
