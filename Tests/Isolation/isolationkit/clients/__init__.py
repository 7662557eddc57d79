"""The hostile clients of the sockets, and the list of them.

A hostile client is a function that does its work until its process is killed. It runs as a user of its own.
"""

import importlib
import json
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..agent import connect as connect_to
from ..steps import first_line

LINE = 64_000            # just below what a request's line may have


@dataclass(frozen=True)
class Sockets:
    """Where the agent's sockets are."""

    control: str
    events: str
    http: str


@dataclass(frozen=True)
class Client:
    name: str
    layer: str                   # control, events or http
    summary: str
    act: Callable[[Sockets], None]


ALL: dict[str, Client] = {}


def client(layer: str) -> Callable[[Callable[[Sockets], None]], Callable[[Sockets], None]]:
    """Put a function into the list under its own name; the first line of its documentation explains it."""
    def listed(act: Callable[[Sockets], None]) -> Callable[[Sockets], None]:
        ALL[act.__name__] = Client(act.__name__, layer, first_line(act), act)
        return act
    return listed


def load() -> dict[str, Client]:
    for module in ("connections", "requests", "subscriptions", "web"):
        importlib.import_module(f".{module}", __package__)
    return ALL


def connect(path: str, patience: float | None = 5) -> socket.socket:
    return connect_to(path, patience)


def request(method: str, more: bool = False, **parameters: Any) -> bytes:
    return json.dumps({"method": method, "parameters": parameters, "more": more}).encode() + b"\n"


def again(act: Callable[[], None], pause: float = 0) -> None:
    """Repeat without end, whatever the agent answers."""
    while True:
        try:
            act()
        except OSError:
            time.sleep(0.001)          # refused: it does not keep us
        if pause:
            time.sleep(pause)


def many(count: int, open_one: Callable[[], socket.socket]) -> Iterator[socket.socket]:
    """As many connections as there may be, up to `count`; every one that the agent closes is opened again."""
    kept: list[socket.socket] = []
    while True:
        try:
            if len(kept) >= count:
                old = kept.pop(0)
                if not closed(old):
                    kept.append(old)
                    time.sleep(0.0005)
                    continue
                old.close()
            kept.append(open_one())
            yield kept[-1]
        except OSError:
            time.sleep(0.005)
            kept = [one for one in kept if not closed(one) or one.close()]


def closed(stream: socket.socket) -> bool:
    """Whether the agent has closed a connection; reads nothing."""
    try:
        return stream.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def hold(streams: Iterator[socket.socket]) -> None:
    for _ in streams:
        pass
