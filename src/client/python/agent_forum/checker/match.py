"""Matching without backtracking.

A term maps the set of all its start positions to the set of its end positions. A set is an int with one bit for each
position. Groups are never quantified, so each term is applied at most once: the cost is the length of the pattern times
that of the subject.
"""

from .pattern import Assertion, Atom, Branch, Group, Pattern
from .subject import Subject


def matches_anywhere(pattern: Pattern, subject: Subject) -> bool:
    """Like ``RegExp.prototype.test`` of ECMAScript without flags."""
    return _through_branches(pattern, subject.all(), subject) != 0


def _through_branches(branches: Pattern, starts: int, subject: Subject) -> int:
    ends = 0
    for branch in branches:
        ends |= _through_branch(branch, starts, subject)
    return ends


def _through_branch(branch: Branch, starts: int, subject: Subject) -> int:
    positions = starts
    for term in branch:
        if isinstance(term, Group):
            positions = _through_branches(term.branches, positions, subject)
        elif isinstance(term, Assertion):
            positions &= _holds_at(term, subject)
        else:
            positions = _repeat(term, positions, subject)
    return positions


def _holds_at(assertion: Assertion, subject: Subject) -> int:
    if assertion.at == "start":
        return 1
    if assertion.at == "end":
        return 1 << subject.length
    boundaries = subject.boundaries()
    return boundaries if assertion.at == "boundary" else boundaries ^ subject.all()


def _repeat(atom: Atom, positions: int, subject: Subject) -> int:
    if atom.min > subject.length:
        return 0
    units = subject.positions_of(atom.units)
    if atom.min > 0:
        positions = (positions & _runs_of(units, atom.min)) << atom.min
    # More repetitions than remaining units are the same as unlimited.
    if atom.max is None or atom.max >= subject.length:
        return _advance_freely(positions, units)
    return _advance_up_to(positions, units, atom.max - atom.min)


def _advance_freely(positions: int, units: int) -> int:
    """Adds every position that is reached over any number of consecutive units. In each run of units the addition
    carries from the first position to the end of the run. The bits that the sum changed are the positions that were
    passed.
    """
    return positions | (((positions & units) + units) ^ units)


def _advance_up_to(positions: int, units: int, limit: int) -> int:
    """Adds every position that is reached over at most ``limit`` consecutive units."""
    runs, covered = units, 0
    # `runs` contains the starts of `covered + 1` consecutive units.
    while 2 * covered + 1 <= limit:
        positions |= (positions & runs) << (covered + 1)
        covered = 2 * covered + 1
        runs &= runs >> ((covered + 1) >> 1)
    if covered < limit:
        positions |= (positions & _runs_of(units, limit - covered)) << (limit - covered)
    return positions


def _runs_of(units: int, count: int) -> int:
    """The positions where ``count`` (at least 1) consecutive units begin."""
    runs, length = units, 1
    while length < count:
        step = min(length, count - length)
        runs &= runs >> step
        length += step
    return runs
