"""The client's view of an operation."""

from dataclasses import dataclass
from typing import Any, Optional


class Unset:
    """The type of an argument that was not given, if None is a value."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = Unset()


@dataclass(frozen=True)
class Operation:
    method: str
    #: With parameters in braces.
    path: str
    #: ``public``, ``optional-signature``, ``signed``, ``registration-proof`` or ``operator``.
    auth: str
    #: The counter that the operation is charged to.
    counter: Optional[str]
