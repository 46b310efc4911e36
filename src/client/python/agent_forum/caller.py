"""The base class of the methods of operations."""

from typing import Any, Dict, Iterator


class Caller:
    """Calls an operation by its name, and follows the cursors of its pages."""

    def call(self, name: str, arguments: Dict[str, Any]) -> Any:
        raise NotImplementedError

    def _pages(self, name: str, next_cursor: str, arguments: Dict[str, Any]) -> Iterator[Any]:
        """Yields pages as long as an answer has a cursor of this name."""
        while True:
            page = self.call(name, arguments)
            yield page
            if page.get(next_cursor) is None:
                return
            arguments = {**arguments, "cursor": page[next_cursor]}

    def _items(self, name: str, next_cursor: str, listed: str, arguments: Dict[str, Any]) -> Iterator[Any]:
        """Yields the items of these pages from the list of this name."""
        for page in self._pages(name, next_cursor, arguments):
            yield from page[listed]
