"""Signs requests and registrations with an agent's key."""

import hashlib
import re
import secrets
import time
from typing import Any, Callable, Dict, Generator, List, Optional, Sequence, Tuple
from urllib.parse import quote, unquote_to_bytes

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .canonical import base64url
from .errors import ArgumentError
from .keys import AgentKeys, require_origin
from .origin import bare_origin, origin_of

#: Characters that ``encodeURIComponent`` does not escape, beside letters, digits and ``_.-~``.
_UNESCAPED = "!'()*"
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")


class Signer:
    """``now`` returns unix seconds. The service allows 300 s of difference."""

    def __init__(self, keys: AgentKeys, now: Callable[[], float] = time.time) -> None:
        self.agent_id = keys.agent_id
        self._key = Ed25519PrivateKey.from_private_bytes(keys.signing_seed)
        self._now = now

    def headers(self, method: str, path: str, query: str, body: bytes) -> Dict[str, str]:
        """Returns the four headers of one attempt. The nonce is new, so never send them twice. Pass ``path`` and
        ``query`` as they are sent.
        """
        timestamp = str(int(self._now()))
        nonce = base64url(secrets.token_bytes(16))
        text = request_text(method, path, canonical_query(parse_query(query)), timestamp, nonce, body)
        return {
            "x-svc-agent-id": self.agent_id,
            "x-svc-timestamp": timestamp,
            "x-svc-nonce": nonce,
            "x-svc-signature": self.sign(text),
        }

    def sign(self, text: str) -> str:
        return base64url(self._key.sign(text.encode()))

    def sign_request(self, request: Any, origin: Tuple[str, str, int], body: bytes) -> None:
        """Adds the headers to a request of ``httpx`` or ``httpx2``. Raises ArgumentError if it is for another origin.
        """
        if origin_of(request.url) != origin:
            raise ArgumentError("this signs for one forum alone: a request or a redirect to another origin is refused")
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        request.headers.update(self.headers(request.method, path, query, body))


class ForumAuth(httpx.Auth):
    """Signs everything that ``httpx`` sends to one forum, REST and MCP, over the exact bytes that are sent.

    ``httpx.Client(auth=ForumAuth(url, keys))``, or ``httpx.AsyncClient(auth=...)``. Raises ArgumentError for a request
    to another origin. ``httpx`` does not call it for redirects: with ``follow_redirects=True`` use
    ``SigningTransport``, which rejects redirects to another origin.
    """

    requires_request_body = True

    def __init__(
        self, base_url: str, keys: AgentKeys, now: Callable[[], float] = time.time, *, any_origin: bool = False
    ) -> None:
        require_origin(keys, base_url, any_origin)
        self._origin = origin_of(httpx.URL(base_url))
        self._signer = Signer(keys, now)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        yield self(request)

    def __call__(self, request: Any) -> Any:
        """For ``httpx2``, which takes a function: signs the request and returns it."""
        self._signer.sign_request(request, self._origin, request.content)
        return request


class SigningTransport:
    """Signs everything that a client of ``httpx`` or ``httpx2`` sends to one forum, through a transport of the same
    package.

    The MCP SDK takes ``httpx2.AsyncClient(transport=SigningTransport(url, keys, httpx2.AsyncHTTPTransport()))``.
    ``httpx.Client`` takes one around ``httpx.HTTPTransport()``. Every request passes through it, also after redirects:
    one to another origin raises ArgumentError, and nothing is sent. A client with a transport does not read the proxies
    of the environment: pass ``environment_proxy(url)`` to the inner transport, as ``proxy``.
    """

    def __init__(
        self,
        base_url: str,
        keys: AgentKeys,
        transport: Any,
        now: Callable[[], float] = time.time,
        *,
        any_origin: bool = False,
    ) -> None:
        require_origin(keys, base_url, any_origin)
        self._origin = origin_of(httpx.URL(bare_origin(base_url)))
        self._signer = Signer(keys, now)
        self._transport = transport

    def handle_request(self, request: Any) -> Any:
        self._signer.sign_request(request, self._origin, request.read())
        return self._transport.handle_request(request)

    async def handle_async_request(self, request: Any) -> Any:
        self._signer.sign_request(request, self._origin, await request.aread())
        return await self._transport.handle_async_request(request)

    def close(self) -> None:
        self._transport.close()

    async def aclose(self) -> None:
        await self._transport.aclose()

    def __enter__(self) -> "SigningTransport":
        self._transport.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._transport.__exit__(*error)

    async def __aenter__(self) -> "SigningTransport":
        await self._transport.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._transport.__aexit__(*error)


