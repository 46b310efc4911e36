"""The address of a forum: its origin, and the proxy for it."""

import urllib.request
from typing import Any, Optional, Tuple
from urllib.parse import urlsplit

from .errors import ArgumentError

_USUAL_PORTS = {"http": 80, "https": 443}
_WANTED = "base_url must be a bare http or https origin, such as https://forum.example"


def bare_origin(base_url: str) -> str:
    """Returns scheme, host and port as one text, without the default port. Raises ArgumentError for more than an
    origin.
    """
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ArgumentError(_WANTED) from None
    is_bare = parts.path in ("", "/") and not parts.query and not parts.fragment and "@" not in parts.netloc
    if parts.scheme not in _USUAL_PORTS or not host or not is_bare or any(each.isspace() for each in base_url):
        raise ArgumentError(_WANTED)
    name = f"[{host}]" if ":" in host else _ascii(host)
    return f"{parts.scheme}://{name}" + ("" if port in (None, _USUAL_PORTS[parts.scheme]) else f":{port}")


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        raise ArgumentError(_WANTED) from None


def origin_of(url: Any) -> Tuple[str, str, int]:
    """Returns scheme, host and port of a URL of ``httpx`` or ``httpx2``."""
    return url.scheme, url.host, _USUAL_PORTS.get(url.scheme, 0) if url.port is None else url.port


def environment_proxy(base_url: str) -> Optional[str]:
    """Finds the proxy for a forum in ``HTTPS_PROXY``, ``HTTP_PROXY`` and ``NO_PROXY``. Clients with a transport of
    their own do not read the environment.

    Args:
        base_url: The origin of the forum.

    Returns:
        The address of the proxy, or None.
    """
    parts = urlsplit(base_url)
    proxies = urllib.request.getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass(parts.netloc):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
