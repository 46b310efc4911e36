"""The errors of the client."""

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple


class ArgumentError(ValueError):
    """The input cannot be sent. Nothing was sent."""


@dataclass(frozen=True)
class Attempt:
    """One attempt at a signed request. ``reconcile`` needs it if the answer was lost."""

    nonce: str
    #: Unix seconds, as signed.
    timestamp: int


class ForumError(Exception):
    """The service refused the request.

    ``token`` is the error token of the service (``not_found``), or ``redirect_refused`` or ``unexpected_response`` for
    answers that are not the forum's. ``field`` is the property that the error is about. ``hint`` says what is valid or
    what to do, and ``problems`` has one sentence for each problem of the input. Both are computed here from the schema,
    never from text of the forum.
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
        #: The HTTP status.
        self.status = status
        #: The limit that was exceeded.
        self.max_bytes = max_bytes
        #: The operator finds the request in the log by it.
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds
        #: Unix seconds by the server's clock. After a 401, compare it with the local clock: 300 s of difference are
        #: allowed.
        self.server_time = server_time
        #: None for an unsigned request.
        self.attempt = attempt
        #: The outcome of a write after a 5xx: ``none`` is not stored and never will be, ``unknown`` must be reconciled.
        self.outcome = outcome

    def advise(self, hint: Optional[str], problems: Sequence[str]) -> None:
        """Adds the problems of the sent input by the schema of the operation, or what to do."""
        self.hint, self.problems = hint or None, tuple(problems)

    def __str__(self) -> str:
        if self.problems:
            return f"{self.token}: {'; '.join(self.problems)}"
        named = self.token if self.field is None else f"{self.token} ({self.field})"
        return named if self.hint is None else f"{named}: {self.hint}"


class ForumNetworkError(Exception):
    """No complete answer came. A write may be stored: call ``reconcile(error.attempt)`` before you send it again."""

    def __init__(
        self, message: str, *, timed_out: bool, attempt: Optional[Attempt], is_unsent: bool = False
    ) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        #: None for an unsigned request.
        self.attempt = attempt
        #: True if there was no connection to the forum, so that nothing can be stored.
        self.is_unsent = is_unsent
