"""Many changes at once, and changes of one family during those of the other."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, ip, wait
from ..world import World
from .registry import best, family, mutation, other, uplink


@mutation()
def routes_storm(world: World, rng: random.Random) -> Iterable[Action]:
    """A routing daemon that starts, and stops."""
    one = uplink(world, rng)
    for number in range(rng.choice((100, 800))):
        yield ip(f"route add 101.{number // 250}.{number % 250}.0/24 via {one.gateway(4)} dev {one.name} proto bird")
    if rng.random() < 0.7:
        yield ip("route flush proto bird")


@mutation()
def default_storm(world: World, rng: random.Random) -> Iterable[Action]:
    """The default route changes its uplink many times, and stays at one of them."""
    which = family(world, rng)
    for _ in range(rng.randint(5, 30)):
        yield uplink(world, rng).route(which, "replace", metric=11)
    yield wait(50)
    yield uplink(world, rng).route(which, "replace", metric=11)


@mutation(finds="joint_settling", weight=3, lasts=1.0)
def blips_of_one_family(world: World, rng: random.Random) -> Iterable[Action]:
    """The loss of one family must not wait for the other, which blips."""
    if len(world.families) < 2:
        return
    lost, blips = rng.sample(world.families, 2)
    one = uplink(world, rng)
    yield one.route(blips, "replace", metric=3)
    yield wait(300)
    for _ in world.uplinks:
        yield ip(f"-{lost} route del default")
    for _ in range(12):
        yield wait(100)
        yield ip(f"-{blips} route add unreachable default metric 1")
        yield ip(f"-{blips} route del unreachable default metric 1")


@mutation(lasts=3.0)
def failover_and_back(world: World, rng: random.Random) -> Iterable[Action]:
    one = best(world)
    yield ip(f"link set {one.port} down", FAR)
    yield wait(rng.choice((30, 300, 1200)))
    yield ip(f"link set {one.port} up", FAR)


@mutation(lasts=3.0)
def replugged_elsewhere(world: World, rng: random.Random) -> Iterable[Action]:
    one = best(world)
    another = other(world, rng, one)
    yield ip(f"link set {one.name} down")
    yield wait(rng.choice((0, 10, 100)))
    yield ip(f"link set {another.port} up", FAR)
    yield from world.restore(another)


@mutation(weight=1)
def short_gap(world: World, rng: random.Random) -> Iterable[Action]:
    """A loss that is shorter than the settle time."""
    which = family(world, rng)
    yield ip(f"-{which} route add unreachable default metric 1")
    yield wait(rng.choice((20, 60, 100)))
    yield ip(f"-{which} route del unreachable default metric 1")
