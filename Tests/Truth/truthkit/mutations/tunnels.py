"""Tunnels: known underlays, bound devices, tunnels in tunnels, programs, and lines of their own."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, ip, vpn, wait
from ..world import VPN_SERVER, Uplink, World
from .registry import best, family, mutation, other, uplink

ROUTER = "02:00:00:00:99:01"


def _default_through(device: str, which: int, net: int, metric: int = 1) -> Iterable[Action]:
    """Address, permanent neighbour and the best default of one family on a tunnel that carries Ethernet."""
    mine, router, length = ((f"10.{net}.0.2", f"10.{net}.0.1", 24) if which == 4 else
                            (f"2001:db8:{net}::2", f"2001:db8:{net}::1", 64))
    yield ip(f"link set {device} up")
    yield ip(f"addr add {mine}/{length} dev {device}{' nodad' if which == 6 else ''}")
    yield ip(f"neigh replace {router} lladdr {ROUTER} dev {device} nud permanent")
    yield ip(f"-{which} route add default via {router} dev {device} metric {metric}")


def _loses(world: World, rng: random.Random, one: Uplink) -> Iterable[Action]:
    """Sometimes the uplink below goes, by one way or the other."""
    choice = rng.random()
    if choice < 0.6:
        yield wait(rng.choice((150, 450)))
        yield ip(f"link set {one.port} down", FAR) if choice < 0.3 else ip(f"link set {one.name} down")


@mutation(weight=3, lasts=2.0)
def tunnel_to_neighbour(world: World, rng: random.Random) -> Iterable[Action]:
    """Its remote is on the link of one uplink."""
    one, which = uplink(world, rng), family(world, rng)
    outer = rng.choice(world.families)
    yield ip(f"link add vx0 type vxlan id 7 remote {one.gateway(outer)} dstport 4789")
    yield from _default_through("vx0", which, 99)
    yield from _loses(world, rng, one)


@mutation(finds="tunnel_bound", weight=3, lasts=2.0)
def tunnel_bound_to_device(world: World, rng: random.Random) -> Iterable[Action]:
    """The remote is looked up through the device, whatever the best default is."""
    one, which = uplink(world, rng), family(world, rng)
    outer = rng.choice(world.families)
    yield ip(f"link add vx1 type vxlan id 8 remote {VPN_SERVER[outer]} dstport 4789 dev {one.name}")
    yield from _default_through("vx1", which, 98)
    yield from _loses(world, rng, one)


@mutation(finds="guess_takes_path", weight=3, lasts=2.0)
def tunnel_in_tunnel(world: World, rng: random.Random) -> Iterable[Action]:
    one, which, outer = uplink(world, rng), family(world, rng), rng.choice(world.families)
    yield ip(f"link add vx2 type vxlan id 9 local {one.address(outer)} remote {one.gateway(outer)} dstport 4790")
    yield ip("link set vx2 up")
    yield ip("addr add 10.50.0.2/24 dev vx2")
    yield ip(f"neigh replace 10.50.0.1 lladdr {ROUTER} dev vx2 nud permanent")
    yield ip("link add vx3 type vxlan id 10 local 10.50.0.2 remote 10.50.0.1 dstport 4791")
    yield from _default_through("vx3", which, 97)
    yield from _loses(world, rng, one)


@mutation(lasts=2.0)
def tunnel_through_host_route(world: World, rng: random.Random) -> Iterable[Action]:
    """The remote has a route of its own, past the tunnel's default."""
    one, which, outer = uplink(world, rng), family(world, rng), rng.choice(world.families)
    yield one.route(outer, "replace", VPN_SERVER[outer])
    yield ip(f"link add vx4 type vxlan id 11 remote {VPN_SERVER[outer]} dstport 4792")
    yield from _default_through("vx4", which, 96)
    yield from _loses(world, rng, one)


@mutation(finds="guess_takes_path", lasts=2.0)
def tunnel_over_second_uplink(world: World, rng: random.Random) -> Iterable[Action]:
    """The remote has a route over another uplink, and the better default route has no carrier."""
    one, which, outer = other(world, rng, best(world)), family(world, rng), rng.choice(world.families)
    yield one.route(outer, "replace", VPN_SERVER[outer])
    yield ip(f"link set {best(world).port} down", FAR)
    yield ip(f"link add vx7 type vxlan id 14 remote {VPN_SERVER[outer]} dstport 4795")
    yield from _default_through("vx7", which, 89)
    yield from _loses(world, rng, one)


@mutation(finds="guess_takes_path", lasts=2.0)
def ipv4_tunnel_over_ipv6(world: World, rng: random.Random) -> Iterable[Action]:
    """IPv4 is there through a tunnel alone, in a network that has IPv6 alone."""
    for one in world.uplinks:
        yield ip(f"-4 addr flush dev {one.name}")
    yield ip(f"link add vx8 type vxlan id 15 remote {VPN_SERVER[6]} dstport 4796")
    yield from _default_through("vx8", 4, 88)
    yield from _loses(world, rng, best(world))


