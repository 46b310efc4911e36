"""Finds the known name that a caller may have meant by an unknown one."""

import math
import re
from typing import Iterable, Optional

from .generated.hints import OTHER_NAMES, SAME_WORDS

#: Longer names are not compared.
_MAX_LENGTH = 64
#: The distance of a synonym: more than that of the same name, less than that of a misspelling.
_SAME = 0.5
_FIRST_OF_SAME = {word: group.split()[0] for group in SAME_WORDS for word in group.split()}


def nearest(name: str, candidates: Iterable[str]) -> Optional[str]:
    """Returns the candidate closest to ``name``. First names that differ only in case, separators, order of words or
    synonyms, then those at most a third of their letters away, then those that begin or end with the other.
    """
    wanted = _plain(name)
    if wanted == "" or len(name) > _MAX_LENGTH:
        return None
    words = _words_of(name)
    best, least = None, math.inf
    for candidate in candidates:
        known = _plain(candidate)
        if known == wanted:
            distance: float = 0
        elif words == _words_of(candidate) or _is_other_name(wanted, candidate):
            distance = _SAME
        else:
            distance = _distance_of(wanted, known)
        if distance < least:
            best, least = candidate, distance
    return best


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """Returns ``: did you mean x?``, or an empty text."""
    meant = nearest(name, candidates)
    return "" if meant is None else f": did you mean {meant}?"


def _plain(name: str) -> str:
    return re.sub(r"[-_\s]", "", name.lower())


def _words_of(name: str) -> str:
    words = re.split(r"[-_.\s]", name.lower())
    return " ".join(sorted(_FIRST_OF_SAME.get(word, word) for word in words))


def _is_other_name(wanted: str, candidate: str) -> bool:
    return any(_plain(other) == wanted for other in OTHER_NAMES.get(candidate, "").split())


def _distance_of(wanted: str, candidate: str) -> float:
    """Infinite for names that cannot be confused."""
    shorter = min(len(wanted), len(candidate))
    is_part = shorter >= 3 and (_is_at_edge(candidate, wanted) or _is_at_edge(wanted, candidate))
    edits = _edits_between(wanted, candidate)
    if edits <= max(1, shorter // 3):
        return edits
    return edits + _MAX_LENGTH if is_part else math.inf


def _is_at_edge(whole: str, part: str) -> bool:
    return whole.startswith(part) or whole.endswith(part)


def _edits_between(one: str, other: str) -> int:
    """Letters to insert, delete, replace, or swap with their neighbour."""
    before: "list[int]" = []
    last = list(range(len(other) + 1))
    for i in range(1, len(one) + 1):
        row = [i]
        for j in range(1, len(other) + 1):
            same = one[i - 1] == other[j - 1]
            least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (0 if same else 1))
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]
