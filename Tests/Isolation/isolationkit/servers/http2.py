"""HTTP/2 frames that no honest server sends; all of it goes over TLS with ALPN h2."""

import struct
from collections.abc import Iterator

from ..steps import STALL, Hostile, Peer, Step, add, drip, endless, hostile

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
ALTSVC, ORIGIN, PRIORITY_UPDATE = 10, 12, 16
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
STATUS_200 = b"\x88"


def frame(kind: int, payload: bytes = b"", flags: int = 0, stream: int = 0) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name: bytes, value: bytes) -> bytes:
    """A header field without indexing."""
    return b"\0" + length(name) + name + length(value) + value


def length(text: bytes) -> bytes:
    return integer(len(text), 7)


def integer(value: int, bits: int, flags: int = 0) -> bytes:
    """An integer of RFC 7541, section 5.1."""
    top = (1 << bits) - 1
    if value < top:
        return bytes([flags | value])
    value, text = value - top, [flags | top]
    while value >= 128:
        text.append(value & 127 | 128)
        value >>= 7
    return bytes([*text, value])


HEAD = frame(HEADERS, STATUS_200, END_HEADERS, 1)

# One frame of each type, and of types that nobody knows, repeated without end.
FLOODS = {
    "data": (HEAD, frame(DATA, b"", 0, 1), "Empty DATA frames"),
    "padding": (HEAD, frame(DATA, b"\xff" + b"\0" * 255, PADDED, 1), "DATA frames of padding alone"),
    "headers": (b"", frame(HEADERS, b"\x48\x03100", END_HEADERS, 1), "HEADERS frames with status 100"),
    "priority": (b"", frame(PRIORITY, b"\0\0\0\0\x10", 0, 1), "PRIORITY frames"),
    "rst_stream": (b"", frame(RST_STREAM, b"\0\0\0\x08", 0, 1), "RST_STREAM frames"),
    "settings": (b"", frame(SETTINGS, struct.pack(">HI", 1, 4096)),
                 "SETTINGS frames, each of which is to be acknowledged"),
    "settings_empty": (b"", frame(SETTINGS), "Empty SETTINGS frames"),
    "settings_ack": (b"", frame(SETTINGS, b"", ACK), "Acknowledgements of settings"),
    "push_promise": (b"", frame(PUSH_PROMISE, b"\0\0\0\2" + STATUS_200, END_HEADERS, 1), "PUSH_PROMISE frames"),
    "ping": (b"", frame(PING, b"12345678"), "PING frames, each of which is to be answered"),
    "ping_ack": (b"", frame(PING, b"12345678", ACK), "Answers to pings"),
    "goaway": (b"", frame(GOAWAY, b"\0\0\0\1\0\0\0\0"), "GOAWAY frames"),
    "goaway_debug": (b"", frame(GOAWAY, b"\0\0\0\1\0\0\0\0" + b"x" * 16_000), "GOAWAY frames with 16 KB of debug data"),
    "window_update": (b"", frame(WINDOW_UPDATE, b"\0\0\0\1"), "WINDOW_UPDATE frames"),
    "continuation": (frame(HEADERS, STATUS_200, 0, 1), frame(CONTINUATION, literal(b"x", b"y"), 0, 1),
                     "CONTINUATION frames"),
    "continuation_empty": (frame(HEADERS, STATUS_200, 0, 1), frame(CONTINUATION, b"", 0, 1),
                           "Empty CONTINUATION frames"),
    "altsvc": (b"", frame(ALTSVC, b"\0\1xh2=\":443\""), "ALTSVC frames"),
    "origin": (b"", frame(ORIGIN, b"\0\1x"), "ORIGIN frames"),
    "priority_update": (b"", frame(PRIORITY_UPDATE, b"\0\0\0\1u=1"), "PRIORITY_UPDATE frames"),
    "unknown": (b"", frame(0xBB, b"x" * 16_000), "Frames of an unknown type with 16 KB each"),
    "unknown_empty": (b"", frame(0xBC), "Empty frames of an unknown type"),
}


def add_flood(name: str, before: bytes, repeated: bytes, summary: str, reads: bool = True) -> None:
    def flood(peer: Peer) -> Iterator[Step]:
        if before:
            yield before
        yield from endless(repeated)
    add(Hostile(name, "h2", summary + ", without end", flood, reads=reads))


for kind, (before, repeated, summary) in FLOODS.items():
    add_flood(f"h2_{kind}", before, repeated, summary)
for kind in ("ping", "settings"):
    add_flood(f"h2_{kind}_unread", *FLOODS[kind][:2], FLOODS[kind][2] + " (which are not read)", reads=False)


@hostile("h2", greets=False)
def h2_no_settings(peer: Peer) -> Iterator[Step]:
    """A handshake, and never a SETTINGS frame"""
    yield STALL


@hostile("h2", greets=False)
def h2_noise(peer: Peer) -> Iterator[Step]:
    """HTTP/1 in place of frames"""
    yield from endless(b"HTTP/1.1 200 OK\r\n\r\n")


@hostile("h2")
def h2_drip(peer: Peer) -> Iterator[Step]:
    """Frames byte by byte"""
    yield from drip(frame(SETTINGS) + HEAD + frame(DATA, b"x" * 100, 0, 1), 0.005)


@hostile("h2")
def h2_frame_giant(peer: Peer) -> Iterator[Step]:
    """A frame of 16 MB"""
    yield b"\xff\xff\xff\0\0\0\0\0\1"
    yield from endless(b"x")


@hostile("h2")
def h2_hpack_bomb(peer: Peer) -> Iterator[Step]:
    """One field of 4,000 bytes in the dynamic table, and 16,000 references to it"""
    field = b"\x40" + length(b"x") + b"x" + length(b"v" * 4000) + b"v" * 4000
    yield frame(HEADERS, STATUS_200 + field, 0, 1)
    for _ in range(20):
        yield frame(CONTINUATION, b"\xbe" * 16_000, 0, 1)
    yield STALL


@hostile("h2")
def h2_hpack_resizing(peer: Peer) -> Iterator[Step]:
    """Sizes of the dynamic table that change, without end"""
    yield frame(HEADERS, b"", 0, 1)
    yield from endless(frame(CONTINUATION, (integer(0, 5, 0x20) + integer(4096, 5, 0x20)) * 2000, 0, 1))


@hostile("h2")
def h2_no_window(peer: Peer) -> Iterator[Step]:
    """No stream is allowed and no byte of window is given"""
    yield frame(SETTINGS, struct.pack(">HIHI", 3, 0, 4, 0))
    yield STALL


@hostile("h2")
def h2_window_overflow(peer: Peer) -> Iterator[Step]:
    """A window beyond 2 to the power of 31"""
    yield frame(WINDOW_UPDATE, b"\x7f\xff\xff\xff") * 2
    yield STALL


@hostile("h2")
def h2_streams(peer: Peer) -> Iterator[Step]:
    """HEADERS and resets of streams that nobody opened"""
    for stream in range(2, 1 << 20, 2):
        yield frame(HEADERS, STATUS_200, END_HEADERS, stream) + frame(RST_STREAM, b"\0\0\0\x08", 0, stream)


@hostile("h2")
def h2_body_endless(peer: Peer) -> Iterator[Step]:
    """A body beyond any window"""
    yield HEAD
    yield from endless(frame(DATA, b"x" * 16_000, 0, 1))
