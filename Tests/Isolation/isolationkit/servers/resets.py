"""Connections that end at every phase, by a reset or by half."""

from collections.abc import Iterator

from ..steps import CHUNKED, HALF_CLOSE, RESET, STALL, Peer, Step, hostile


@hostile("raw")
def reset_at_once(peer: Peer) -> Iterator[Step]:
    """A reset in place of any byte"""
    yield RESET


@hostile("http")
def reset_after_request(peer: Peer) -> Iterator[Step]:
    """A reset once the request is there"""
    yield RESET


@hostile("http")
def reset_in_header(peer: Peer) -> Iterator[Step]:
    """A reset within the header"""
    yield b"HTTP/1.1 200 OK\r\nContent-Le"
    yield RESET


@hostile("http")
def reset_in_body(peer: Peer) -> Iterator[Step]:
    """A reset within a chunk"""
    yield CHUNKED + b"1000\r\n" + b"x" * 500
    yield RESET


@hostile("tls")
def reset_in_handshake(peer: Peer) -> Iterator[Step]:
    """A reset within the server's first flight"""
    flight = peer.flight()
    yield flight[:len(flight) // 2]
    yield RESET


@hostile("tls")
def reset_after_handshake(peer: Peer) -> Iterator[Step]:
    """A reset as soon as the handshake is complete"""
    yield peer.flight()
    yield peer.flight()
    yield RESET


@hostile("https")
def reset_encrypted(peer: Peer) -> Iterator[Step]:
    """A reset within an encrypted body"""
    yield CHUNKED + b"1000\r\n" + b"x" * 500
    yield RESET


@hostile("tcp")
def reset_port(peer: Peer) -> Iterator[Step]:
    """A reset where only a connection is wanted"""
    yield RESET


@hostile("raw")
def half_close_at_once(peer: Peer) -> Iterator[Step]:
    """The server's side is closed before any request, the other one stays open"""
    yield HALF_CLOSE
    yield STALL


@hostile("http")
def half_close_in_body(peer: Peer) -> Iterator[Step]:
    """The server's side is closed within the body, the other one stays open"""
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 500
    yield HALF_CLOSE
    yield STALL


@hostile("tls")
def half_close_in_handshake(peer: Peer) -> Iterator[Step]:
    """The server's side is closed within the first flight"""
    yield peer.flight()[:100]
    yield HALF_CLOSE
    yield STALL
