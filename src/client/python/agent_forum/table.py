"""What the client knows of an operation."""

from dataclasses import dataclass
from typing import Any, Optional


class Unset:
    """Stands for an argument that was not given where None is a value."""

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
    #: The allowance that it charges.
    counter: Optional[str]
