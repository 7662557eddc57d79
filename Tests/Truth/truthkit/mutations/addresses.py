"""Addresses: lost, renewed, deprecated, ending, tentative, duplicate, borrowed."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, ip, sysctl, wait
from ..world import World
from .registry import best, family, mutation, uplink


@mutation(weight=4)
def address_removed(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield ip(f"addr del {one.address(which)}/{24 if which == 4 else 64} dev {one.name}")


@mutation(weight=3)
def address_added(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield one.add_address(which)
    yield one.route(which)


@mutation()
def second_address(world: World, rng: random.Random) -> Iterable[Action]:
    yield uplink(world, rng).add_address(family(world, rng), host=rng.randint(20, 90))


@mutation()
def lease_renewed(world: World, rng: random.Random) -> Iterable[Action]:
    """A client that takes everything away and puts the same back."""
    one = uplink(world, rng)
    yield ip(f"addr flush dev {one.name} scope global")
    yield wait(rng.choice((0, 5, 100, 400)))
    yield from world.restore(one)


@mutation()
def lease_changed(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"addr flush dev {one.name} scope global")
    for which in world.families:
        yield one.add_address(which, host=rng.randint(100, 199))
        yield one.route(which, "replace")


@mutation(weight=1)
def address_deprecated(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield ip(f"addr change {one.address(which)}/{24 if which == 4 else 64} dev {one.name} valid_lft 600 preferred_lft 0")


@mutation(lasts=3.5)
def address_lifetime_ends(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield ip(f"addr change {one.address(which)}/{24 if which == 4 else 64} dev {one.name} valid_lft 1 preferred_lft 1")


@mutation(lasts=3.0)
def address_tentative(world: World, rng: random.Random) -> Iterable[Action]:
    """The only address is checked for duplicates first."""
    one = uplink(world, rng)
    yield ip(f"-6 addr flush dev {one.name} scope global")
    yield one.add_address(6, extra="")
    yield one.route(6)


@mutation(lasts=3.0)
def address_duplicate(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"addr add {one.address(6, 66)}/64 dev {one.port} nodad", FAR)
    yield ip(f"-6 addr flush dev {one.name} scope global")
    yield one.add_address(6, host=66, extra="")
    yield one.route(6)


@mutation(finds="tentative_link_local", lasts=3.5)
def link_local_tentative(world: World, rng: random.Random) -> Iterable[Action]:
    """An uplink without a global address comes up: it cannot ask for its router yet."""
    one = best(world)
    rest = [candidate for candidate in world.uplinks if candidate != one]
    yield ip(f"link set {one.name} down")
    if rest:
        yield rest[0].add_address(6)
    else:
        yield ip("addr add 2001:db8:7::2/128 dev lo")
    yield sysctl(f"net.ipv6.conf.{one.name}.accept_dad", 1)
    yield ip(f"link set {one.name} up")
    yield ip(f"-6 route add default via {one.link_local_gateway} dev {one.name} metric 3")


@mutation()
def address_on_loopback(world: World, rng: random.Random) -> Iterable[Action]:
    """Unnumbered uplinks: the address is on lo, as on routers."""
    one, which = uplink(world, rng), family(world, rng)
    yield ip(f"addr flush dev {one.name} scope global")
    yield ip(f"addr add {'10.77.0.1/32' if which == 4 else '2001:db8:77::1/128'} dev lo")
    yield ip(f"-{which} route replace {one.gateway(which)} dev {one.name}")
    yield ip(f"-{which} route add default via {one.gateway(which)} dev {one.name} metric {one.metric} onlink")


@mutation(finds="borrowed_address")
def address_borrowed_from_bridge(world: World, rng: random.Random) -> Iterable[Action]:
    """The uplink lost its address, and a bridge of containers has one."""
    one = best(world)
    yield ip("link add docker0 type bridge")
    yield ip("addr add 172.17.0.1/16 dev docker0")
    yield ip("link set docker0 up")
    yield ip(f"-4 addr flush dev {one.name}")
    yield ip(f"-4 route add default dev {one.name} metric {one.metric}")


@mutation(lasts=2.5)
def ipv6_disabled(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield sysctl(f"net.ipv6.conf.{one.name}.disable_ipv6", 1)
    if rng.random() < 0.6:
        yield wait(rng.choice((50, 400)))
        yield sysctl(f"net.ipv6.conf.{one.name}.disable_ipv6", 0)
        yield from world.restore(one)


@mutation(weight=1)
def address_of_link_scope(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"-4 addr flush dev {one.name}")
    yield ip(f"addr add {one.address(4)}/24 dev {one.name} scope link")
    yield one.route(4)


@mutation(weight=1)
def prefix_length_changed(world: World, rng: random.Random) -> Iterable[Action]:
    one = uplink(world, rng)
    yield ip(f"addr del {one.address(4)}/24 dev {one.name}")
    yield ip(f"addr add {one.address(4)}/32 peer {one.gateway(4)} dev {one.name}")
    yield one.route(4)
