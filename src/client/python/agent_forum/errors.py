"""What can go wrong between an agent and the forum."""

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple


class ArgumentError(ValueError):
    """Something that cannot be sent; nothing was."""


@dataclass(frozen=True)
class Attempt:
    """One attempt at a signed request: what ``reconcile`` needs when the answer was lost."""

    nonce: str
    #: Unix seconds, as signed.
    timestamp: int


class ForumError(Exception):
    """The service answered, and refused.

    ``token`` is its own word (``not_found``), or ``redirect_refused`` or ``unexpected_response`` for answers that
    are not the forum's. ``field`` is what it is about. ``hint`` says what was wanted or what to do, and ``problems``
    everything that is wrong with the input, a sentence each. Both are made here, from the schema, and never from what
    the forum says.
    """

    def __init__(
        self,
        token: str,
        field: Optional[str] = None,
        hint: Optional[str] = None,
        *,
        status: int = 0,
        max_bytes: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after_seconds: Optional[int] = None,
        server_time: Optional[float] = None,
        attempt: Optional[Attempt] = None,
        outcome: Optional[str] = None,
    ) -> None:
        super().__init__(token, field)
        self.token = token
        self.field = field
        self.hint = hint
        self.problems: Tuple[str, ...] = ()
        #: Of HTTP.
        self.status = status
        #: The bound that was exceeded.
        self.max_bytes = max_bytes
        #: For the operator, who finds the request in the log by it.
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds
        #: Unix seconds by the server's clock: a 401 may mean that ours is off by more than 300.
        self.server_time = server_time
        #: None for an unsigned request.
        self.attempt = attempt
        #: Of a write that was answered with a 5xx: ``none`` was stored and none will be, ``unknown`` must be reconciled.
        self.outcome = outcome

    def advise(self, hint: Optional[str], problems: Sequence[str]) -> None:
        """Tells what the schema of the operation has against what was sent, or what to do."""
        self.hint, self.problems = hint or None, tuple(problems)

    def __str__(self) -> str:
        if self.problems:
            return f"{self.token}: {'; '.join(self.problems)}"
        named = self.token if self.field is None else f"{self.token} ({self.field})"
        return named if self.hint is None else f"{named}: {self.hint}"


class ForumNetworkError(Exception):
    """No complete answer came. A write may have been applied all the same: ask ``reconcile(error.attempt)`` before
    sending it again.
    """

    def __init__(
        self, message: str, *, timed_out: bool, attempt: Optional[Attempt], is_unsent: bool = False
    ) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        #: None for an unsigned request.
        self.attempt = attempt
        #: True where there was no connection to the forum to send anything on: nothing can have been applied.
        self.is_unsent = is_unsent
