"""JSON values for the checker: Python's dict, list, str, bool, None, and int and float, which are both doubles."""

import math
import re
from typing import Any, Dict, Iterable, List, Tuple

from ..canonical import is_well_formed, number_text, units_of

_ESCAPED_IN_TWO = frozenset('"\\\b\f\n\r\t')
_ARRAY_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,9})")


def is_number(value: Any) -> bool:
    """True for a finite number. False for True and False, which are ints in Python."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def has_exactly(value: Dict[str, Any], properties: Iterable[str]) -> bool:
    """True if the object has exactly these properties."""
    return set(value) == set(properties)


def keys_in_order(value: Dict[str, Any]) -> List[str]:
    """Returns the keys in the order of ECMAScript: indices in ascending order, then the others in order of insertion.
    """
    indices = {key for key in value if _ARRAY_INDEX.fullmatch(key) and int(key) < 2**32 - 1}
    return sorted(indices, key=int) + [key for key in value if key not in indices]


def measure_json(value: Any, max_units: int) -> Tuple[float, int]:
    """Returns the canonical size (RFC 8785, in UTF-16 code units) and the depth of a value. A scalar has depth 0,
    ``[]`` depth 1.

    A value without a canonical form (not JSON, not finite, a lone surrogate) has infinite size. Stops at ``max_units``,
    so that deep or circular values are safe. The returned size is then only a lower bound above the limit.
    """
    pending: List[Tuple[Any, int]] = [(value, 0)]
    units: float = 0
    deepest = 0
    while pending and units <= max_units:
        current, depth = pending.pop()
        if not isinstance(current, (dict, list)):
            units += _scalar_units(current)
            continue
        deepest = max(deepest, depth + 1)
        units += 2 + max(0, len(current) - 1)
        if isinstance(current, dict):
            units += sum(_scalar_units(key) + 1 if isinstance(key, str) else math.inf for key in current)
        if units > max_units:
            break
        children = current.values() if isinstance(current, dict) else current
        pending.extend((child, depth + 1) for child in children)
    return units, deepest


def _scalar_units(value: Any) -> float:
    if isinstance(value, str):
        return _string_units(value)
    if isinstance(value, bool):
        return 4 if value else 5
    if value is None:
        return 4
    return len(number_text(value)) if is_number(value) else math.inf


def _string_units(text: str) -> float:
    if not is_well_formed(text):
        return math.inf
    escapes = sum(1 if sign in _ESCAPED_IN_TWO else 5 if sign < " " else 0 for sign in text)
    return 2 + len(units_of(text)) + escapes


def why_no_object(value: Any) -> str:
    """Explains why a value is not an object: callers often send JSON text."""
    return "an object, not JSON in a string" if isinstance(value, str) else "must be an object"
