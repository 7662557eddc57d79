"""Subscriptions that are not read, read slowly, or too many."""

import socket
import time

from . import Sockets, again, client, connect, hold, many, request


def subscribed(sockets: Sockets, **parameters: object) -> socket.socket:
    stream = connect(sockets.control)
    stream.sendall(request("subscribe", True, **parameters))
    return stream


@client("control")
def subscribe_unread(sockets: Sockets) -> None:
    """300 subscriptions from the journal's beginning that are not read"""
    hold(many(300, lambda: subscribed(sockets, since_seq=0)))


@client("control")
def subscribe_churn(sockets: Sockets) -> None:
    """Subscribes from the journal's beginning and closes at once"""
    again(lambda: subscribed(sockets, since_seq=0).close())


@client("control")
def subscribe_replay(sockets: Sockets) -> None:
    """Reads the journal from its beginning again and again"""
    def replay() -> None:
        with subscribed(sockets, since_seq=0) as stream:
            for _ in range(50):
                stream.recv(1 << 16)
    again(replay)


@client("control")
def subscribe_filters(sockets: Sockets) -> None:
    """Subscriptions with thousands of patterns"""
    hold(many(100, lambda: subscribed(sockets, types=[f"type{number}.*" for number in range(3000)])))


@client("control")
def subscribe_checks_unread(sockets: Sockets) -> None:
    """100 subscriptions to every check that are not read"""
    hold(many(100, lambda: subscribed(sockets, types=["probe.*", "*"])))


@client("events")
def read_slowly(sockets: Sockets) -> None:
    """100 readers of events.sock that take a byte a second"""
    streams = [connect(sockets.events) for _ in range(100)]
    while True:
        for stream in streams:
            try:
                stream.recv(1, socket.MSG_DONTWAIT)
            except OSError:
                pass
        time.sleep(1)
