"""Routes: defaults, metrics, tables of refusals, lifetimes, several legs."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, ip, sysctl, wait
from ..world import PREFIX, World
from .registry import best, family, mutation, other, uplink


@mutation(weight=5)
def default_removed(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield ip(f"-{which} route del default dev {one.name}")


@mutation(weight=5)
def default_added(world: World, rng: random.Random) -> Iterable[Action]:
    yield uplink(world, rng).route(family(world, rng))


@mutation(weight=3)
def default_preferred(world: World, rng: random.Random) -> Iterable[Action]:
    yield uplink(world, rng).route(family(world, rng), metric=rng.randint(5, 50))


@mutation()
def default_replaced(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield other(world, rng, one).route(which, "replace", metric=one.metric)


@mutation()
def all_defaults_removed(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    for _ in world.uplinks:
        yield ip(f"-{which} route del default")


@mutation()
def half_routes(world: World, rng: random.Random) -> Iterable[Action]:
    """Two halves that win over any default, as VPN programs use them."""
    one, which = uplink(world, rng), family(world, rng)
    for half in (("0.0.0.0/1", "128.0.0.0/1") if which == 4 else ("::/1", "8000::/1")):
        yield one.route(which, "replace", half, metric=40)
    if rng.random() < 0.4:
        yield wait(300)
        yield ip(f"-{which} route del {'128.0.0.0/1' if which == 4 else '::/1'}")


@mutation(weight=3)
def default_refused(world: World, rng: random.Random) -> Iterable[Action]:
    kind, which = rng.choice(("unreachable", "blackhole", "prohibit")), family(world, rng)
    yield ip(f"-{which} route add {kind} default metric {rng.choice((1, 9000))}")


@mutation()
def refusal_removed(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    for kind in ("unreachable", "blackhole", "prohibit"):
        yield ip(f"-{which} route del {kind} default metric 1")
        yield ip(f"-{which} route del {kind} {PREFIX[which]}")


@mutation()
def prefix_refused(world: World, rng: random.Random) -> Iterable[Action]:
    kind, which = rng.choice(("unreachable", "blackhole", "prohibit")), family(world, rng)
    yield ip(f"-{which} route add {kind} {PREFIX[which]}")


@mutation()
def prefix_elsewhere(world: World, rng: random.Random) -> Iterable[Action]:
    yield uplink(world, rng).route(which := family(world, rng), "replace", PREFIX[which])


@mutation()
def default_without_gateway(world: World, rng: random.Random) -> Iterable[Action]:
    """On-link: the far end answers for the Internet's addresses itself, in IPv4."""
    yield ip(f"-4 route add default dev {uplink(world, rng).name} metric 7")


@mutation(weight=1)
def default_onlink(world: World, rng: random.Random) -> Iterable[Action]:
    yield uplink(world, rng).route(family(world, rng), "replace", metric=6, extra="onlink")


@mutation(finds="leads_nowhere")
def default_into_nothing(world: World, rng: random.Random) -> Iterable[Action]:
    """lo, and a device that swallows everything."""
    which = family(world, rng)
    device = rng.choice(("lo", "ifb0", "dummy0"))
    if device != "lo":
        yield ip(f"link add {device} type {device[:-1]}")
        yield ip(f"link set {device} up")
        if device == "dummy0":
            yield ip(f"addr add {'10.66.0.2/24' if which == 4 else '2001:db8:66::2/64 nodad'} dev {device}")
    yield ip(f"-{which} route add default dev {device} metric 2")


@mutation(finds="ipv6_expires", weight=3, lasts=4.5)
def default_with_lifetime(world: World, rng: random.Random) -> Iterable[Action]:
    """What a router advertisement makes; sometimes refreshed, sometimes to a shorter life."""
    one = other(world, rng, best(world))
    yield one.route(6, "add", metric=5, extra=f"expires {rng.choice((1, 2))}")
    if rng.random() < 0.3:
        yield wait(600)
        yield one.route(6, "replace", metric=5, extra="expires 2")


@mutation(finds="source_specific", weight=3)
def source_specific_default(world: World, rng: random.Random) -> Iterable[Action]:
    """The only kind that OpenWrt and hosts after RFC 8028 have."""
    for one in world.uplinks:
        yield ip(f"-6 route del default dev {one.name}")
        yield ip(f"-6 route add default from {one.prefix(6)} via {one.gateway(6)} dev {one.name} "
                 f"metric {one.metric}")


@mutation(finds="ecmp_dead_leg", flows=True, weight=3, lasts=4.0)
def several_legs(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    for one in world.uplinks:
        yield ip(f"-{which} route del default dev {one.name}")
    legs = " ".join(f"nexthop via {one.gateway(which)} dev {one.name}" for one in world.uplinks)
    yield ip(f"-{which} route add default {legs}")
    if rng.random() < 0.7:
        yield wait(300)
        yield ip(f"link set {uplink(world, rng).port} down", FAR)


@mutation(finds="ignore_linkdown", weight=3, lasts=1.5)
def linkdown_ignored(world: World, rng: random.Random) -> Iterable[Action]:
    one = best(world)
    yield ip(f"link set {one.port} down", FAR)
    yield wait(rng.choice((0, 300)))
    yield sysctl("net.ipv4.conf.all.ignore_routes_with_linkdown", 1)
    yield sysctl(f"net.ipv6.conf.{rng.choice(('all', one.name))}.ignore_routes_with_linkdown", 1)


@mutation(weight=1, lasts=1.0)
def linkdown_counts_again(world: World, rng: random.Random) -> Iterable[Action]:
    yield sysctl("net.ipv4.conf.all.ignore_routes_with_linkdown", 0)
    yield sysctl("net.ipv6.conf.all.ignore_routes_with_linkdown", 0)


@mutation(finds="ghosts", lasts=1.0)
def silent_removal(world: World, rng: random.Random) -> Iterable[Action]:
    """IPv6 routes of a link that goes down are removed without a message."""
    yield sysctl("net.ipv6.route.skip_notify_on_dev_down", 1)
    yield ip(f"link set {uplink(world, rng).name} down")


@mutation()
def route_with_source(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield one.route(which, "replace", metric=8, extra=f"src {one.address(which)}")


@mutation()
def main_table_flushed(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield ip(f"-{which} route flush table main")
    yield wait(rng.choice((0, 20, 300)))
    for one in world.uplinks:
        yield from world.restore(one)
        yield ip(f"-{which} route add {one.prefix(which)} dev {one.name}")
        yield one.route(which)


@mutation(weight=1)
def preferences_of_routers(world: World, rng: random.Random) -> Iterable[Action]:
    """RFC 4191: the metric is the same, and the preference decides."""
    for one in world.uplinks:
        yield ip(f"-6 route del default dev {one.name}")
        yield one.route(6, metric=1024, extra=f"pref {rng.choice(('low', 'medium', 'high'))}")
