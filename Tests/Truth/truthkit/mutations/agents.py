"""The agent itself: restarts, reloads, and time that it does not get."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, agent, ip, medium, wait
from ..world import World
from .registry import best, family, mutation, uplink


@mutation()
def agent_restarted(world: World, rng: random.Random) -> Iterable[Action]:
    yield agent("restart")


@mutation()
def agent_killed(world: World, rng: random.Random) -> Iterable[Action]:
    yield agent("kill")


@mutation()
def agent_stopped(world: World, rng: random.Random) -> Iterable[Action]:
    """Changes while the agent has no processor, as on a machine that swaps."""
    one = uplink(world, rng)
    yield agent("stop")
    yield wait(rng.choice((50, 400)))
    yield ip(f"link set {one.port} down", FAR) if rng.random() < 0.5 else one.route(family(world, rng), metric=9)
    yield wait(100)
    yield agent("continue")


@mutation()
def messages_lost(world: World, rng: random.Random) -> Iterable[Action]:
    """More messages than the receive buffer holds, with the one that matters among them."""
    one, which = uplink(world, rng), family(world, rng)
    yield agent("stop")
    for number in range(1500):
        yield ip(f"route add 100.{64 + number // 250}.{number % 250}.0/24 dev {best(world).name}")
    yield ip(f"-{which} route del default dev {one.name}")
    for number in range(1500):
        yield ip(f"route del 100.{64 + number // 250}.{number % 250}.0/24 dev {best(world).name}")
    yield agent("continue")


@mutation(weight=1)
def reloaded(world: World, rng: random.Random) -> Iterable[Action]:
    yield agent("reload")


@mutation(finds="causes")
def kind_overridden(world: World, rng: random.Random) -> Iterable[Action]:
    yield medium(uplink(world, rng).name, rng.choice(("wifi", "wwan", "wired")))
    yield agent("reload")


@mutation(weight=1)
def restarted_between_changes(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"link set {one.name} down")
    yield agent("restart")
    yield from world.restore(one)
