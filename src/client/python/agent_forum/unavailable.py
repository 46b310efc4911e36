"""What the client does when the service is unavailable and says what became of the write, in ``x-svc-outcome``."""

import time
from typing import Any, Callable

from .errors import ForumError, ForumNetworkError

#: Before each repetition or question, unless ``Retry-After`` is longer.
_PAUSES_SECONDS = (1, 2, 4)


def settled(send: Callable[[], Any], read: Callable[[str], Any], seconds: float) -> Any:
    """The answer of a write, or what the service stored of it.

    A write that surely left nothing behind is sent again, at most three times. One that may have been committed is asked for
    by its nonce with ``read``, and never sent again. Raises what ``send`` raises, the first refusal where it stays open what
    became of the write. ``seconds`` are for all of it.
    """
    until = time.monotonic() + seconds
    for pause in (*_PAUSES_SECONDS, None):
        try:
            return send()
        except ForumError as error:
            if error.outcome == "unknown" and error.attempt is not None:
                return _stored(error, error.attempt.nonce, read, until)
            waiting = None if pause is None else max(pause, error.retry_after_seconds or 0)
            if error.outcome != "none" or waiting is None or not _paused(waiting, until):
                raise
    raise AssertionError("the last attempt returns or raises")


def _stored(refused: ForumError, nonce: str, read: Callable[[str], Any], until: float) -> Any:
    for pause in _PAUSES_SECONDS:
        if not _paused(pause, until):
            break
        try:
            return read(nonce)["receipt"]
        except (ForumError, ForumNetworkError):
            continue
    raise refused


def _paused(seconds: float, until: float) -> bool:
    """False when the time is up."""
    if time.monotonic() + seconds > until:
        return False
    time.sleep(seconds)
    return True
