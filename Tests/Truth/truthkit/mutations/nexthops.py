"""Nexthop objects: one message changes all routes that use them."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, ip, sysctl, wait
from ..world import World
from .registry import family, mutation, other, uplink


def _objects(world: World, which: int) -> Iterable[Action]:
    for one in world.uplinks:
        yield ip(f"nexthop replace id {which}{one.number} via {one.gateway(which)} dev {one.name}")


@mutation(weight=3, lasts=3.0)
def nexthop_object(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield from _objects(world, which)
    yield ip(f"-{which} route replace default nhid {which}{one.number} metric 4")


@mutation()
def nexthop_redirected(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    another = other(world, rng, one)
    yield ip(f"nexthop replace id {which}9 via {one.gateway(which)} dev {one.name}")
    yield ip(f"-{which} route replace default nhid {which}9 metric 4")
    yield wait(rng.choice((30, 400)))
    yield ip(f"nexthop replace id {which}9 via {another.gateway(which)} dev {another.name}")


@mutation()
def nexthop_deleted(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield from _objects(world, which)
    yield ip(f"-{which} route replace default nhid {which}{one.number} metric 4")
    yield wait(rng.choice((30, 400)))
    yield ip(f"nexthop del id {which}{one.number}")


@mutation(flows=True, lasts=3.0)
def nexthop_group(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield from _objects(world, which)
    yield ip(f"nexthop replace id {which}00 group " + "/".join(f"{which}{one.number}" for one in world.uplinks))
    yield ip(f"-{which} route replace default nhid {which}00 metric 3")
    if rng.random() < 0.6:
        yield wait(300)
        yield ip(f"link set {uplink(world, rng).name} down")


@mutation()
def nexthop_blackhole(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield ip(f"-{which} nexthop replace id {which}8 blackhole")
    yield ip(f"-{which} route replace default nhid {which}8 metric 3")
    if rng.random() < 0.5:
        yield wait(300)
        yield ip(f"nexthop del id {which}8")


@mutation(finds="ghosts", lasts=3.0)
def nexthop_carrier_lost(world: World, rng: random.Random) -> Iterable[Action]:
    """The kernel removes the object and its routes, without a message for each."""
    one, which = uplink(world, rng), family(world, rng)
    if rng.random() < 0.5:
        yield sysctl("net.ipv4.nexthop_compat_mode", 0)
    yield from _objects(world, which)
    yield ip(f"-{which} route replace default nhid {which}{one.number} metric 4")
    yield wait(300)
    yield ip(f"link set {one.port} down", FAR)
