"""A text prepared for matching."""

from bisect import bisect_left
from typing import Dict, List, Optional

from .units import WORD, UnitSet


class Subject:
    """The positions of sets of code units in a text, one bit for each position. Each set is computed once."""

    def __init__(self, units: str) -> None:
        """``units``: one character for each UTF-16 code unit."""
        self.length = len(units)
        masks: Dict[int, bytearray] = {}
        for position, unit in enumerate(map(ord, units)):
            if unit not in masks:
                masks[unit] = bytearray((self.length >> 3) + 1)
            masks[unit][position >> 3] |= 1 << (position & 7)
        self._units = sorted(masks)
        # Prefix sums, so that the positions of a range of units are the difference of two of them.
        self._sums: List[int] = [0]
        for unit in self._units:
            self._sums.append(self._sums[-1] | int.from_bytes(masks[unit], "little"))
        self._known: Dict[UnitSet, int] = {}
        self._boundaries: Optional[int] = None

    def all(self) -> int:
        """Every position, including the end."""
        return (1 << (self.length + 1)) - 1

    def positions_of(self, units: UnitSet) -> int:
        """The positions of the units in the set."""
        positions = self._known.get(units)
        if positions is None:
            positions = 0
            for low, high in units:
                first, end = bisect_left(self._units, low), bisect_left(self._units, high + 1)
                positions |= self._sums[end] ^ self._sums[first]
            self._known[units] = positions
        return positions

    def boundaries(self) -> int:
        """The positions between a word unit and a non-word unit, the start or the end."""
        if self._boundaries is None:
            word = self.positions_of(WORD)
            self._boundaries = word ^ (word << 1)
        return self._boundaries
