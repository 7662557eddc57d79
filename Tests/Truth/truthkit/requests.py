"""The truth about connectivity: a web server at the far end, and a GET every 100 ms from the host.

Both are state machines on the stage's selector: neither waits for the other, and a server that hangs is a connection
that is kept and not answered.
"""

import selectors
import socket
from dataclasses import dataclass

from .packets import FAMILIES
from .world import INTERNET

TIMEOUT = 0.25
ANSWERS = {
    "ok": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
    "error": b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "portal": b"HTTP/1.1 302 Found\r\nLocation: http://login.example/\r\nContent-Length: 0\r\n"
              b"Connection: close\r\n\r\n",
}


class WebServer:
    """Answers every request as `mode` says; made in the far namespace."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self.mode = "ok"
        self._selector = selector
        self._listeners: list[socket.socket] = []
        self._listen()

    def _listen(self) -> None:
        for family in FAMILIES.values():
            listener = socket.create_server(("", 80), family=family, backlog=64)
            listener.setblocking(False)
            self._listeners.append(listener)
            self._selector.register(listener, selectors.EVENT_READ, self._accept)

    def set(self, mode: str) -> None:
        self.mode = mode

    def _accept(self, listener: socket.socket) -> None:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ, self._answer)

    def _answer(self, connection: socket.socket) -> None:
        try:
            request = connection.recv(4096)
            if self.mode == "hang" and request:
                return
            if self.mode == "refuse" and request:           # a reset, as from a server that has died
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            elif request:
                connection.send(ANSWERS[self.mode])
        except OSError:
            pass
        self._selector.unregister(connection)
        connection.close()


@dataclass
class Outcome:
    """One GET: when it began, whether it succeeded, and whether the server answered that it has failed."""

    time: float
    family: int
    ok: bool
    server_failed: bool = False


class RequestJudge:
    """Makes the GETs; `outcomes` are in the order in which they ended."""

    def __init__(self, selector: selectors.BaseSelector, families: tuple[int, ...]) -> None:
        self.outcomes: list[Outcome] = []
        self._selector = selector
        self._families = families
        self._running: dict[socket.socket, Outcome] = {}

    def turn(self, now: float) -> None:
        for connection, outcome in list(self._running.items()):
            if now - outcome.time > TIMEOUT:
                self._finish(connection, False)
        for family in self._families:
            self._begin(family, now)

    def _begin(self, family: int, now: float) -> None:
        connection = socket.socket(FAMILIES[family], socket.SOCK_STREAM)
        connection.setblocking(False)
        outcome = Outcome(now, family, False)
        try:
            connection.connect((INTERNET[family], 80))
        except BlockingIOError:
            self._running[connection] = outcome
            self._selector.register(connection, selectors.EVENT_WRITE, self._send)
        except OSError:
            connection.close()
            self.outcomes.append(outcome)

    def _send(self, connection: socket.socket) -> None:
        try:
            connection.send(b"GET / HTTP/1.1\r\nHost: " + INTERNET[4].encode() + b"\r\nConnection: close\r\n\r\n")
            self._selector.modify(connection, selectors.EVENT_READ, self._read)
        except OSError:
            self._finish(connection, False)

    def _read(self, connection: socket.socket) -> None:
        try:
            answer = connection.recv(4096)
        except OSError:
            answer = b""
        self._running[connection].server_failed = answer.startswith(b"HTTP/1.1 500")
        self._finish(connection, answer.startswith(b"HTTP/1.1 200"))

    def _finish(self, connection: socket.socket, succeeded: bool) -> None:
        outcome = self._running.pop(connection)
        outcome.ok = succeeded
        self.outcomes.append(outcome)
        self._selector.unregister(connection)
        connection.close()
