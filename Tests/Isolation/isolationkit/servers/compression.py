"""Compressed bodies."""

import gzip
import zlib
from collections.abc import Iterator

from ..steps import Peer, Step, endless, hostile, response

GZIP = b"Content-Encoding: gzip\r\n"


def bomb(size: int) -> bytes:
    squeezed = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(1 << 20)
    return b"".join(squeezed.compress(block) for _ in range(size >> 20)) + squeezed.flush()


@hostile("http", expect_body_contains=["welcome"])
def gzip_bomb(peer: Peer) -> Iterator[Step]:
    """200 KB that become 200 MB"""
    yield response(BOMB, more=GZIP)


@hostile("http", expect_body_contains=["welcome"])
def gzip_nested(peer: Peer) -> Iterator[Step]:
    """Compressed three times over"""
    yield response(gzip.compress(gzip.compress(BOMB)), more=b"Content-Encoding: gzip, gzip, gzip\r\n")


@hostile("http", expect_body_contains=["first second"])
def gzip_members(peer: Peer) -> Iterator[Step]:
    """A body of two members"""
    yield response(gzip.compress(b"first ") + gzip.compress(b"second"), more=GZIP)


@hostile("http", expect_body_contains=["welcome"])
def gzip_empty_members(peer: Peer) -> Iterator[Step]:
    """Empty members without end: nothing comes of any number of bytes"""
    yield b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    yield from endless(gzip.compress(b""))


@hostile("http", expect_body_contains=["welcome"])
def gzip_header(peer: Peer) -> Iterator[Step]:
    """A member whose file name has no end"""
    yield b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\xff"
    yield from endless(b"n")


@hostile("http", expect_body_contains=["welcome"])
def gzip_empty_blocks(peer: Peer) -> Iterator[Step]:
    """Stored blocks of no bytes, without end"""
    yield b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\xff"
    yield from endless(b"\0\0\0\xff\xff")


@hostile("http", expect_body_contains=["welcome"])
def deflate_bomb(peer: Peer) -> Iterator[Step]:
    """The same bomb as a zlib stream, in chunks of one byte"""
    body = zlib.compress(bytes(64 << 20), 9)
    yield (b"HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n\r\n"
           + b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n")


BOMB = bomb(200 << 20)
