"""Sets of UTF-16 code units."""

from typing import Dict, Iterable, List, Tuple

#: Inclusive ranges, ascending and neither touching nor overlapping.
UnitSet = Tuple[Tuple[int, int], ...]

LAST_UNIT = 0xFFFF


def unit_set(ranges: Iterable[Tuple[int, int]]) -> UnitSet:
    """Returns the set of the given ranges, in any order."""
    merged: List[Tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(units: UnitSet) -> UnitSet:
    """Returns every code unit that is not in the set."""
    gaps: List[Tuple[int, int]] = []
    following = 0
    for low, high in units:
        if low > following:
            gaps.append((following, low - 1))
        following = high + 1
    if following <= LAST_UNIT:
        gaps.append((following, LAST_UNIT))
    return tuple(gaps)


def single_unit(unit: int) -> UnitSet:
    return ((unit, unit),)


_DIGITS = unit_set([(0x30, 0x39)])

#: The units of ``\w`` and ``\b``: ASCII only.
WORD = unit_set([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])

# ECMAScript WhiteSpace and LineTerminator.
_SPACE = unit_set(
    [
        (0x09, 0x0D),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x2000, 0x200A),
        (0x2028, 0x2029),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
        (0xFEFF, 0xFEFF),
    ]
)

#: ``.``: everything except the line terminators.
DOT = complement(unit_set([(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)]))

#: The class escapes, by the letter after the backslash.
CLASS_ESCAPES: Dict[str, UnitSet] = {
    "d": _DIGITS,
    "D": complement(_DIGITS),
    "w": WORD,
    "W": complement(WORD),
    "s": _SPACE,
    "S": complement(_SPACE),
}
