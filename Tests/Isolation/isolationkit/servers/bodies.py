"""Bodies that are costly to parse, compare or match."""

import struct
from collections.abc import Iterator

from ..steps import Peer, Step, hostile, marks, response

SIZE = 1_000_000         # just below max_body_bytes


@hostile("http", expect_format="json", expect_json=["status=ok"])
def json_marks(peer: Peer) -> Iterator[Step]:
    """A JSON key of combining marks, as long as a body may be"""
    yield response(f'{{"{marks(SIZE - 50)}":1,"status":"ok"}}'.encode(), "application/json")


@hostile("http", expect_format="json", expect_json=["status=ok"])
def json_many_marks(peer: Peer) -> Iterator[Step]:
    """Many JSON keys of 16 KB of combining marks, which differ in their end"""
    keys = ",".join(f'"{marks(16_000)}{number}":1' for number in range(60))
    yield response(f"{{{keys}}}".encode(), "application/json")


@hostile("http", expect_format="json", expect_json=["status=ok"])
def json_deep(peer: Peer) -> Iterator[Step]:
    """A million opening brackets"""
    yield response(b"[" * SIZE, "application/json")


@hostile("http", expect_format="json", expect_json=["a=2"])
def json_equal_keys(peer: Peer) -> Iterator[Step]:
    """150,000 members of one name"""
    yield response(b"{" + b'"a":1,' * 150_000 + b'"a":2}', "application/json")


@hostile("http", expect_format="json", expect_json=["status=ok"])
def json_small_values(peer: Peer) -> Iterator[Step]:
    """A third of a million empty arrays: each costs more memory than its bytes"""
    yield response(b"[" + b"[]," * (SIZE // 3 - 10) + b"1]", "application/json")


@hostile("http", expect_format="json", expect_json=["status=ok"])
def json_number(peer: Peer) -> Iterator[Step]:
    """A number of a million digits"""
    yield response(b'{"status":' + b"7" * (SIZE - 50) + b"}", "application/json")


@hostile("http", expect_body_matches=["^(a+)+$"])
def regex_backtracking(peer: Peer) -> Iterator[Step]:
    """A body on which a careless regular expression backtracks for ever"""
    yield response(b"a" * 50_000 + b"b")


@hostile("http", expect_body_contains=["welcome"])
def text_marks(peer: Peer) -> Iterator[Step]:
    """A text of combining marks that is searched"""
    yield response(marks(SIZE - 50).encode(), "text/plain; charset=utf-8")


@hostile("http", expect_format="xml")
def xml_marks(peer: Peer) -> Iterator[Step]:
    """XML elements and attributes with names of combining marks"""
    name = marks(60_000)
    yield response(f'<a {name}1="" {name}2=""><{name}/></a>'.encode(), "application/xml")


@hostile("http", expect_format="xml")
def xml_entities(peer: Peer) -> Iterator[Step]:
    """Entities that multiply to ten billion characters"""
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 11))
    yield response(f'<!DOCTYPE a [<!ENTITY l0 "lol">{entities}]><a>&l10;</a>'.encode(), "application/xml")


@hostile("http", expect_format="xml")
def xml_deep(peer: Peer) -> Iterator[Step]:
    """330,000 elements, each within the one before"""
    yield response(b"<a>" * (SIZE // 3), "application/xml")


@hostile("http", expect_format="xml")
def xml_attributes(peer: Peer) -> Iterator[Step]:
    """One element with 80,000 attributes"""
    yield response(("<a " + " ".join(f'a{n}=""' for n in range(80_000)) + "/>").encode(), "application/xml")


@hostile("http", expect_format="property-list")
def plist_xml_marks(peer: Peer) -> Iterator[Step]:
    """XML property list keys of combining marks"""
    keys = "".join(f"<key>{marks(300_000)}{n}</key><true/>" for n in range(3))
    yield response(f'<plist version="1.0"><dict>{keys}</dict></plist>'.encode(), "application/x-plist")


def binary_plist(objects: list[bytes], top: int = 0) -> bytes:
    """A binary property list; object references have three bytes."""
    text, offsets = b"bplist00", []
    for one in objects:
        offsets.append(len(text))
        text += one
    table = b"".join(struct.pack(">I", offset) for offset in offsets)
    return text + table + struct.pack(">5xBBBQQQ", 0, 4, 3, len(objects), top, len(text))


def plist_head(kind: int, count: int) -> bytes:
    return bytes([kind << 4 | 15, 0x12]) + struct.pack(">I", count)


def reference(number: int) -> bytes:
    return number.to_bytes(3, "big")


@hostile("http", expect_format="property-list")
def plist_binary_marks(peer: Peer) -> Iterator[Step]:
    """A binary property list with a key of 490,000 combining marks"""
    half = 245_000
    key = plist_head(6, 2 * half) + b"\x03\x01" * half + b"\x03\x23" * half
    yield response(binary_plist([b"\xd1" + reference(1) + reference(2), key, b"\x09"]), "application/x-plist")


@hostile("http", expect_format="property-list")
def plist_references(peer: Peer) -> Iterator[Step]:
    """65,000 references to one key of 590 KB"""
    count = 65_000
    dictionary = plist_head(13, count) + reference(1) * count + reference(2) * count
    key = plist_head(5, 590_000) + b"k" * 590_000
    yield response(binary_plist([dictionary, key, b"\x09"]), "application/x-plist")


@hostile("http", expect_format="property-list")
def plist_fan(peer: Peer) -> Iterator[Step]:
    """Arrays of references to arrays of references: a thousand million leaves"""
    levels = [plist_head(10, 1000) + reference(level + 1) * 1000 for level in range(3)]
    yield response(binary_plist([*levels, b"\x09"]), "application/x-plist")


@hostile("http", expect_format="property-list")
def plist_cycle(peer: Peer) -> Iterator[Step]:
    """An array that is a member of itself"""
    yield response(binary_plist([b"\xa2" + reference(0) + reference(0)]), "application/x-plist")


@hostile("http", expect_format="image")
def image_bomb(peer: Peer) -> Iterator[Step]:
    """A PNG that says that it is 2,147,483,647 pixels wide and high"""
    header = b"IHDR" + struct.pack(">II5B", 0x7FFFFFFF, 0x7FFFFFFF, 16, 6, 0, 0, 1)
    yield response(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + b"\0" * 100_000, "image/png")
