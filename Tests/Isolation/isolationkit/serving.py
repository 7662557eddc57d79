"""Runs a hostile server: listens, brings each connection to the layer of its generator, and plays that."""

import os
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from .steps import HALF_CLOSE, RESET, STALL, Hostile, Pause, Step

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PATIENCE = 20.0          # seconds that a silent server waits for the other side to leave
TAKEN = 1 << 16


class Gone(Exception):
    """The other side has left."""


class Connection:
    """A connection without waiting in `recv` and `send`, so that a server may read while it writes."""

    def __init__(self, plain: socket.socket, one: Hostile, directory: str) -> None:
        self.stream: Any = plain
        self.request = b""
        self.directory = directory
        self._one = one
        self._plain = plain
        self._session: tuple[ssl.MemoryBIO, ssl.MemoryBIO, ssl.SSLObject] | None = None
        plain.setblocking(False)

    def bytes_taken(self) -> int:
        """How many bytes the other side's kernel has acknowledged (struct tcp_info, tcpi_bytes_acked)."""
        try:
            return struct.unpack_from("Q", self._plain.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), 120)[0]
        except (OSError, struct.error):
            return 0

    # Reading and writing

    def read(self) -> bytes:
        """The next bytes; waits for them."""
        while True:
            try:
                piece = self.stream.recv(TAKEN)
                if not piece:
                    raise Gone
                return piece
            except (BlockingIOError, ssl.SSLWantReadError):
                self._wait(select.POLLIN)

    def send(self, text: bytes) -> None:
        view = memoryview(text)
        while view:
            try:
                if self._one.reads:
                    self._drain()
                view = view[self.stream.send(view):]
            except (BlockingIOError, ssl.SSLWantWriteError):
                self._wait(select.POLLOUT | (select.POLLIN if self._one.reads else 0))
            except ssl.SSLWantReadError:
                self._wait(select.POLLIN)

    def _drain(self) -> None:
        try:
            while self.stream.recv(TAKEN):
                pass
        except (BlockingIOError, ssl.SSLWantReadError):
            pass

    def _wait(self, events: int) -> None:
        poll = select.poll()
        poll.register(self._plain, events)
        if not poll.poll(PATIENCE * 1000):
            raise Gone

    def stall(self) -> None:
        while True:
            self.read()

    # TLS

    def encrypt(self, context: ssl.SSLContext) -> None:
        self.stream = self._plain = context.wrap_socket(self._plain, server_side=True, do_handshake_on_connect=False)
        while True:
            try:
                self.stream.do_handshake()
                return
            except ssl.SSLWantReadError:
                self._wait(select.POLLIN)
            except ssl.SSLWantWriteError:
                self._wait(select.POLLOUT)

    def flight(self) -> bytes:
        if self._session is None:
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            context = contexts(self.directory, self._one)
            self._session = incoming, outgoing, context.wrap_bio(incoming, outgoing, server_side=True)
        incoming, outgoing, session = self._session
        while not outgoing.pending:
            incoming.write(self.read())
            try:
                session.do_handshake()
                break
            except ssl.SSLWantReadError:
                pass
        return outgoing.read()

    # Layers

    def take_head(self) -> None:
        while b"\r\n\r\n" not in self.request:
            self.request += self.read()

    def take_frames(self) -> None:
        """The client's preface and frames up to its first HEADERS frame."""
        if self._one.greets:
            self.send(b"\0\0\0\4\0\0\0\0\0")
        position = len(PREFACE)
        while True:
            if len(self.request) >= position + 9:
                size, kind = int.from_bytes(self.request[position:position + 3], "big"), self.request[position + 3]
                if kind == 1:
                    return
                position += 9 + size
            else:
                self.request += self.read()

    def take_question(self) -> None:
        while len(self.request) < 2 or len(self.request) < 2 + struct.unpack_from(">H", self.request)[0]:
            self.request += self.read()
        self.request = self.request[2:]


