"""Clients of http.sock: connections, pages and streams without end."""

import socket
import struct

from . import Sockets, again, client, closed, connect, hold, many

MANY = 5000              # more than the agent takes


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


@client("http")
def hoard_http(sockets: Sockets) -> None:
    """As many connections to http.sock as there may be, each with half a head"""
    def half() -> socket.socket:
        stream = connect(sockets.http)
        stream.sendall(get("/")[:20])
        return stream
    hold(many(MANY, half))


@client("http")
def churn_http(sockets: Sockets) -> None:
    """Connects to http.sock and closes as fast as it goes"""
    again(lambda: connect(sockets.http).close())


@client("http")
def unread_pages(sockets: Sockets) -> None:
    """Asks for the page 16 times on each of many connections, and reads nothing"""
    def unread() -> socket.socket:
        stream = connect(sockets.http)
        stream.sendall(get("/") * 16)
        return stream
    hold(many(500, unread))


@client("http")
def scrapes(sockets: Sockets) -> None:
    """Asks for the metrics again and again, as soon as it has them"""
    with connect(sockets.http) as stream:
        while not closed(stream):
            stream.sendall(get("/metrics"))
            stream.settimeout(5)
            rest = -1
            head = b""
            while rest:
                part = stream.recv(1 << 16)
                if not part:
                    return
                if rest < 0:
                    head += part
                    if b"\r\n\r\n" in head:
                        fields, body = head.split(b"\r\n\r\n", 1)
                        rest = int(fields.lower().split(b"content-length:")[1].split()[0]) - len(body)
                else:
                    rest -= len(part)


@client("http")
def aborted_streams(sockets: Sockets) -> None:
    """Begins streams of events with all of the journal, and resets them"""
    def abort() -> None:
        with connect(sockets.http) as stream:
            stream.sendall(get("/events?since_seq=0"))
            stream.recv(100)
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    again(abort)
