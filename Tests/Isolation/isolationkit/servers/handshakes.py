"""TLS handshakes that stall, crawl or break, alerts, and bytes that are no TLS."""

import struct
from collections.abc import Iterator

from ..steps import STALL, Peer, Step, drip, endless, hostile, response

FATAL_ALERTS = (10, 20, 22, 40, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 70, 71, 80, 86, 109, 110, 112, 116, 120)
ALERTED: list[int] = []


def record(kind: int, payload: bytes) -> bytes:
    return struct.pack(">BHH", kind, 0x0303, len(payload)) + payload


@hostile("tls")
def stall_at_hello(peer: Peer) -> Iterator[Step]:
    """Silence after the client's first flight"""
    yield STALL


@hostile("tls")
def stall_in_flight(peer: Peer) -> Iterator[Step]:
    """Half of the server's first flight, and nothing more"""
    flight = peer.flight()
    yield flight[:len(flight) // 2]
    yield STALL


@hostile("tls", tls_minimum="1.2")
def stall_before_finished(peer: Peer) -> Iterator[Step]:
    """The server's first flight but for its last byte"""
    yield peer.flight()[:-1]
    yield STALL


@hostile("https")
def stall_after_handshake(peer: Peer) -> Iterator[Step]:
    """A handshake and a request, and no response"""
    yield STALL


@hostile("tls")
def drip_handshake(peer: Peer) -> Iterator[Step]:
    """The server's first flight byte by byte"""
    yield from drip(peer.flight())


@hostile("tls")
def drip_records(peer: Peer) -> Iterator[Step]:
    """The server's first flight in records of one byte, as fast as they go"""
    flight, start = peer.flight(), 0
    while start < len(flight):
        kind, _, length = struct.unpack_from(">BHH", flight, start)
        payload = flight[start + 5:start + 5 + length]
        yield flight[start:start + 5 + length] if kind != 22 else b"".join(record(22, bytes([b])) for b in payload)
        start += 5 + length


@hostile("tls")
def alerts(peer: Peer) -> Iterator[Step]:
    """Each fatal alert in turn"""
    ALERTED.append(FATAL_ALERTS[len(ALERTED) % len(FATAL_ALERTS)])
    yield record(21, bytes([2, ALERTED[-1]]))


@hostile("tls")
def alert_flood(peer: Peer) -> Iterator[Step]:
    """Warning alerts without end"""
    yield from endless(record(21, bytes([1, 90])))


@hostile("tls")
def empty_records(peer: Peer) -> Iterator[Step]:
    """Handshake records without a byte, without end"""
    yield from endless(record(22, b""))


@hostile("tls")
def cipher_changes(peer: Peer) -> Iterator[Step]:
    """The server's first flight begins, then ChangeCipherSpec without end"""
    yield peer.flight()[:127]
    yield from endless(record(20, b"\1"))


@hostile("tls")
def hello_requests(peer: Peer) -> Iterator[Step]:
    """HelloRequest messages without end"""
    yield from endless(record(22, b"\0\0\0\0"))


@hostile("tls")
def message_giant(peer: Peer) -> Iterator[Step]:
    """A ServerHello of 16 MB"""
    yield record(22, b"\2\xff\xff\xff" + b"\3\3" + b"x" * 16_000)
    yield from endless(record(22, b"x" * 16_000))


@hostile("tls")
def record_giant(peer: Peer) -> Iterator[Step]:
    """Records of 65,535 bytes"""
    yield from endless(record(22, b"\2" * 65_535))


@hostile("tls")
def plaintext(peer: Peer) -> Iterator[Step]:
    """HTTP where TLS is expected, without end"""
    yield response(b"x" * 100)
    yield from endless(b"x")


@hostile("tls")
def plaintext_after_flight(peer: Peer) -> Iterator[Step]:
    """A handshake, then bytes that are not encrypted"""
    yield peer.flight()
    yield peer.flight()
    yield from endless(b"HTTP/1.1 200 OK\r\n\r\n")


@hostile("https")
def encrypted_flood(peer: Peer) -> Iterator[Step]:
    """An encrypted body without end"""
    yield b"HTTP/1.1 200 OK\r\n\r\n"
    yield from endless(b"x")


@hostile("https")
def encrypted_chunk_extension(peer: Peer) -> Iterator[Step]:
    """An encrypted chunk extension without end"""
    yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;"
    yield from endless(b"x")
