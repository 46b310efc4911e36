"""Sends one HTTP request with bounds of time and size. Follows no redirect and repeats nothing."""

import contextlib
import email.utils
import math
import re
import socket
import threading
import time
from typing import Any, Dict, Iterator, Optional, Tuple

import httpx

from .errors import Attempt, ForumError, ForumNetworkError
from .ijson import parse_json

#: Far more than any page of the service. The limit is against hostile servers.
MAX_RESPONSE_BYTES = 16 * 1024 * 1024
_SECONDS = re.compile("[0-9]{1,9}")


#: Raised before there is a connection to the forum. A proxy that refuses one raises a ProxyError.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)
_CONNECTED = ("connect_tcp.complete", "start_tls.complete")


class Connections:
    """The connections of a client with a time limit for a whole exchange. The time-outs of httpx apply to each read,
    and the head of an answer may take any number of reads.
    """

    def __init__(self) -> None:
        self._streams: Tuple[Any, ...] = ()

    @contextlib.contextmanager
    def bounded(self, request: httpx.Request, seconds: Optional[float]) -> Iterator[float]:
        """Yields the deadline by the monotonic clock. Raises httpx.ReadTimeout after it."""
        if seconds is None:
            yield math.inf
            return
        deadline = time.monotonic() + seconds
        late = httpx.ReadTimeout("the answer took too long", request=request)

        def trace(event: str, info: Dict[str, Any]) -> None:
            if event.endswith(_CONNECTED):
                self._streams = (*self._streams, info["return_value"])[-4:]
                # The timer has closed the connections.
                if time.monotonic() > deadline:
                    raise late

        request.extensions = {**request.extensions, "trace": trace}
        timer = threading.Timer(seconds, self._shut)
        timer.daemon = True
        timer.start()
        try:
            yield deadline
        except (httpx.HTTPError, OSError) as error:
            if time.monotonic() > deadline and not isinstance(error, httpx.TimeoutException):
                raise late from error
            raise
        finally:
            timer.cancel()

    def _shut(self) -> None:
        """Closes the connections. A read that waits fails at once; httpx opens new connections."""
        for stream in self._streams:
            with contextlib.suppress(OSError, AttributeError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def exchange(client: httpx.Client, request: httpx.Request, connections: Connections) -> Any:
    """Sends once and returns the JSON of the answer. Raises ForumError for a refusal, and ForumNetworkError without an
    answer. The caller has signed the request.
    """
    try:
        with connections.bounded(request, client.timeout.read) as deadline:
            response = client.send(request, auth=None, stream=True, follow_redirects=False)
            try:
                raw = _read_bounded(response, deadline)
            finally:
                response.close()
    except (httpx.HTTPError, OSError) as error:
        timed_out = isinstance(error, httpx.TimeoutException)
        is_unsent = isinstance(error, _UNSENT)
        what = "nothing was sent" if is_unsent else "no answer"
        message = f"{what} in time" if timed_out else f"{what}: {error or type(error).__name__}"
        attempt = attempt_of(request)
        raise ForumNetworkError(message, timed_out=timed_out, attempt=attempt, is_unsent=is_unsent) from error
    if 300 <= response.status_code < 400:
        raise _refusal(response, {"error": "redirect_refused"})
    try:
        body = parse_json(raw) if raw else None
    except ValueError:
        raise _refusal(response, None) from None
    if not response.is_success:
        raise _refusal(response, body)
    # Every operation returns an object, so this answer is not the forum's.
    if not isinstance(body, dict):
        raise _refusal(response, None)
    return body


def _read_bounded(response: httpx.Response, deadline: float) -> bytes:
    chunks = bytearray()
    for chunk in response.iter_bytes():
        chunks += chunk
        # The transport has no connections that could be closed.
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("the answer took too long", request=response.request)
        if len(chunks) > MAX_RESPONSE_BYTES:
            raise OSError(f"the answer exceeds {MAX_RESPONSE_BYTES} bytes")
    return bytes(chunks)


def attempt_of(request: httpx.Request) -> Optional[Attempt]:
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
        attempt=attempt_of(response.request),
        outcome=response.headers.get("x-svc-outcome"),
    )


def _seconds_of(date: Optional[str]) -> Optional[float]:
    try:
        return email.utils.parsedate_to_datetime(date or "").timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
