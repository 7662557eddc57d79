"""The parts that a hostile server is made of, and the list of all of them.

A hostile server is a generator: it yields the bytes that it sends and, between them, what it does besides. A flood is a
generator without an end: it is over when the agent closes the connection.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Pause:
    """Send nothing for so many seconds."""

    seconds: float


class Act:
    """Something that a server does with its connection."""


RESET, HALF_CLOSE, STALL = Act(), Act(), Act()      # STALL: be silent until the other side leaves

Step = bytes | Pause | Act


class Peer(Protocol):
    """What a generator may know of its connection."""

    request: bytes                                   # a request's head, HTTP/2 frames, or a DNS message
    directory: str                                      # where the certificates are

    def flight(self) -> bytes:
        """The next bytes that an honest TLS server would send; reads those of the client before."""


Script = Callable[[Peer], Iterator[Step]]


@dataclass(frozen=True)
class Hostile:
    """One hostile server."""

    name: str
    layer: str                   # raw, http, tls, https, h2, dns, dns_tcp, tcp: where the generator begins
    summary: str
    script: Script
    keys: dict[str, Any] = field(default_factory=dict)      # of its probe's configuration
    certificate: str = "server"
    reads: bool = True           # whether it takes what the agent sends meanwhile
    greets: bool = True          # HTTP/2: whether it sends a first SETTINGS frame
    accepts: bool = True         # whether there is room in its queue for a connection

    @property
    def scheme(self) -> str:
        return {"raw": "http", "http": "http", "tls": "https", "https": "https", "h2": "https", "dns": "dns",
                "dns_tcp": "dns", "tcp": "tcp"}[self.layer]


ALL: dict[str, Hostile] = {}


def hostile(layer: str, certificate: str = "server", reads: bool = True, greets: bool = True,
            accepts: bool = True, **keys: Any) -> Callable[[Script], Script]:
    """Put a generator into the list under its own name; the first line of its documentation explains it."""
    def listed(script: Script) -> Script:
        add(Hostile(script.__name__, layer, first_line(script), script, keys, certificate, reads, greets,
                    accepts))
        return script
    return listed


def add(one: Hostile) -> None:
    if one.name in ALL:
        raise ValueError(f"two hostile servers are called {one.name}")
    ALL[one.name] = one


def first_line(one: object) -> str:
    return (one.__doc__ or "").strip().splitlines()[0].rstrip(".")


def load() -> dict[str, Hostile]:
    for module in ("bodies", "compression", "responses", "resets", "handshakes", "certificates", "http2", "dns"):
        importlib.import_module(f".servers.{module}", __package__)
    return ALL


def endless(piece: bytes) -> Iterator[Step]:
    """The same bytes for ever, in writes of about 256 KB."""
    block = piece * max(1, (1 << 18) // len(piece))
    while True:
        yield block


def drip(text: bytes, seconds: float = 0.03, size: int = 1) -> Iterator[Step]:
    """Byte by byte."""
    for start in range(0, len(text), size):
        yield text[start:start + size]
        yield Pause(seconds)


def response(body: bytes, kind: str = "text/plain", more: bytes = b"") -> bytes:
    return (b"HTTP/1.1 200 OK\r\nContent-Type: " + kind.encode() + b"\r\nContent-Length: %d\r\n" % len(body) + more
            + b"\r\n" + body)


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"


def marks(size: int) -> str:
    """Combining marks of two classes in turns: sorting them by insertion costs the square of their number."""
    half = size // 4
    return "a" + "\u0301" * half + "\u0323" * half
