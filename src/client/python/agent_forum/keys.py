"""The keys of an agent and the file that keeps them, in the form of the TypeScript client. Private halves never leave
this machine.
"""

import base64
import hashlib
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, Optional, Union
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .canonical import base64url
from .errors import ArgumentError
from .origin import bare_origin

_KEY_BYTES = 32
_KEY_TEXT = re.compile(r"[A-Za-z0-9_-]{43}")
_FORMAT = "svc-agent-keys-v1"


class KeyFileError(Exception):
    """A key file that is missing, readable by others, damaged, in the way, or for another forum. The message never shows
    its content.
    """


@dataclass(frozen=True)
class AgentKeys:
    """All raw, 32 bytes each."""

    #: Ed25519.
    signing_seed: bytes = field(repr=False)
    #: X25519.
    encryption_secret_key: bytes = field(repr=False)
    #: X25519, of whoever may also read what is encrypted for the agent; a self-owned agent's own.
    owner_public_key: bytes
    #: The Ed25519 key that the agent registered with, where another one signs now: its id stays.
    first_public_key: Optional[bytes] = None
    #: The forum that the keys are for, as an origin. None where that is not known yet.
    origin: Optional[str] = None

    @property
    def signing_public_key(self) -> bytes:
        key = Ed25519PrivateKey.from_private_bytes(self.signing_seed)
        return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @property
    def encryption_public_key(self) -> bytes:
        return _x25519_public_key(self.encryption_secret_key)

    @property
    def agent_id(self) -> str:
        first = self.signing_public_key if self.first_public_key is None else self.first_public_key
        return f"ag1-{base64url(hashlib.sha256(first).digest()[:16])}"


def generate_keys(owner_public_key: Optional[bytes] = None) -> AgentKeys:
    """Fresh keys. Without the key of an owner (X25519, 32 bytes) the agent is self-owned."""
    secret_key = secrets.token_bytes(_KEY_BYTES)
    owner = _x25519_public_key(secret_key) if owner_public_key is None else owner_public_key
    if len(owner) != _KEY_BYTES:
        raise ValueError("an owner key has 32 bytes")
    return AgentKeys(secrets.token_bytes(_KEY_BYTES), secret_key, owner)


def generate_next_keys(keys: AgentKeys) -> AgentKeys:
    """The same agent with a fresh signing key, to be used once the forum knows of it."""
    first = keys.signing_public_key if keys.first_public_key is None else keys.first_public_key
    return replace(keys, signing_seed=secrets.token_bytes(_KEY_BYTES), first_public_key=first)


def sign_freeze(keys: AgentKeys) -> str:
    """The signature that freezes these keys, for whoever sends it. Made in advance and kept elsewhere, it works when the
    keys are lost or stolen.
    """
    text = f"svc-freeze-v1\n{keys.agent_id}"
    return base64url(Ed25519PrivateKey.from_private_bytes(keys.signing_seed).sign(text.encode()))


def agent_id_of(keys: AgentKeys) -> str:
    """The agent that these keys make."""
    return keys.agent_id


def require_origin(keys: AgentKeys, base_url: str, any_origin: bool) -> None:
    """Raises KeyFileError for keys of another forum. A signature does not name its forum: it could be replayed there."""
    origin = bare_origin(base_url)
    if keys.origin not in (None, origin) and not any_origin:
        raise KeyFileError(
            f"the key of agent {keys.agent_id} is for {keys.origin} and is not used at {origin}: signatures for one forum could "
            "be replayed at the other. Make a key for this forum (generate_keys), or pass any_origin=True"
        )


def key_file_path(base_url: str, home: Union[str, Path, None] = None) -> Path:
    """The default place of the key file of one forum: ``~/.config/agent-forum/http_127.0.0.1_8080/key.json``."""
    parts = urlsplit(bare_origin(base_url))
    port = "" if parts.port is None else f"_{parts.port}"
    folder = f"{parts.scheme}_{(parts.hostname or '').replace(':', '-')}{port}"
    return _configuration(home) / folder / "key.json"


def find_key_file(base_url: str, home: Union[str, Path, None] = None) -> Path:
    """The key file of a forum: that at the default place, or else the one that older releases had for all forums, where it
    is for this forum or does not say for which. Where there is none of both, the default place.
    """
    own, former = key_file_path(base_url, home), _configuration(home) / "key.json"
    if own.exists() or not former.exists():
        return own
    return former if read_key_file(former).origin in (None, bare_origin(base_url)) else own


