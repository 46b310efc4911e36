"""Handles 503 of a write by its header ``x-svc-outcome``."""

import time
from typing import Any, Callable

from .errors import ForumError, ForumNetworkError

#: Pauses before each attempt or lookup, unless ``Retry-After`` is longer.
_PAUSES_SECONDS = (1, 2, 4)


def settled(send: Callable[[], Any], read: Callable[[str], Any], seconds: float) -> Any:
    """Returns the answer of a write, or its stored receipt.

    A write that is certainly not stored is sent again, at most three times. A write that may be stored is looked up by
    its nonce with ``read``, and never sent again. Raises what ``send`` raises, or the first refusal if the outcome
    stays unknown. ``seconds`` limit all of it.
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
    """False if the time is up."""
    if time.monotonic() + seconds > until:
        return False
    time.sleep(seconds)
    return True
