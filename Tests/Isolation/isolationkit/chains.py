"""The certificates: those of the healthy servers, and chains that are costly to judge.

Each is a file NAME.pem with the server's certificate first; all have the one key of `server.key`.
"""

from collections.abc import Callable
from pathlib import Path

from .der import Key, authority, dns_name, extension, issue, names, pem, value
from .steps import marks

ROOT = "Isolation Root"


class Workshop:
    """The keys and the directory for the certificates."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.root, self.middle, self.server = (Key(directory / f"{one}.key") for one in ("root", "middle", "server"))

    def leaf(self, issuer: str, extensions: list[bytes], subject: str = "host.test") -> bytes:
        signer = self.root if issuer == ROOT else self.middle
        return issue(subject, issuer, self.server, signer, extensions)

    def between(self, subject: str, issuer: str, extensions: list[bytes]) -> bytes:
        signer = self.root if issuer == ROOT else self.middle
        return issue(subject, issuer, self.middle, signer, [*authority(), *extensions])

    def write(self, name: str, certificates: list[bytes]) -> None:
        (self.directory / f"{name}.pem").write_text("".join(map(pem, certificates)))


def common_name(shop: Workshop) -> list[bytes]:
    """A common name of 80 KB of combining marks"""
    return [shop.leaf(ROOT, [names()], marks(80_000))]


def issuer_name(shop: Workshop) -> list[bytes]:
    """An unknown issuer with a name of 40 KB of combining marks"""
    return [shop.leaf(marks(40_000), [names()])]


def many_names(shop: Workshop) -> list[bytes]:
    """4,000 names, none of which is the server's but the last"""
    return [shop.leaf(ROOT, [names(*(dns_name(f"n{number}.host.test") for number in range(4000)))])]


def name_of_marks(shop: Workshop) -> list[bytes]:
    """A DNS name of 40 KB of combining marks"""
    return [shop.leaf(ROOT, [names(dns_name(marks(40_000)))])]


def constraints(shop: Workshop) -> list[bytes]:
    """1,500 names under an authority with 1,500 name constraints"""
    permitted = (value(0x30, dns_name(f"c{number}.test")) for number in range(1500))
    limits = extension(30, value(0x30, value(0xA0, *permitted, value(0x30, value(0x87, bytes(8))))), True)
    return [shop.leaf("Middle", [names(*(dns_name(f"x.c{number}.test") for number in range(1500)))]),
            shop.between("Middle", ROOT, [limits])]


def long_chain(shop: Workshop) -> list[bytes]:
    """100 authorities in a row"""
    return [shop.leaf("Middle 99", [names()]),
            *(shop.between(f"Middle {n}", f"Middle {n - 1}" if n else ROOT, []) for n in reversed(range(100)))]


def cross_signed(shop: Workshop) -> list[bytes]:
    """Ten authorities that have all signed each other"""
    return [shop.leaf("Middle 0", [names()]),
            *(shop.between(f"Middle {a}", f"Middle {b}", []) for a in range(10) for b in range(10) if a != b)]


def same_subject(shop: Workshop) -> list[bytes]:
    """150 authorities of one name and key, and none that leads to the root"""
    return [shop.leaf("Middle", [names()]), *(shop.between("Middle", "Middle", []) for _ in range(150))]


def extensions(shop: Workshop) -> list[bytes]:
    """One extension 3,000 times"""
    return [shop.leaf(ROOT, [names()] + [extension(99, b"x" * 8)] * 3000)]


CHAINS: list[Callable[[Workshop], list[bytes]]] = [
    common_name, issuer_name, many_names, name_of_marks, constraints, long_chain, cross_signed, same_subject,
    extensions]


def make(directory: Path, wanted: set[str]) -> None:
    """Write the healthy servers' certificate and those wanted into the directory."""
    shop = Workshop(directory)
    shop.write("root", [issue(ROOT, ROOT, shop.root, shop.root, authority())])
    shop.write("server", [shop.leaf(ROOT, [names(dns_name("host.test"))])])
    for chain in CHAINS:
        if chain.__name__ in wanted:
            shop.write(chain.__name__, chain(shop))