@mutation(weight=1)
def tunnel_redirected(world: World, rng: random.Random) -> Iterable[Action]:
    one, which, outer = uplink(world, rng), family(world, rng), rng.choice(world.families)
    yield ip(f"link add vx5 type vxlan id 12 remote {one.gateway(outer)} dstport 4793")
    yield from _default_through("vx5", which, 95)
    yield wait(300)
    yield ip(f"link set vx5 type vxlan remote {other(world, rng, one).gateway(outer)}")


@mutation(weight=1)
def tunnels_removed(world: World, rng: random.Random) -> Iterable[Action]:
    for device in ("vx0", "vx1", "vx2", "vx3", "vx4", "vx5", "vx7", "vx8", "gre9", "ipip9", "wg9"):
        yield ip(f"link del {device}")


@mutation(finds="guess_takes_path", weight=1, lasts=2.0)
def ip_tunnel(world: World, rng: random.Random) -> Iterable[Action]:
    """GRE and IPIP, where the kernel has them; half of them bound to a device."""
    one, kind = uplink(world, rng), rng.choice(("gre", "ipip"))
    bound = f" dev {one.name}" if rng.random() < 0.5 else ""
    yield ip(f"link add {kind}9 type {kind} local {one.address(4)} remote {one.gateway(4)}{bound}")
    yield ip(f"link set {kind}9 up")
    yield ip(f"addr add 10.94.0.2/24 dev {kind}9")
    yield ip(f"-4 route add default dev {kind}9 metric 1")
    yield from _loses(world, rng, one)


@mutation(finds="opaque_tunnel", weight=3, lasts=2.0, bound=True)
def tunnel_of_program(world: World, rng: random.Random) -> Iterable[Action]:
    """A full tunnel: half routes, and a host route to its server, which goes with the uplink."""
    one, outer = uplink(world, rng), family(world, rng)
    yield vpn("tun0", "forward", VPN_SERVER[outer])
    yield ip("link set tun0 up")
    yield ip("addr add 10.93.0.2/24 dev tun0")
    yield ip("addr add 2001:db8:93::2/64 dev tun0 nodad")
    yield one.route(outer, "replace", VPN_SERVER[outer])
    which = family(world, rng)
    for half in (("0.0.0.0/1", "128.0.0.0/1") if which == 4 else ("::/1", "8000::/1")):
        yield ip(f"-{which} route add {half} dev tun0")
    yield from _loses(world, rng, one)


@mutation(finds="guess_takes_path", weight=3, lasts=2.0, bound=True)
def tunnel_with_mark(world: World, rng: random.Random) -> Iterable[Action]:
    """As wg-quick does it: the program's packets have a mark, all others a table with the tunnel's default."""
    which, outer = family(world, rng), family(world, rng)
    yield vpn("tun1", "forward", VPN_SERVER[outer], mark=0xca6c)
    yield ip("link set tun1 up")
    yield ip("addr add 10.92.0.2/24 dev tun1")
    yield ip("addr add 2001:db8:92::2/64 dev tun1 nodad")
    yield ip(f"-{which} route add default dev tun1 table 51820")
    yield ip(f"-{which} rule add pref 31000 lookup main suppress_prefixlength 0")
    yield ip(f"-{which} rule add pref 31001 not fwmark 0xca6c lookup 51820")
    if rng.random() < 0.4:
        yield ip(f"-{which} rule add pref 30000 not fwmark 0x77 lookup 4711")
    yield from _loses(world, rng, best(world))


@mutation(finds="ppp", weight=3, lasts=1.5)
def point_to_point_line(world: World, rng: random.Random) -> Iterable[Action]:
    """ppp0 is a line of its own, and the other uplinks stand by."""
    yield vpn("ppp0", "medium")
    yield ip("addr add 100.64.0.2 peer 100.64.0.1 dev ppp0")
    yield ip("link set ppp0 up")
    yield ip("-4 route add default dev ppp0 metric 1")
    if 6 in world.families:
        yield ip("addr add 2001:db8:91::2/64 dev ppp0 nodad")
        yield ip("-6 route add default dev ppp0 metric 1")
    yield wait(300)
    for one in world.uplinks:
        if rng.random() < 0.6:
            yield ip(f"link set {one.port} down", FAR)


@mutation(finds="ppp", weight=2, lasts=2.0)
def tunnel_over_line(world: World, rng: random.Random) -> Iterable[Action]:
    """A VPN over ppp0."""
    yield vpn("ppp0", "medium")
    yield ip("addr add 100.64.0.2 peer 100.64.0.1 dev ppp0")
    yield ip("link set ppp0 up")
    yield ip("-4 route add default dev ppp0 metric 1")
    yield ip("link add vx6 type vxlan id 13 remote 203.0.113.77 dstport 4794")
    yield ip("-4 route add 203.0.113.77/32 dev ppp0")
    yield from _default_through("vx6", 4, 90, metric=0)


@mutation(lasts=1.0)
def tunnel_program_ends(world: World, rng: random.Random) -> Iterable[Action]:
    yield vpn(rng.choice(("tun0", "tun1", "ppp0")), "close")


@mutation()
def tunnel_down(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip(f"link set {rng.choice(('vx0', 'vx1', 'vx3', 'vx4', 'tun0', 'tun1', 'ppp0'))} down")
