"""Requests that are costly, endless, or too many."""

import os
import time

from ..steps import marks
from . import LINE, Sockets, again, client, connect, request


def send_for_ever(path: str, text: bytes, reads: bool = True) -> None:
    """The same lines again and again on one connection; with `reads` each reply is waited for."""
    def send() -> None:
        with connect(path, 30) as stream:
            while True:
                stream.sendall(text)
                if reads and not stream.recv(1 << 16):
                    return
    again(send)


@client("control")
def line_marks(sockets: Sockets) -> None:
    """Requests with keys of 64 KB of combining marks"""
    key = marks(LINE // 2 - 100)
    send_for_ever(sockets.control, f'{{"{key}":1,"{key}b":2}}\n'.encode())


@client("control")
def line_marks_unread(sockets: Sockets) -> None:
    """Such requests on 100 connections, without waiting for a reply"""
    text = f'{{"{marks(LINE - 100)}":1}}\n'.encode()
    streams = [connect(sockets.control) for _ in range(100)]
    for stream in streams:
        try:
            stream.setblocking(False)
            stream.send(text * 4)
        except OSError:
            pass
    time.sleep(1)
    send_for_ever(sockets.control, text, False)


@client("control")
def method_marks(sockets: Sockets) -> None:
    """Methods with names of 64 KB of combining marks"""
    send_for_ever(sockets.control, request(marks(LINE // 8)))


@client("control")
def filter_marks(sockets: Sockets) -> None:
    """Subscriptions to subjects with names of combining marks"""
    text = request("subscribe", True, subjects=[marks(LINE // 8) + str(number) for number in range(2)])

    def subscribe() -> None:
        with connect(sockets.control) as stream:
            stream.sendall(text)
            stream.recv(1)
    again(subscribe)


@client("control")
def line_endless(sockets: Sockets) -> None:
    """A line without end"""
    send_for_ever(sockets.control, b"x" * LINE, False)


@client("control")
def lines_empty(sockets: Sockets) -> None:
    """Empty lines without end, whose replies are not read"""
    send_for_ever(sockets.control, b"\n" * LINE, False)


@client("control")
def lines_noise(sockets: Sockets) -> None:
    """Random bytes without end"""
    send_for_ever(sockets.control, os.urandom(LINE))


@client("control")
def json_deep(sockets: Sockets) -> None:
    """60,000 opening brackets"""
    send_for_ever(sockets.control, b'{"parameters":' + b"[" * 60_000 + b"\n")


@client("control")
def json_equal_keys(sockets: Sockets) -> None:
    """10,000 members of one name"""
    send_for_ever(sockets.control, b"{" + b'"a":1,' * 10_000 + b'"a":1}\n')


@client("control")
def status_flood(sockets: Sockets) -> None:
    """Asks for the status as fast as it goes"""
    send_for_ever(sockets.control, request("status") * 10)


@client("control")
def status_unread(sockets: Sockets) -> None:
    """Asks for the status without end and never reads"""
    send_for_ever(sockets.control, request("status") * 1000, False)


@client("control")
def subscribers_flood(sockets: Sockets) -> None:
    """Asks for the list of connections, of which it has 500"""
    kept = []
    try:
        kept = [connect(sockets.control) for _ in range(500)]
    except OSError:
        pass                               # fewer will do
    send_for_ever(sockets.control, request("subscribers") * 10)
    del kept


@client("control")
def check_flood(sockets: Sockets) -> None:
    """Asks for checks of all probes every 5 ms"""
    def ask() -> None:
        with connect(sockets.control) as stream:
            stream.sendall(request("probe"))
            stream.recv(1)
    again(ask, 0.005)


@client("control")
def check_every_second(sockets: Sockets) -> None:
    """Asks for checks three times a second: a dead target must not seem to be up for that"""
    def ask() -> None:
        with connect(sockets.control) as stream:
            stream.sendall(request("probe"))
            stream.recv(1)
    again(ask, 0.3)


@client("control")
def check_pipelined(sockets: Sockets) -> None:
    """Asks for checks without waiting for the reply"""
    send_for_ever(sockets.control, request("probe") * 100, False)


@client("control")
def reload_flood(sockets: Sockets) -> None:
    """Asks for a reload as fast as it goes"""
    send_for_ever(sockets.control, request("reload") * 10)
