"""The registry of mutations, and what their generators share."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..actions import Action
from ..world import Uplink, World

Generator = Callable[[World, random.Random], Iterable[Action]]


@dataclass(frozen=True)
class Mutation:
    """A kind of change. A generator makes its actions from the world and a source of random numbers alone.

    `finds` names the class of defect that it is for (issue 15, section A), `lasts` the seconds after which the kernel
    may still change its mind, `flows` asks for several destinations, `probes` for a web server and probes, `bound` for
    datagrams through each uplink. One with `guest` is for the virtual machine alone.
    """

    name: str
    generate: Generator
    finds: str = ""
    lasts: float = 0.0
    flows: bool = False
    probes: bool = False
    bound: bool = False
    guest: bool = False
    weight: int = 2


ALL: dict[str, Mutation] = {}


def mutation(finds: str = "", lasts: float = 0.0, flows: bool = False, probes: bool = False, bound: bool = False,
             guest: bool = False, weight: int = 2) -> Callable[[Generator], Generator]:
    """Register a generator under the name of its function."""
    def register(generate: Generator) -> Generator:
        name = generate.__name__
        assert name not in ALL, name
        ALL[name] = Mutation(name, generate, finds, lasts, flows, probes, bound, guest, weight)
        return generate
    return register


def uplink(world: World, rng: random.Random) -> Uplink:
    return rng.choice(world.uplinks)


def best(world: World) -> Uplink:
    return min(world.uplinks, key=lambda one: one.metric)


def family(world: World, rng: random.Random) -> int:
    return rng.choice(world.families)


def other(world: World, rng: random.Random, one: Uplink) -> Uplink:
    """Another uplink, or the same one where there is no other."""
    return rng.choice([candidate for candidate in world.uplinks if candidate != one] or [one])
