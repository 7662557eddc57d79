"""Resolvers that answer garbage, slowly, in part, or without end."""

import os
import struct
from collections.abc import Iterator

from ..steps import STALL, Pause, Peer, Step, drip, endless, hostile

A, CNAME = 1, 5


def answer(query: bytes, records: bytes, count: int, flags: int = 0x8180) -> bytes:
    """A response to a query, with its question."""
    return query[:2] + struct.pack(">HHHHH", flags, 1, count, 0, 0) + question(query) + records


def question(query: bytes) -> bytes:
    position = 12
    while query[position]:
        position += 1 + query[position]
    return query[12:position + 5]


def record(name: bytes, kind: int, data: bytes) -> bytes:
    return name + struct.pack(">HHIH", kind, 1, 60, len(data)) + data


def stream(message: bytes) -> bytes:
    return struct.pack(">H", len(message)) + message


NAME = b"\xc0\x0c"


@hostile("dns")
def dns_silence(peer: Peer) -> Iterator[Step]:
    """No answer at all"""
    yield from ()


@hostile("dns")
def dns_noise(peer: Peer) -> Iterator[Step]:
    """Random datagrams"""
    while True:
        yield os.urandom(400)


@hostile("dns")
def dns_other_identifiers(peer: Peer) -> Iterator[Step]:
    """Answers to every other query: 65,535 wrong identifiers, again and again"""
    good = answer(peer.request, record(NAME, A, b"\x7f\0\0\1"), 1)
    while True:
        for number in range(1 << 16):
            if number != struct.unpack(">H", good[:2])[0]:
                yield struct.pack(">H", number) + good[2:]


@hostile("dns")
def dns_compression_loop(peer: Peer) -> Iterator[Step]:
    """A name that points to itself"""
    here = 12 + len(question(peer.request))
    yield answer(peer.request, record(struct.pack(">H", 0xC000 | here), A, b"\x7f\0\0\1"), 1)


@hostile("dns")
def dns_pointer_chain(peer: Peer) -> Iterator[Step]:
    """Names that each point to the one before, a thousand of them"""
    here = 12 + len(question(peer.request))
    records, pointer = b"", NAME
    for _ in range(1000):
        start = here + len(records)
        records += record(b"\1a" + pointer, CNAME, NAME)
        pointer = struct.pack(">H", 0xC000 | min(start, 0x3FFF))
    yield answer(peer.request, records, 1000)


@hostile("dns")
def dns_alias_loop(peer: Peer) -> Iterator[Step]:
    """An alias for itself"""
    yield answer(peer.request, record(NAME, CNAME, NAME), 1)


@hostile("dns")
def dns_cut(peer: Peer) -> Iterator[Step]:
    """A message that says 65,535 records and has none"""
    yield peer.request[:2] + b"\x81\x80" + b"\xff" * 8 + question(peer.request)


@hostile("dns")
def dns_slow(peer: Peer) -> Iterator[Step]:
    """An answer shortly before the deadline"""
    yield Pause(0.45)
    yield answer(peer.request, record(NAME, A, b"\x7f\0\0\1"), 1)


@hostile("dns")
def dns_failures(peer: Peer) -> Iterator[Step]:
    """SERVFAIL, a hundred thousand times"""
    for _ in range(100_000):
        yield answer(peer.request, b"", 0, 0x8182)


LABEL = b"\x3e" + "\u0301\u0323".encode() * 15 + b"\xcc\x81"      # 62 bytes of combining marks
LONG_NAME = LABEL * 4 + b"\0"


@hostile("dns_tcp")
def dns_labels(peer: Peer) -> Iterator[Step]:
    """Over TCP, 64 KB of names with long labels of combining marks"""
    records, count = b"", 0
    while len(records) < 64_000:
        records += record(LONG_NAME, A, bytes([127, 0, count >> 8 & 255, count & 255]))
        count += 1
    yield stream(answer(peer.request, records, count))


@hostile("dns_tcp")
def dns_labels_compressed(peer: Peer) -> Iterator[Step]:
    """Over TCP, 4,500 aliases that all point to one name of long labels"""
    first = record(NAME, CNAME, LONG_NAME)
    pointer = struct.pack(">H", 0xC000 | 12 + len(question(peer.request)) + len(first) - len(LONG_NAME))
    yield stream(answer(peer.request, first + record(pointer, CNAME, pointer) * 4500, 4501))


@hostile("dns_tcp")
def dns_records(peer: Peer) -> Iterator[Step]:
    """Over TCP, 4,000 addresses"""
    records = b"".join(record(NAME, A, struct.pack(">I", 0x7F000000 + n)) for n in range(4000))
    yield stream(answer(peer.request, records, 4000))


@hostile("dns_tcp")
def dns_stall(peer: Peer) -> Iterator[Step]:
    """Over TCP, a length of 65,535 and nothing more"""
    yield b"\xff\xff"
    yield STALL


@hostile("dns_tcp")
def dns_drip(peer: Peer) -> Iterator[Step]:
    """Over TCP, byte by byte"""
    yield from drip(stream(answer(peer.request, record(NAME, A, b"\x7f\0\0\1") * 10, 10)))


@hostile("dns_tcp")
def dns_flood(peer: Peer) -> Iterator[Step]:
    """Over TCP, messages for others without end"""
    other = bytes([peer.request[0] ^ 255, peer.request[1]])
    yield from endless(stream(other + answer(peer.request, record(NAME, A, b"\x7f\0\0\1"), 1)[2:]))
