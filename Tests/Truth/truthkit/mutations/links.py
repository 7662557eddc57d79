"""Links: carrier, administrative state, names, namespaces, attributes."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, ip, wait
from ..world import World, shortened_timers
from .registry import best, mutation, uplink


@mutation(weight=6, lasts=3.0)
def carrier_lost(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip(f"link set {uplink(world, rng).port} down", FAR)


@mutation(finds="ipv6_next_router", weight=4, lasts=4.0)
def best_carrier_lost(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip(f"link set {best(world).port} down", FAR)


@mutation(weight=6)
def carrier_back(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"link set {one.port} up", FAR)
    yield ip(f"addr add {one.gateway(6)}/64 dev {one.port} nodad", FAR)


@mutation(weight=4)
def link_down(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip(f"link set {uplink(world, rng).name} down")


@mutation(weight=6)
def link_up(world: World, rng: random.Random) -> Iterable[Action]:
    yield from world.restore(uplink(world, rng))


@mutation()
def link_up_alone(world: World, rng: random.Random) -> Iterable[Action]:
    """Up, without what `link set down` took: addresses and routes."""
    yield ip(f"link set {uplink(world, rng).name} up")


@mutation(lasts=2.0)
def carrier_flaps(world: World, rng: random.Random) -> Iterable[Action]:
    port = uplink(world, rng).port
    for _ in range(rng.randint(3, 8)):
        yield ip(f"link set {port} down", FAR)
        yield wait(rng.choice((5, 20, 60, 150)))
        yield ip(f"link set {port} up", FAR)
        yield wait(rng.choice((5, 20, 60, 150)))


@mutation(finds="blip_published", lasts=1.5)
def carrier_blips(world: World, rng: random.Random) -> Iterable[Action]:
    """A link that is there for nearly all of the time."""
    port = best(world).port
    for _ in range(12):
        yield ip(f"link set {port} down", FAR)
        yield ip(f"link set {port} up", FAR)
        yield wait(220)


@mutation(lasts=1.0)
def renamed_and_back(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    new = one.name[:2] + "x7"
    yield ip(f"link set {one.name} down")
    yield ip(f"link set {one.name} name {new}")
    yield ip(f"link set {new} up")
    yield wait(rng.choice((0, 50, 400)))
    yield ip(f"link set {new} down")
    yield ip(f"link set {new} name {one.name}")
    yield from world.restore(one)


@mutation()
def renamed_while_up(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"link set {one.name} name {one.name[:2]}x8")
    yield wait(rng.choice((0, 50, 400)))
    yield ip(f"link set {one.name[:2]}x8 name {one.name}")


@mutation(lasts=1.0)
def deleted_and_made_again(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"link del {one.name}")
    yield wait(rng.choice((0, 30, 500)))
    yield from world.connect(one)


@mutation(lasts=1.0)
def moved_to_another_namespace(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"link set {one.name} netns far")
    yield wait(rng.choice((0, 50, 500)))
    yield ip(f"link set {one.name} netns host", FAR)
    yield from shortened_timers(one.name)       # the move took them
    yield from world.restore(one)


@mutation(weight=1)
def attributes_changed(world: World, rng: random.Random) -> Iterable[Action]:
    name = uplink(world, rng).name
    yield ip(f"link set {name} " + rng.choice((
        "mtu 1400", "mtu 1500", "promisc on", "promisc off", "allmulticast on", "txqueuelen 77", "alias uplink",
        "group 7", "group 0")))


@mutation(lasts=1.0)
def mtu_below_ipv6_minimum(world: World, rng: random.Random) -> Iterable[Action]:
    """The kernel drops IPv6 from such a link, and gives it back without addresses."""
    one = uplink(world, rng)
    yield ip(f"link set {one.name} mtu 1200")
    yield wait(rng.choice((50, 500)))
    yield ip(f"link set {one.name} mtu 1500")
    yield from shortened_timers(one.name)       # IPv6 begins anew


@mutation(weight=1, lasts=2.5)
def hardware_address_changed(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip(f"link set {uplink(world, rng).name} address 02:00:00:00:00:{rng.randint(16, 99)}")


@mutation(weight=1, lasts=2.5)
def arp_switched_off(world: World, rng: random.Random) -> Iterable[Action]:
    name = uplink(world, rng).name
    yield ip(f"link set {name} arp off")
    yield wait(300)
    yield ip(f"link set {name} arp on")


@mutation(lasts=1.0)
def other_than_best_carrier_lost(world: World, rng: random.Random) -> Iterable[Action]:
    for one in world.uplinks:
        if one != best(world):
            yield ip(f"link set {one.port} down", FAR)
