"""The entries of the table of operations."""

from dataclasses import dataclass
from typing import Any, Optional


class Unset:
    """The type of ``UNSET``."""

    def __repr__(self) -> str:
        return "UNSET"


#: The default of an argument for which None is a value. It leaves the argument out.
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
