"""Patterns of ``matches``: a subset of ECMAScript's regular expressions without flags, over UTF-16 code units."""

import re
from dataclasses import dataclass
from typing import List, NamedTuple, Optional, Tuple, Union

from ..canonical import code_points, is_well_formed, units_of
from .limits import MAX_COUNT, MAX_GROUP_NESTING, MAX_PATTERN_CHARACTERS
from .refusal import PatternRefusal
from .units import CLASS_ESCAPES, DOT, UnitSet, complement, single_unit, unit_set


@dataclass(frozen=True)
class Atom:
    units: UnitSet
    min: int
    #: None: unlimited.
    max: Optional[int]


@dataclass(frozen=True)
class Assertion:
    #: ``start``, ``end``, ``boundary`` or ``inside``.
    at: str


@dataclass(frozen=True)
class Group:
    branches: "Pattern"


Term = Union[Atom, Assertion, Group]
Branch = Tuple[Term, ...]
#: Branches, each a sequence of terms. One of them has to match.
Pattern = Tuple[Branch, ...]

_QUANTIFIER = re.compile(r"(?:[*+?]|\{([0-9]+)(?:(,)([0-9]*))?\})\??")
_UNIT_ESCAPE = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|0(?![0-9])|[tnvfr]|[!-/:-@\[-`{-~]")
_CONTROLS = {"0": 0, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_ASSERTIONS = {"^": "start", "$": "end", "\\b": "boundary", "\\B": "inside"}
#: Groups of other dialects by their beginning; the first match counts.
_UNSUPPORTED_GROUPS = (
    ("(?=", "look-ahead"),
    ("(?!", "look-ahead"),
    ("(?<=", "look-behind"),
    ("(?<!", "look-behind"),
    ("(?<", "a named group"),
    ("(?P", "a named group"),
)
_SYNTAX_CHARACTERS = frozenset("^$\\.*+?()[]{}|")


def parse_pattern(text: str) -> Pattern:
    """Parses a pattern of at most 256 code points. Raises PatternRefusal for unsupported syntax, including that of
    Annex B.
    """
    if code_points(text) > MAX_PATTERN_CHARACTERS:
        raise PatternRefusal(f"longer than {MAX_PATTERN_CHARACTERS} characters")
    if not is_well_formed(text):
        raise PatternRefusal("a lone surrogate")
    units = units_of(text)
    reader = _Reader(units)
    branches, _ = reader.branches(0)
    if reader.at < len(units):
        raise reader.refusal("an unmatched )")
    return branches


class _Edges(NamedTuple):
    """Where quantified atoms could be adjacent: ``opens`` and ``closes`` if a match can start or end with one,
    ``transparent`` if it can have no atom.
    """

    opens: bool
    closes: bool
    transparent: bool


_NO_ATOM = _Edges(opens=False, closes=False, transparent=True)
_Piece = Tuple[Tuple[Term, ...], _Edges]


class _Reader:
    def __init__(self, units: str) -> None:
        self.units = units
        self.at = 0

    def refusal(self, what: str) -> PatternRefusal:
        return PatternRefusal(f"{what} at {self.at}")

    def branches(self, nesting: int) -> Tuple[Pattern, _Edges]:
        terms, edges = self._branch(nesting)
        branches = [terms]
        while self._starts("|"):
            self.at += 1
            terms, others = self._branch(nesting)
            branches.append(terms)
            edges = _Edges(*(one or other for one, other in zip(edges, others)))
        return tuple(branches), edges

    def _starts(self, text: str) -> bool:
        return self.units.startswith(text, self.at)

    def _peek(self) -> str:
        """The next unit; empty at the end."""
        return self.units[self.at : self.at + 1]

    def _branch(self, nesting: int) -> _Piece:
        terms: List[Term] = []
        before = _NO_ATOM
        while self._peek() not in ("|", ")", ""):
            read, edges = self._term(nesting)
            if before.closes and edges.opens:
                raise self.refusal("adjacent quantified atoms")
            terms.extend(read)
            before = _Edges(
                opens=before.opens or (before.transparent and edges.opens),
                closes=edges.closes or (edges.transparent and before.closes),
                transparent=before.transparent and edges.transparent,
            )
        return tuple(terms), before

    def _term(self, nesting: int) -> _Piece:
        head = self.units[self.at : self.at + (2 if self._starts("\\") else 1)]
        if head == "(":
            return self._group(nesting + 1)
        if head not in _ASSERTIONS:
            return self._atoms()
        self.at += len(head)
        self._refuse_quantifier("a quantified assertion")
        return (Assertion(_ASSERTIONS[head]),), _NO_ATOM

    def _group(self, nesting: int) -> _Piece:
        if nesting > MAX_GROUP_NESTING:
            raise self.refusal(f"groups nested deeper than {MAX_GROUP_NESTING}")
        unsupported = next((what for start, what in _UNSUPPORTED_GROUPS if self._starts(start)), None)
        if unsupported is not None:
            raise self.refusal(f"{unsupported} is not supported")
        self.at += 3 if self._starts("(?:") else 1
        branches, edges = self.branches(nesting)
        if not self._starts(")"):
            raise self.refusal("an unclosed group")
        self.at += 1
        self._refuse_quantifier("a quantified group")
        return (Group(branches),), edges

    def _atoms(self) -> _Piece:
        if _is_surrogate(self._peek()):
            return self._astral()
        units = self._units()
        count = self._quantifier()
        low, high = (1, 1) if count is None else count
        quantified = count is not None
        return (Atom(units, low, high),), _Edges(opens=quantified, closes=quantified, transparent=False)

    def _astral(self) -> _Piece:
        halves = self.units[self.at : self.at + 2]
        self.at += 2
        self._refuse_quantifier("a quantified character above U+FFFF")
        terms = tuple(Atom(single_unit(ord(half)), 1, 1) for half in halves)
        return terms, _Edges(opens=False, closes=False, transparent=False)

    def _units(self) -> UnitSet:
        character = self._peek()
        if character == "\\":
            return self._escape()
        if character == "[":
            return self._class()
        if character != "." and character in _SYNTAX_CHARACTERS:
            raise self.refusal(f"an unescaped {character}")
        self.at += 1
        return DOT if character == "." else single_unit(ord(character))

    def _escape(self) -> UnitSet:
        letter = self.units[self.at + 1 : self.at + 2]
        if letter in CLASS_ESCAPES:
            self.at += 2
            return CLASS_ESCAPES[letter]
        match = _UNIT_ESCAPE.match(self.units, self.at + 1)
        if match is None:
            raise self.refusal("an escape that is not supported")
        self.at = match.end()
        digits = match[1] or match[2]
        return single_unit(int(digits, 16) if digits else _CONTROLS.get(letter, ord(letter)))

    def _class(self) -> UnitSet:
        negated = self._starts("[^")
        self.at += 2 if negated else 1
        ranges: List[Tuple[int, int]] = []
        while not self._starts("]"):
            low = self._class_member()
            if not self._starts("-") or self._starts("-]"):
                ranges.extend(low)
                continue
            self.at += 1
            ends = self._end_of_range(low), self._end_of_range(self._class_member())
            ranges.append(ends)
            if ends[0] > ends[1]:
                raise self.refusal("a range out of order")
        if not ranges:
            raise self.refusal("an empty class")
        self.at += 1
        return complement(unit_set(ranges)) if negated else unit_set(ranges)

    def _class_member(self) -> UnitSet:
        character = self._peek()
        if character == "":
            raise self.refusal("an unclosed class")
        if character == "[" or _is_surrogate(character):
            raise self.refusal("an unescaped [ or a character above U+FFFF in a class")
        if character == "\\":
            return self._escape()
        self.at += 1
        return single_unit(ord(character))

    def _end_of_range(self, member: UnitSet) -> int:
        if len(member) != 1 or member[0][0] != member[0][1]:
            raise self.refusal("a class escape as the end of a range")
        return member[0][0]

    def _quantifier(self) -> Optional[Tuple[int, Optional[int]]]:
        match = _QUANTIFIER.match(self.units, self.at)
        if match is None:
            return None
        self.at = match.end()
        least, comma, most = match.groups()
        if least is None:
            return (1 if match[0][0] == "+" else 0), (1 if match[0][0] == "?" else None)
        low = int(least)
        high = low if comma is None else int(most) if most else None
        if low > MAX_COUNT or (high is not None and high > MAX_COUNT):
            raise self.refusal(f"a count over {MAX_COUNT}")
        if high is not None and low > high:
            raise self.refusal("a count range out of order")
        return low, high

    def _refuse_quantifier(self, what: str) -> None:
        if self._quantifier() is not None:
            raise self.refusal(what)


def _is_surrogate(unit: str) -> bool:
    return "\ud800" <= unit <= "\udfff"
