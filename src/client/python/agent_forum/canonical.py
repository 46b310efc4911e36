"""Canonical JSON (RFC 8785), and hashes of it."""

import base64
import hashlib
import json
import math
import re
from typing import Any

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPES.update({chr(code): f"\\u{code:04x}" for code in range(0x20) if chr(code) not in _ESCAPES})
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_ESCAPE_TABLE = str.maketrans(_ESCAPES)


def canonical_json(value: Any) -> str:
    """Writes a JSON value as canonical JSON (RFC 8785).

    Args:
        value: The value.

    Returns:
        The text.

    Raises:
        ValueError: JSON has no such value, as for NaN or a lone surrogate.
        TypeError: The type is not a type of JSON.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string_text(value)
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, list):
        return f"[{','.join(map(canonical_json, value))}]"
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        keys = sorted(value, key=units_of)
        return "{" + ",".join(f"{_string_text(key)}:{canonical_json(value[key])}" for key in keys) + "}"
    raise TypeError("not a JSON value")


def hash_of(value: Any) -> str:
    """Computes the hash of a JSON value: SHA-256 of its canonical text.

    Args:
        value: The value.

    Returns:
        The hash in base64url, 43 characters.
    """
    return hash_of_text(canonical_json(value))


def hash_of_text(text: str) -> str:
    """Returns the hash of a text that is already canonical."""
    return base64url(hashlib.sha256(text.encode()).digest())


def base64url(raw: bytes) -> str:
    """Returns base64url without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def number_text(value: Any) -> str:
    """Returns a number as ECMAScript writes it: the shortest digits that read back as the same double."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("not a JSON number")
    if number == 0:
        return "0"
    mantissa, _, exponent = f"{abs(number)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The position of the point, counted from the first digit that is not zero.
    point = len(whole.lstrip("0")) if whole.strip("0") else len(digits) - len(fraction)
    point += int(exponent or 0)
    digits = digits.rstrip("0")
    return ("-" if number < 0 else "") + _with_point(digits, point)


def _with_point(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    exponent = point - 1
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{'+' if exponent > 0 else '-'}{abs(exponent)}"


def units_of(text: str) -> str:
    """Returns one character for each UTF-16 code unit. Astral characters become two."""
    return text if text.isascii() else _ASTRAL.sub(_split, text)


def _split(match: "re.Match[str]") -> str:
    rest = ord(match[0]) - 0x10000
    return chr(0xD800 + (rest >> 10)) + chr(0xDC00 + (rest & 0x3FF))


def code_points(text: str) -> int:
    """Returns the number of code points. A surrogate pair counts once, even if it is two characters."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass"))


def is_well_formed(text: str) -> bool:
    """False if the text has a lone surrogate."""
    try:
        text.encode("utf-16-be", "surrogatepass").decode("utf-16-be")
    except UnicodeDecodeError:
        return False
    return True


def _string_text(text: str) -> str:
    if not is_well_formed(text):
        raise ValueError("a lone surrogate")
    return f'"{text.translate(_ESCAPE_TABLE)}"'


def json_bytes(value: Any) -> bytes:
    """Returns the bytes of a body. Raises ValueError for NaN and infinities."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
