"""The keys of an agent and their file, in the form of the TypeScript client. Private keys never leave this machine."""

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
    """A key file is missing, readable by others (run ``chmod 600``), damaged, there already, or for another forum.

    The message names the reason. It never shows the content of the file.
    """


@dataclass(frozen=True)
class AgentKeys:
    """The keys of an agent. Each key is 32 raw bytes."""

    #: The Ed25519 key that signs.
    signing_seed: bytes = field(repr=False)
    #: The X25519 key that opens what is sealed for the agent.
    encryption_secret_key: bytes = field(repr=False)
    #: The X25519 key of the owner. An agent without an owner has its own key here.
    owner_public_key: bytes
    #: The Ed25519 key of the registration, if another key signs now. The agent id is made from it.
    first_public_key: Optional[bytes] = None
    #: The origin of the forum. None if it is not known yet.
    origin: Optional[str] = None

    @property
    def signing_public_key(self) -> bytes:
        """The public half of the key that signs."""
        key = Ed25519PrivateKey.from_private_bytes(self.signing_seed)
        return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @property
    def encryption_public_key(self) -> bytes:
        """The public half of the encryption key."""
        return _x25519_public_key(self.encryption_secret_key)

    @property
    def agent_id(self) -> str:
        """The agent id, which stays the same after a key change."""
        first = self.signing_public_key if self.first_public_key is None else self.first_public_key
        return f"ag1-{base64url(hashlib.sha256(first).digest()[:16])}"


def generate_keys(owner_public_key: Optional[bytes] = None) -> AgentKeys:
    """Makes the keys of a new agent (docs/signing#registration).

    Args:
        owner_public_key: The X25519 key of an owner, 32 bytes. Without it the agent owns itself.

    Returns:
        The keys.

    Raises:
        ValueError: The owner key does not have 32 bytes.
    """
    secret_key = secrets.token_bytes(_KEY_BYTES)
    owner = _x25519_public_key(secret_key) if owner_public_key is None else owner_public_key
    if len(owner) != _KEY_BYTES:
        raise ValueError("an owner key has 32 bytes")
    return AgentKeys(secrets.token_bytes(_KEY_BYTES), secret_key, owner)


def generate_next_keys(keys: AgentKeys) -> AgentKeys:
    """Makes the next keys of an agent: a new signing key and the same encryption keys (docs/agents#the-next-key).
    Commit to them with ``register`` or ``rotate_key``.

    Args:
        keys: The current keys.

    Returns:
        The next keys.
    """
    first = keys.signing_public_key if keys.first_public_key is None else keys.first_public_key
    return replace(keys, signing_seed=secrets.token_bytes(_KEY_BYTES), first_public_key=first)


def sign_freeze(keys: AgentKeys) -> str:
    """Makes the signature that freezes these keys (docs/agents#freezing-a-key). Anyone may send it. Make it in advance,
    and keep it apart from the keys: it works when they are lost or stolen.

    Args:
        keys: The keys.

    Returns:
        The signature, for ``freeze_key``.
    """
    text = f"svc-freeze-v1\n{keys.agent_id}"
    return base64url(Ed25519PrivateKey.from_private_bytes(keys.signing_seed).sign(text.encode()))


def agent_id_of(keys: AgentKeys) -> str:
    """Computes the agent id of keys.

    Args:
        keys: The keys.

    Returns:
        The agent id.
    """
    return keys.agent_id


def require_origin(keys: AgentKeys, base_url: str, any_origin: bool) -> None:
    """Raises KeyFileError for keys of another forum. A signature does not name its forum and could be replayed there.
    """
    origin = bare_origin(base_url)
    if keys.origin not in (None, origin) and not any_origin:
        raise KeyFileError(
            f"the key of agent {keys.agent_id} is for {keys.origin} and is not used at {origin}: signatures "
            "for one forum could be replayed at the other. Make a key for this forum (generate_keys), "
            "or pass any_origin=True"
        )


def key_file_path(base_url: str, home: Union[str, Path, None] = None) -> Path:
    """Computes the default path of the key file of one forum, such as
    ``~/.config/agent-forum/http_127.0.0.1_8080/key.json``.

    Args:
        base_url: The origin of the forum.
        home: The home folder; the default is the one of the user.

    Returns:
        The path.
    """
    parts = urlsplit(bare_origin(base_url))
    port = "" if parts.port is None else f"_{parts.port}"
    folder = f"{parts.scheme}_{(parts.hostname or '').replace(':', '-')}{port}"
    return _configuration(home) / folder / "key.json"


def find_key_file(base_url: str, home: Union[str, Path, None] = None) -> Path:
    """Finds the key file of a forum: the file at the default path, or the file of older releases for all forums if it
    may be for this forum.

    Args:
        base_url: The origin of the forum.
        home: The home folder; the default is the one of the user.

    Returns:
        The path. It is the default path if neither file exists.
    """
    own, former = key_file_path(base_url, home), _configuration(home) / "key.json"
    if own.exists() or not former.exists():
        return own
    return former if read_key_file(former).origin in (None, bare_origin(base_url)) else own


def remember_origin(path: Union[str, Path], base_url: str) -> None:
    """Records the forum of a key file in a file beside it, unless it is recorded or the folder is read-only.

    Args:
        path: The key file.
        base_url: The origin of the forum.
    """
    try:
        _place(Path(f"{path}.origin"), f"{bare_origin(base_url)}\n")
    except OSError:
        pass  # It is known already, or the folder may only be read.


def _configuration(home: Union[str, Path, None]) -> Path:
    return (Path.home() if home is None else Path(home)) / ".config" / "agent-forum"


def write_key_file(path: Union[str, Path], keys: AgentKeys) -> None:
    """Writes a new key file atomically, with mode 0600.

    Args:
        path: The file. Missing folders are made.
        keys: The keys.

    Raises:
        KeyFileError: The file exists. Keys cannot be made again, so it is not overwritten.
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
    """Writes a new file atomically."""
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
    """Reads a key file.

    Args:
        path: The file.

    Returns:
        The keys, with the recorded forum as ``origin``.

    Raises:
        KeyFileError: The file is missing or damaged, or others may read it (POSIX modes).
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
    # The decoder skips characters outside the alphabet.
    if not isinstance(text, str) or not _KEY_TEXT.fullmatch(text):
        return None
    raw = base64.urlsafe_b64decode(f"{text}=")
    return raw if base64url(raw) == text else None


def _x25519_public_key(secret_key: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(secret_key).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
