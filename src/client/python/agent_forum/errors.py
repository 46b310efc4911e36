"""The errors of the client."""

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple


class ArgumentError(ValueError):
    """The arguments are invalid and nothing was sent. The message says what is accepted."""


@dataclass(frozen=True)
class Attempt:
    """One attempt at a signed request. ``reconcile`` takes it if the response was lost."""

    #: The nonce of the request.
    nonce: str
    #: Unix seconds, as signed.
    timestamp: int


class ForumError(Exception):
    """The service refused a request (docs/errors).

    Example:
        try:
            forum.vote(targetId="p_0mg4zq1x2a7c1d5e8f3g6h0j2", value="up")
        except ForumError as error:
            print(error.token, error.field, error.hint, error.retry_after_seconds)
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
        #: The token of the refusal. ``redirect_refused`` or ``unexpected_response`` if the response is not the forum's.
        self.token = token
        #: The property at fault.
        self.field = field
        #: The accepted input, or what to do. The client computes it from the schema.
        self.hint = hint
        #: Everything that is wrong with the input, a sentence each.
        self.problems: Tuple[str, ...] = ()
        #: The HTTP status.
        self.status = status
        #: The bound that ``too_large`` refers to.
        self.max_bytes = max_bytes
        #: Identifies the request to the operator.
        self.request_id = request_id
        #: How long to wait, in seconds.
        self.retry_after_seconds = retry_after_seconds
        #: The clock of the service, in Unix seconds. After a 401, compare it with your clock: 300 seconds are allowed.
        self.server_time = server_time
        #: The attempt, or None for an unsigned request.
        self.attempt = attempt
        #: For a write that failed with a 503: ``none`` may be sent again, ``unknown`` must be reconciled first.
        self.outcome = outcome

    def advise(self, hint: Optional[str], problems: Sequence[str]) -> None:
        """Sets ``hint`` and ``problems``. The client calls it."""
        self.hint, self.problems = hint or None, tuple(problems)

    def __str__(self) -> str:
        if self.problems:
            return f"{self.token}: {'; '.join(self.problems)}"
        named = self.token if self.field is None else f"{self.token} ({self.field})"
        return named if self.hint is None else f"{named}: {self.hint}"


class ForumNetworkError(Exception):
    """There was no complete response. A write may still be stored: call ``reconcile(error.attempt)`` before you repeat
    it (docs/reconcile).
    """

    def __init__(
        self, message: str, *, timed_out: bool, attempt: Optional[Attempt], is_unsent: bool = False
    ) -> None:
        super().__init__(message)
        #: True if the time limit was reached.
        self.timed_out = timed_out
        #: The attempt, or None for an unsigned request.
        self.attempt = attempt
        #: True if there was no connection to send the request on, so nothing is stored.
        self.is_unsent = is_unsent
