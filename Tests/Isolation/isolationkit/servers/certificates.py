"""Servers whose certificates are costly to judge. `isolationkit/chains.py` makes them."""

from collections.abc import Iterator

from ..chains import CHAINS
from ..steps import Hostile, Peer, Step, add, first_line, response


def welcome(peer: Peer) -> Iterator[Step]:
    """Answer as an honest server does: the handshake is what counts."""
    yield response(b"welcome")


for make in CHAINS:
    name = f"certificate_{make.__name__}"
    add(Hostile(name, "https", first_line(make), welcome, {}, certificate=make.__name__))
