"""Many connections, idle or with half a line."""

import array
import os
import socket
import time

from . import LINE, Sockets, again, client, closed, connect, hold, many, request

MANY = 5000              # more than the agent takes


@client("control")
def hoard(sockets: Sockets) -> None:
    """As many idle connections as there may be"""
    hold(many(MANY, lambda: connect(sockets.control)))


@client("events")
def hoard_events(sockets: Sockets) -> None:
    """As many connections to events.sock as there may be, none of which is read"""
    hold(many(MANY, lambda: connect(sockets.events)))


@client("control")
def unfinished_lines(sockets: Sockets) -> None:
    """As many connections as there may be, each with 60 KB of a line"""
    text = b'{"method":"' + b"x" * 60_000

    def unfinished() -> socket.socket:
        stream = connect(sockets.control)
        stream.sendall(text)
        return stream
    hold(many(MANY, unfinished))


@client("control")
def churn(sockets: Sockets) -> None:
    """Connects and closes as fast as it goes"""
    again(lambda: connect(sockets.control).close())


@client("events")
def churn_events(sockets: Sockets) -> None:
    """Connects to events.sock and closes as fast as it goes"""
    again(lambda: connect(sockets.events).close())


@client("control")
def drip(sockets: Sockets) -> None:
    """100 requests at once, each byte by byte"""
    streams = [connect(sockets.control) for _ in range(100)]
    while True:
        for byte in request("status"):
            for number, stream in enumerate(streams):
                try:
                    stream.send(bytes([byte]), socket.MSG_DONTWAIT)
                except BlockingIOError:
                    pass
                except OSError:
                    streams[number] = replaced(stream, sockets.control)
            time.sleep(0.02)


def replaced(stream: socket.socket, path: str) -> socket.socket:
    stream.close()
    try:
        return connect(path)
    except OSError:
        return socket.socket(socket.AF_UNIX)


@client("control")
def descriptors(sockets: Sockets) -> None:
    """Sends open descriptors along with its bytes"""
    passed = array.array("i", [os.open("/dev/null", os.O_RDONLY)] * 100)

    def send() -> None:
        with connect(sockets.control) as stream:
            for _ in range(100):
                stream.sendmsg([b"{"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)])
    again(send)


@client("control")
def half_close(sockets: Sockets) -> None:
    """Asks, closes its side, and never reads"""
    def half() -> socket.socket:
        stream = connect(sockets.control)
        stream.sendall(request("status") * 10)
        stream.shutdown(socket.SHUT_WR)
        return stream
    hold(many(500, half))


@client("events")
def talk_events(sockets: Sockets) -> None:
    """Writes to events.sock without end"""
    block = b"x" * LINE

    def talk() -> None:
        with connect(sockets.events) as stream:
            while not closed(stream):
                stream.sendall(block)
    again(talk)
