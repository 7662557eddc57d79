"""The web server at the far end, for scenarios with probes."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, ip, server
from ..world import INTERNET, World
from .registry import family, mutation


@mutation(probes=True)
def server_works(world: World, rng: random.Random) -> Iterable[Action]:
    yield server("ok")


@mutation(probes=True, finds="verdict")
def server_fails(world: World, rng: random.Random) -> Iterable[Action]:
    yield server("error")


@mutation(probes=True)
def server_resets(world: World, rng: random.Random) -> Iterable[Action]:
    yield server("refuse")


@mutation(probes=True)
def server_hangs(world: World, rng: random.Random) -> Iterable[Action]:
    yield server("hang")


@mutation(probes=True)
def server_redirects(world: World, rng: random.Random) -> Iterable[Action]:
    yield server("portal")


@mutation(probes=True)
def server_unreachable(world: World, rng: random.Random) -> Iterable[Action]:
    """The router says that there is no way on."""
    which = family(world, rng)
    yield ip(f"addr del {INTERNET[which]}/{32 if which == 4 else 128} dev lo", FAR)


@mutation(probes=True)
def server_back(world: World, rng: random.Random) -> Iterable[Action]:
    for which, address in INTERNET.items():
        yield ip(f"addr add {address}/{32 if which == 4 else 128} dev lo", FAR)
    yield server("ok")
