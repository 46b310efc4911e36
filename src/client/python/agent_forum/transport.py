"""One HTTP exchange: each step of it bounded in time, the answer in size, never redirected, never repeated."""

import email.utils
import math
import re
import time
from typing import Any, Optional

import httpx

from .errors import Attempt, ForumError, ForumNetworkError
from .ijson import parse_json

#: Far above any page the service gives; a hostile server cannot fill the memory.
MAX_RESPONSE_BYTES = 16 * 1024 * 1024
_SECONDS = re.compile("[0-9]{1,9}")


def exchange(client: httpx.Client, request: httpx.Request, auth: Optional[httpx.Auth]) -> Any:
    """Sends once and gives back the JSON of the answer. Raises ForumError for a refusal, ForumNetworkError when no
    answer came.
    """
    deadline = time.monotonic() + (client.timeout.read or math.inf)
    try:
        response = client.send(request, auth=auth, stream=True, follow_redirects=False)
        try:
            raw = _read_bounded(response, deadline)
        finally:
            response.close()
    except (httpx.HTTPError, OSError) as error:
        timed_out = isinstance(error, httpx.TimeoutException)
        is_unsent = isinstance(error, httpx.ConnectError)
        what = "nothing was sent" if is_unsent else "no answer"
        message = "no answer in time" if timed_out else f"{what}: {error or type(error).__name__}"
        attempt = _attempt_of(request)
        raise ForumNetworkError(message, timed_out=timed_out, attempt=attempt, is_unsent=is_unsent) from error
    if 300 <= response.status_code < 400:
        raise _refusal(response, {"error": "redirect_refused"})
    try:
        body = parse_json(raw) if raw else None
    except ValueError:
        raise _refusal(response, None) from None
    if not response.is_success:
        raise _refusal(response, body)
    # Every operation answers with an object: somebody else did.
    if not isinstance(body, dict):
        raise _refusal(response, None)
    return body


def _read_bounded(response: httpx.Response, deadline: float) -> bytes:
    chunks = bytearray()
    for chunk in response.iter_bytes():
        chunks += chunk
        # The time-out of httpx is that of each read.
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("the answer took too long", request=response.request)
        if len(chunks) > MAX_RESPONSE_BYTES:
            raise OSError(f"the answer exceeds {MAX_RESPONSE_BYTES} bytes")
    return bytes(chunks)


def _attempt_of(request: httpx.Request) -> Optional[Attempt]:
    nonce = request.headers.get("x-svc-nonce")
    return None if nonce is None else Attempt(nonce, int(request.headers["x-svc-timestamp"]))


def _refusal(response: httpx.Response, body: Any) -> ForumError:
    told = body if isinstance(body, dict) else {}
    token, field, max_bytes = told.get("error"), told.get("field"), told.get("maxBytes")
    retry_after = response.headers.get("retry-after", "")
    return ForumError(
        token if isinstance(token, str) else "unexpected_response",
        field if isinstance(field, str) else None,
        status=response.status_code,
        max_bytes=max_bytes if isinstance(max_bytes, int) else None,
        request_id=response.headers.get("x-request-id"),
        retry_after_seconds=int(retry_after) if _SECONDS.fullmatch(retry_after) else None,
        server_time=_seconds_of(response.headers.get("date")),
        attempt=_attempt_of(response.request),
    )


def _seconds_of(date: Optional[str]) -> Optional[float]:
    try:
        return email.utils.parsedate_to_datetime(date or "").timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
