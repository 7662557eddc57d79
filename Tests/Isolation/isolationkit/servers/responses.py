"""HTTP/1 responses without an end, with wrong lengths, and byte by byte."""

import itertools
import os
from collections.abc import Iterator

from ..steps import CHUNKED, STALL, Pause, Peer, Step, drip, endless, hostile, marks, response

OK = b"HTTP/1.1 200 OK\r\n"


@hostile("http")
def chunk_extension(peer: Peer) -> Iterator[Step]:
    """A chunk extension without end"""
    yield CHUNKED + b"1;"
    yield from endless(b"x")


@hostile("http")
def chunk_size(peer: Peer) -> Iterator[Step]:
    """A chunk size with zeros before it, without end"""
    yield CHUNKED
    yield from endless(b"0")


@hostile("http")
def chunk_overflow(peer: Peer) -> Iterator[Step]:
    """A chunk of 2 to the power of 64 bytes"""
    yield CHUNKED + b"FFFFFFFFFFFFFFFFF\r\n"
    yield from endless(b"x")


@hostile("http")
def chunks_tiny(peer: Peer) -> Iterator[Step]:
    """Chunks of one byte, without end"""
    yield CHUNKED
    yield from endless(b"1\r\nx\r\n")


@hostile("http")
def trailers(peer: Peer) -> Iterator[Step]:
    """Trailers without end"""
    yield CHUNKED + b"0\r\n"
    yield from endless(b"X-Trailer: x\r\n")


@hostile("http")
def header_fields(peer: Peer) -> Iterator[Step]:
    """Header fields without end"""
    yield OK
    yield from endless(b"X-Field: x\r\n")


@hostile("http")
def header_field(peer: Peer) -> Iterator[Step]:
    """One header field without end"""
    yield OK + b"X-Field: "
    yield from endless(b"x")


@hostile("http")
def header_marks(peer: Peer) -> Iterator[Step]:
    """A media type and fields of combining marks, as long as headers may be"""
    text = marks(20_000).encode()
    yield OK + b"Content-Type: text/" + text + b"\r\nSet-Cookie: " + text + b"\r\nContent-Length: 0\r\n\r\n"


@hostile("http")
def header_folded(peer: Peer) -> Iterator[Step]:
    """A field of lines that are folded, without end"""
    yield OK + b"X-Field: x\r\n"
    yield from endless(b" x\r\n")


@hostile("raw")
def status_line(peer: Peer) -> Iterator[Step]:
    """A reason phrase without end, before any request"""
    yield b"HTTP/1.1 200 "
    yield from endless(b"OK ")


@hostile("http")
def informational(peer: Peer) -> Iterator[Step]:
    """100 Continue without end"""
    yield from endless(b"HTTP/1.1 100 Continue\r\n\r\n")


@hostile("http")
def early_hints(peer: Peer) -> Iterator[Step]:
    """103 Early Hints with a field each, without end"""
    yield from endless(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")


@hostile("http", max_redirects=10)
def redirect_loop(peer: Peer) -> Iterator[Step]:
    """A redirect to itself"""
    yield b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"


@hostile("http", max_redirects=10)
def redirect_chain(peer: Peer) -> Iterator[Step]:
    """Redirects to another address each time, with a body of 900 KB each"""
    body = b"x" * 900_000
    yield b"HTTP/1.1 302 Found\r\nLocation: /%d\r\nContent-Length: %d\r\n\r\n" % (next(NUMBERS), len(body)) + body


@hostile("http", max_redirects=10)
def redirect_giant(peer: Peer) -> Iterator[Step]:
    """A redirect to an address of 60 KB of dots and combining marks"""
    yield b"HTTP/1.1 302 Found\r\nLocation: /" + b"../" * 10_000 + marks(30_000).encode() + b"\r\n\r\n"


@hostile("http")
def body_endless(peer: Peer) -> Iterator[Step]:
    """A body without a length and without end"""
    yield OK + b"\r\n"
    yield from endless(b"x")


@hostile("http")
def length_short(peer: Peer) -> Iterator[Step]:
    """A length of 1,000, and 10 bytes"""
    yield OK + b"Content-Length: 1000\r\n\r\n0123456789"


@hostile("http")
def length_exceeded(peer: Peer) -> Iterator[Step]:
    """A length of 2, and bytes without end"""
    yield OK + b"Content-Length: 2\r\n\r\n"
    yield from endless(b"x")


@hostile("http")
def length_twice(peer: Peer) -> Iterator[Step]:
    """Two lengths and chunks besides"""
    yield OK + b"Content-Length: 5\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"


@hostile("http")
def length_overflow(peer: Peer) -> Iterator[Step]:
    """A length of twenty nines"""
    yield OK + b"Content-Length: 99999999999999999999\r\n\r\n"
    yield from endless(b"x")


@hostile("http")
def responses_unasked(peer: Peer) -> Iterator[Step]:
    """Whole responses without end where one is due"""
    yield from endless(response(b"ok"))


@hostile("raw")
def noise(peer: Peer) -> Iterator[Step]:
    """Random bytes without end"""
    yield from endless(os.urandom(1 << 18))


@hostile("raw")
def old_protocol(peer: Peer) -> Iterator[Step]:
    """HTTP/0.9: a body without a head"""
    yield b"<html>" + b"hello " * 1000


@hostile("tcp")
def banner(peer: Peer) -> Iterator[Step]:
    """A flood of bytes where only a connection is wanted"""
    yield from endless(b"220 ")


@hostile("raw")
def drip_status(peer: Peer) -> Iterator[Step]:
    """The status line byte by byte"""
    yield from drip(OK * 100)


@hostile("http")
def drip_header(peer: Peer) -> Iterator[Step]:
    """Header fields byte by byte"""
    yield OK
    yield from drip(b"X-Field: x\r\n" * 100)


@hostile("http")
def drip_body(peer: Peer) -> Iterator[Step]:
    """The body byte by byte"""
    yield OK + b"Content-Length: 1000\r\n\r\n"
    yield from drip(b"x" * 1000)


@hostile("http")
def drip_chunk(peer: Peer) -> Iterator[Step]:
    """Chunk sizes and chunks byte by byte"""
    yield CHUNKED
    yield from drip(b"1\r\nx\r\n" * 200)


@hostile("https")
def drip_encrypted(peer: Peer) -> Iterator[Step]:
    """The body byte by byte, a TLS record each"""
    yield OK + b"Content-Length: 1000\r\n\r\n"
    yield from drip(b"x" * 1000, 0.002)


@hostile("raw", reads=False)
def silence(peer: Peer) -> Iterator[Step]:
    """Accepts, reads nothing, and says nothing"""
    yield STALL


@hostile("raw", accepts=False)
def silence_of_kernel(peer: Peer) -> Iterator[Step]:
    """A full queue: connections are neither accepted nor refused"""
    yield STALL


@hostile("http")
def silence_in_body(peer: Peer) -> Iterator[Step]:
    """Half a body, and nothing more"""
    yield OK + b"Content-Length: 1000\r\n\r\n" + b"x" * 500
    yield STALL


@hostile("http")
def bursts(peer: Peer) -> Iterator[Step]:
    """Silence until shortly before the deadline, then everything at once"""
    yield Pause(0.42)
    yield response(b"x" * 900_000)


NUMBERS = itertools.count()
