"""The servers of the healthy probes: they answer at once."""

import os
import socket
import ssl
import threading
from collections.abc import Callable

from .serving import question
from .steps import response

WEB, SECURE, NAMES = 8001, 8002, 8003
BODY = response(b'{"status":"ok","text":"welcome"}', "application/json", b"Connection: close\r\n")
INTERVAL = 0.25

# What the agent is told of them, with interval and timeout in milliseconds.
PROBES: dict[str, dict[str, object]] = {
    "plain": {"target": f"http://127.0.0.1:{WEB}/", "expect_format": "json", "expect_json": ["status=ok"]},
    "secure": {"target": f"https://127.0.0.1:{SECURE}/", "expect_body_contains": ["welcome"]},
    "names": {"target": f"dns://127.0.0.1:{NAMES}/host.test?type=A"},
    "port": {"target": f"tcp://127.0.0.1:{WEB}"},
}


def run(directory: str) -> None:
    """Serve until the process ends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(directory, "server.pem"), os.path.join(directory, "server.key"))
    context.set_alpn_protocols(["http/1.1"])
    for port, wrap in ((WEB, None), (SECURE, context)):
        listener = socket.create_server(("127.0.0.1", port), backlog=128)
        threading.Thread(target=_accept, args=(listener, wrap), daemon=True).start()
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", NAMES))
    while True:
        query, client = datagrams.recvfrom(4096)
        asked = question(query)
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1"
        datagrams.sendto(query[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + asked + record, client)


def _accept(listener: socket.socket, context: ssl.SSLContext | None) -> None:
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_quietly, args=(_serve, connection, context), daemon=True).start()


def _quietly(body: Callable[..., None], *arguments: object) -> None:
    try:
        body(*arguments)
    except OSError:
        pass                     # a client that went away


def _serve(plain: socket.socket, context: ssl.SSLContext | None) -> None:
    with plain:
        plain.settimeout(5)
        with context.wrap_socket(plain, server_side=True) if context else plain as connection:
            request = b""
            while b"\r\n\r\n" not in request:
                piece = connection.recv(4096)
                if not piece:
                    return
                request += piece
            connection.sendall(BODY)