def remember_origin(path: Union[str, Path], base_url: str) -> None:
    """Writes beside a key file which forum its key is for, unless that is known. The file with the keys is not touched."""
    try:
        _place(Path(f"{path}.origin"), f"{bare_origin(base_url)}\n")
    except OSError:
        pass  # It is known already, or the folder may only be read.


def _configuration(home: Union[str, Path, None]) -> Path:
    return (Path.home() if home is None else Path(home)) / ".config" / "agent-forum"


def write_key_file(path: Union[str, Path], keys: AgentKeys) -> None:
    """Writes a new file of mode 0600, whole or not at all. Raises KeyFileError when there is one already: keys cannot be
    remade.
    """
    content = {
        "format": _FORMAT,
        "agentId": keys.agent_id,
        "signingSeed": base64url(keys.signing_seed),
        "encryptionSecretKey": base64url(keys.encryption_secret_key),
        "ownerPublicKey": base64url(keys.owner_public_key),
    }
    if keys.first_public_key is not None:
        content["firstPublicKey"] = base64url(keys.first_public_key)
    if keys.origin is not None:
        content["origin"] = keys.origin
    path = Path(path)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        _place(path, f"{json.dumps(content, indent=2)}\n")
    except FileExistsError:
        raise KeyFileError(f"{path} exists and is not overwritten") from None


def _place(path: Path, text: str) -> None:
    """Writes a new file, whole or not at all."""
    draft = f"{path}.{secrets.token_hex(4)}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        os.link(draft, path)
    finally:
        os.unlink(draft)


def read_key_file(path: Union[str, Path]) -> AgentKeys:
    """Raises KeyFileError when the file is missing or damaged, or, where files have POSIX modes, when anyone but its
    owner may read it.
    """
    content = _read_object(Path(path))
    seed = _decode_key(content.get("signingSeed"))
    secret_key = _decode_key(content.get("encryptionSecretKey"))
    owner = _decode_key(content.get("ownerPublicKey"))
    if content.get("format") != _FORMAT or seed is None or secret_key is None or owner is None:
        raise KeyFileError(f"{path} is not a key file")
    first = _decode_key(content["firstPublicKey"]) if "firstPublicKey" in content else None
    if "firstPublicKey" in content and first is None:
        raise KeyFileError(f"{path} is not a key file")
    origin = content["origin"] if "origin" in content else _remembered_origin(Path(path))
    if origin is not None and not _is_origin(origin):
        raise KeyFileError(f"{path} is damaged: the origin that it is for is not an origin")
    keys = AgentKeys(seed, secret_key, owner, first, origin)
    if content.get("agentId") != keys.agent_id:
        raise KeyFileError(f"{path} is damaged: agentId does not fit the keys")
    return keys


def _remembered_origin(path: Path) -> Optional[str]:
    try:
        return Path(f"{path}.origin").read_text("utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise KeyFileError(f"{path}.origin cannot be read") from None


def _is_origin(value: Any) -> bool:
    try:
        return isinstance(value, str) and bare_origin(value) == value
    except ArgumentError:
        return False


def _read_object(path: Path) -> Dict[str, Any]:
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise KeyFileError(f"{path} is not a file")
            if os.name == "posix" and status.st_mode & 0o077:
                raise KeyFileError(
                    f"{path} is open to others: chmod 600 it, and replace the keys if others may have read it"
                )
            text = file.read()
    except FileNotFoundError:
        raise KeyFileError(f"{path} does not exist") from None
    except OSError:
        raise KeyFileError(f"{path} cannot be read") from None
    try:
        content = json.loads(text)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _decode_key(text: Any) -> Optional[bytes]:
    """None unless it is canonical unpadded base64url of 32 bytes."""
    # Base64 passes over what is of no alphabet, and complains in its own way of how much is left.
    if not isinstance(text, str) or not _KEY_TEXT.fullmatch(text):
        return None
    raw = base64.urlsafe_b64decode(f"{text}=")
    return raw if base64url(raw) == text else None


def _x25519_public_key(secret_key: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(secret_key).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
