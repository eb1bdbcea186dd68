"""Which model on which server, and the key to it, which shows itself to nobody."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from semifactual.errors import ConfigError

PREFIX = "openai:"
DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
HIDDEN = "[key]"

_SPEC = re.compile(r"openai:(?P<model>.+?)(?:@(?P<url>https?://.*))?", re.DOTALL)
_LOGIN = re.compile(r"//[^/\s]*@")
"""A name and a password in an address."""
_SHORTEST_SECRET = 6
"""Characters. A shorter "key" is a placeholder such as "none", which stands in innocent texts too."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model behind one OpenAI-compatible server."""

    model: str
    base_url: str

    @property
    def label(self) -> str:
        """How rows name the engine: without the server's address, which is nobody's business."""
        return f"llm:{self.model}"

    @property
    def host(self) -> str:
        """The server's name or address."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_openai(self) -> bool:
        """Whether this is OpenAI's own server."""
        return self.host == "api.openai.com"

    @property
    def sends_key_in_clear(self) -> bool:
        """Whether a key would travel unencrypted to another machine."""
        return urlsplit(self.base_url).scheme == "http" and not _is_loopback(self.host)


class Key:
    """A key that can be used and not be printed."""

    def __init__(self, secret: str) -> None:
        self.__secret = secret

    def reveal(self) -> str:
        """The key itself, for the client's header and nothing else."""
        return self.__secret

    def scrub(self, text: str) -> str:
        """A text from outside without the key, should somebody have put it there."""
        return text.replace(self.__secret, HIDDEN) if len(self.__secret) >= _SHORTEST_SECRET else text

    def __repr__(self) -> str:
        return HIDDEN

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a key is not to be copied, pickled or written")


def parse_model(spec: str) -> Endpoint:
    """The endpoint of ``openai:NAME@URL``, or of ``openai:NAME`` on OpenAI's own server.

    Raises:
        ConfigError: it is neither, the address has no scheme, or it holds a password or a query, where a key could be.

    >>> parse_model("openai:qwen3:4b@http://127.0.0.1:11434/v1/")
    Endpoint(model='qwen3:4b', base_url='http://127.0.0.1:11434/v1')
    """
    found = _SPEC.fullmatch(spec.strip())
    if found is None or "://" in found["model"]:  # half an address must not become the name of a model elsewhere
        shown = _LOGIN.sub(f"//{HIDDEN}@", spec)
        raise ConfigError(
            f"no model is named by {shown!r}",
            hint="write openai:NAME or openai:NAME@URL, e.g. openai:qwen3@http://localhost:8000/v1",
        )
    if found["url"] is None and "@" in found["model"]:  # what is meant for a server at home must not go to OpenAI
        raise ConfigError(
            "the address needs http:// or https://: what stands behind the @ of a model's name is where it is asked",
            hint="write openai:NAME@URL, e.g. openai:qwen3@http://localhost:8000/v1",
        )
    url = (found["url"] or DEFAULT_URL).rstrip("/")
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError("the address of the server is no URL", hint="write openai:NAME@http://HOST:PORT/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(
            "the address of a server may hold no password, query or fragment, because it is written to files",
            hint="put the key into an environment variable and name it with --api-key-env",
        )
    return Endpoint(found["model"], url)


def read_key(endpoint: Endpoint, variable: str | None = None) -> Key:
    """The key in the environment variable `variable`, or in OPENAI_API_KEY. A local server may do without.

    Raises:
        ConfigError: the variable that was asked for is not set, or OpenAI's server is asked without a key.
    """
    name = variable or DEFAULT_KEY_VARIABLE
    secret = os.environ.get(name, "").strip()
    if not secret and (variable or endpoint.is_openai):
        raise ConfigError(f"the environment variable {name} holds no key", hint=f"export {name}=... and run again")
    if any(not 32 < ord(character) < 127 for character in secret):
        raise ConfigError(f"the key in {name} holds characters that no key has", hint="set it again, without quotes")
    return Key(secret or "none")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