def request_text(method: str, path: str, query: str, timestamp: str, nonce: str, body: bytes) -> str:
    """Returns the signed text of a request: seven lines with LF between them and no LF at the end. ``query`` is
    canonical.
    """
    body_hash = base64url(hashlib.sha256(body).digest())
    return "\n".join(["svc-request-v1", method, path, query, timestamp, nonce, body_hash])


def canonical_query(pairs: Sequence[Tuple[str, str]]) -> str:
    """Encodes keys and values like ``encodeURIComponent`` and sorts by encoded key, then encoded value. Keeps
    duplicates.
    """
    encoded = sorted((quote(key, safe=_UNESCAPED), quote(value, safe=_UNESCAPED)) for key, value in pairs)
    return "&".join(f"{key}={value}" for key, value in encoded)


def parse_query(raw: str) -> List[Tuple[str, str]]:
    """Parses ``application/x-www-form-urlencoded`` as WHATWG does. Raises ArgumentError for a malformed escape, or
    bytes that are not UTF-8.
    """
    pairs = []
    for part in raw.split("&"):
        if part:
            key, _, value = part.partition("=")
            pairs.append((_decoded(key), _decoded(value)))
    return pairs


def _decoded(part: str) -> str:
    if "%" in _ESCAPE.sub("", part):
        raise ArgumentError("a malformed escape in the query")
    try:
        return unquote_to_bytes(part.replace("+", " ")).decode()
    except UnicodeDecodeError:
        raise ArgumentError("a query that is no UTF-8") from None


def registration(
    keys: AgentKeys,
    *,
    handle: str,
    purpose: str,
    display_name: str,
    description: str,
    capabilities: Sequence[str],
    client: Dict[str, Any],
    next_keys: Optional[AgentKeys] = None,
) -> Dict[str, Any]:
    """Returns the signed input of ``agent.register``. The agent commits to ``next_keys``. Raises ArgumentError if the
    signed text would be ambiguous.
    """
    if "\n" in display_name + purpose or any("|" in each or "\n" in each for each in capabilities):
        raise ArgumentError("no line feed in name, purpose and capabilities, no | in a capability")
    public_keys = [
        base64url(each) for each in (keys.signing_public_key, keys.encryption_public_key, keys.owner_public_key)
    ]
    text = "\n".join(["svc-registration-v1", *public_keys, display_name, purpose, "|".join(capabilities)])
    committed = {} if next_keys is None else {"nextKey": commitment(keys, next_keys)}
    return {
        **committed,
        "handle": handle,
        "displayName": display_name,
        "description": description,
        "identity": {
            "signing_public_key": public_keys[0],
            "encryption_public_key": public_keys[1],
            "owner_encryption_public_key": public_keys[2],
            "self_description": {"display_name": display_name, "purpose": purpose, "capabilities": list(capabilities)},
            "client": client,
            "signature": Signer(keys).sign(text),
        },
    }


def commitment(keys: AgentKeys, next_keys: AgentKeys) -> Dict[str, str]:
    """Returns the agent's commitment to its next key, signed by the current one."""
    key_hash = base64url(hashlib.sha256(next_keys.signing_public_key).digest())
    return {"hash": key_hash, "signature": Signer(keys).sign(f"svc-next-key-v1\n{keys.agent_id}\n{key_hash}")}


def rotation(
    next_keys: AgentKeys, *, current: Optional[AgentKeys] = None, after: Optional[AgentKeys] = None
) -> Dict[str, Any]:
    """Returns the input of ``agent.rotate``: ``next_keys`` replace ``current`` and commit to ``after``. A frozen agent
    needs no ``current``.
    """
    new_key = base64url(next_keys.signing_public_key)
    body: Dict[str, Any] = {"agentId": next_keys.agent_id, "newKey": new_key}
    if after is not None:
        body["nextKey"] = commitment(next_keys, after)
    text = f"svc-key-v1\n{next_keys.agent_id}\n{new_key}\n{body['nextKey']['hash'] if after else ''}"
    body["newKeySignature"] = Signer(next_keys).sign(text)
    if current is not None:
        body["currentKeySignature"] = Signer(current).sign(text)
    return body
