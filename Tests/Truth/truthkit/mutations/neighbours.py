"""Neighbours: routers that die behind a link that stays, and entries that are wrong."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, ip, silent, wait
from ..world import Uplink, World
from .registry import best, family, mutation, uplink


def _dies(one: Uplink) -> Iterable[Action]:
    yield silent(one.kind, True)
    yield ip(f"addr del {one.gateway(4)}/24 dev {one.port}", FAR)
    yield ip(f"addr del {one.gateway(6)}/64 dev {one.port}", FAR)


@mutation(finds="dead_router", weight=4, lasts=6.0)
def best_router_dies(world: World, rng: random.Random) -> Iterable[Action]:
    """IPv6 leaves a router that the kernel finds unreachable; no message says so."""
    yield from _dies(best(world))
    if rng.random() < 0.5:
        yield ip(f"neigh flush dev {best(world).name}")


@mutation(finds="dead_router", lasts=6.0)
def router_of_part_dies(world: World, rng: random.Random) -> Iterable[Action]:
    """2000::/3 in place of IPv6's default routes: the kernel leaves the router for that of the next metric."""
    for one in world.uplinks:
        yield ip(f"-6 route del default dev {one.name}")
        yield one.route(6, prefix="2000::/3")
    yield wait(300)
    yield from _dies(best(world))


@mutation(lasts=6.0)
def router_dies(world: World, rng: random.Random) -> Iterable[Action]:
    yield from _dies(uplink(world, rng))


@mutation(lasts=6.0)
def router_returns(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"addr add {one.gateway(4)}/24 dev {one.port}", FAR)
    yield ip(f"addr add {one.gateway(6)}/64 dev {one.port} nodad", FAR)
    yield silent(one.kind, False)


@mutation(finds="dead_router", lasts=6.0, flows=True)
def same_metric_router_dies(world: World, rng: random.Random) -> Iterable[Action]:
    """Two defaults of one metric, in both families; one of the routers dies."""
    for one in world.uplinks:
        for which in world.families:
            yield ip(f"-{which} route del default dev {one.name}")
            yield ip(f"-{which} route append default via {one.gateway(which)} dev {one.name} "
                     f"{'tos 0 ' if which == 4 else ''}metric 60")
    yield wait(300)
    yield from _dies(uplink(world, rng))


@mutation()
def neighbours_flushed(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip(f"-{family(world, rng)} neigh flush all")


@mutation(lasts=6.0)
def neighbour_failed(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield ip(f"neigh change {one.gateway(which)} dev {one.name} nud failed")


@mutation(weight=1, lasts=6.0)
def neighbour_wrong(world: World, rng: random.Random) -> Iterable[Action]:
    """A permanent entry with the wrong address: packets leave, and the far end does not take them."""
    one, which = uplink(world, rng), family(world, rng)
    yield ip(f"neigh replace {one.gateway(which)} lladdr 02:00:00:00:00:0f dev {one.name} nud permanent")