def contexts(directory: str, one: Hostile) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(directory, f"{one.certificate}.pem"), os.path.join(directory, "server.key"))
    context.set_alpn_protocols(["h2"] if one.layer == "h2" else ["http/1.1"])
    return context


class Server:
    """A hostile server on a port of 127.0.0.1, in a process of its own (see `rounds.py`)."""

    def __init__(self, one: Hostile, port: int, directory: str, visits: "Synchronized[int]", most: "Synchronized[int]"
                 ) -> None:
        self._one, self._directory, self._visits, self._most = one, directory, visits, most
        self._context = contexts(directory, one) if one.layer in ("https", "h2") else None
        if one.layer in ("dns", "dns_tcp"):
            datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            datagrams.bind(("127.0.0.1", port))
            threading.Thread(target=self._answer, args=(datagrams,), daemon=True).start()
        if not one.accepts:
            self._fill(socket.create_server(("127.0.0.1", port), backlog=0))
        elif one.layer != "dns":
            listener = socket.create_server(("127.0.0.1", port), backlog=128)
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _fill(self, listener: socket.socket) -> None:
        """Take the only place in the queue: the kernel drops what comes after."""
        self._kept = [listener]
        for _ in range(4):
            own = socket.socket()
            own.setblocking(False)
            own.connect_ex(listener.getsockname())
            self._kept.append(own)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        connection = Connection(plain, self._one, self._directory)
        self._visit()
        try:
            if self._context:
                connection.encrypt(self._context)
            match self._one.layer:
                case "http" | "https":
                    connection.take_head()
                case "h2":
                    connection.take_frames()
                case "dns_tcp":
                    connection.take_question()
            self._play(connection)
        except (OSError, Gone):
            pass                            # also ssl.SSLError: the agent's side of an attack
        finally:
            with self._most.get_lock():
                self._most.value = max(self._most.value, connection.bytes_taken())
            try:
                connection.stream.close()
            except OSError:
                pass

    def _play(self, connection: Connection) -> None:
        for step in self._one.script(connection):
            if isinstance(step, bytes):
                connection.send(step)
            elif isinstance(step, Pause):
                time.sleep(step.seconds)
            elif step is RESET:
                plain = connection._plain
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            elif step is HALF_CLOSE:
                connection._plain.shutdown(socket.SHUT_WR)
            elif step is STALL:
                connection.stall() if self._one.reads else time.sleep(PATIENCE)

    def _answer(self, datagrams: socket.socket) -> None:
        while True:
            query, client = datagrams.recvfrom(4096)
            self._visit()
            if self._one.layer == "dns_tcp":
                datagrams.sendto(query[:2] + b"\x83\x80" + query[4:6] + b"\0" * 6 + question(query), client)
            else:
                threading.Thread(target=self._datagrams, args=(datagrams, query, client), daemon=True).start()

    def _datagrams(self, datagrams: socket.socket, query: bytes, client: Any) -> None:
        peer = Question(query, self._directory)
        begun = time.monotonic()
        for step in self._one.script(peer):
            if isinstance(step, Pause):
                time.sleep(step.seconds)
            elif isinstance(step, bytes):
                try:
                    datagrams.sendto(step, client)
                except OSError:
                    return
            if time.monotonic() - begun > 1:
                return

    def _visit(self) -> None:
        with self._visits.get_lock():
            self._visits.value += 1


class Question:
    """The peer of a DNS server."""

    def __init__(self, request: bytes, directory: str) -> None:
        self.request, self.directory = request, directory

    def flight(self) -> bytes:
        return b""


def question(query: bytes) -> bytes:
    from .servers.dns import question as of_query
    return of_query(query)


def run(one: Hostile, port: int, directory: str, visits: "Synchronized[int]", most: "Synchronized[int]") -> None:
    """Serve until the process ends."""
    os.nice(10)              # it stands for another machine: its work is not to slow the agent
    server = Server(one, port, directory, visits, most)
    threading.Event().wait()
    del server               # it keeps its sockets until here
