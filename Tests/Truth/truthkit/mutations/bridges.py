"""Bridges, macvlan, VLAN, bonds, VRF, and the interfaces of containers."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, enslaved, ip, wait
from ..world import Uplink, World, shortened_timers
from .registry import best, family, mutation, uplink

BRIDGE_WITH_GUEST = "br1"


def _moves_to(world: World, device: str, one: Uplink, which: Iterable[int]) -> Iterable[Action]:
    """Addresses and default routes of an uplink move to a device above it."""
    yield ip(f"addr flush dev {one.name} scope global")
    yield ip(f"link set {device} up")
    yield from shortened_timers(device)
    for number in which:
        yield one.add_address(number, device)
        yield one.route(number, device=device)


@mutation(finds="bridge_carrier", weight=3, lasts=2.0)
def bridge_over_uplink(world: World, rng: random.Random) -> Iterable[Action]:
    """A host of virtual machines; then the cable is pulled."""
    one = best(world)
    yield ip("link add br0 type bridge")
    yield ip(f"link set {one.name} master br0")
    yield enslaved(one.name)
    yield from _moves_to(world, "br0", one, world.families)
    if rng.random() < 0.7:
        yield wait(rng.choice((600, 1300)))
        yield ip(f"link set {one.port} down", FAR)


@mutation(finds="bridge_guest", weight=3, lasts=2.0)
def bridge_with_guest(world: World, rng: random.Random) -> Iterable[Action]:
    """A guest's port keeps the bridge up when the cable is pulled."""
    one = best(world)
    yield ip(f"link add {BRIDGE_WITH_GUEST} type bridge")
    yield ip(f"link set {one.name} master {BRIDGE_WITH_GUEST}")
    yield enslaved(one.name)
    yield ip("link add vnet0 type veth peer name guest0")
    yield ip(f"link set vnet0 master {BRIDGE_WITH_GUEST} up")
    yield ip("link set guest0 up")
    yield from _moves_to(world, BRIDGE_WITH_GUEST, one, world.families)
    if rng.random() < 0.7:
        yield wait(rng.choice((600, 1300)))
        yield ip(f"link set {one.port} down", FAR)


@mutation(finds="leads_nowhere", weight=3, lasts=1.0)
def bridge_without_port(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield ip("link add br2 type bridge")
    yield ip("link set br2 up")
    yield from shortened_timers("br2")
    yield ip(f"addr add {'10.65.0.2/24' if which == 4 else '2001:db8:65::2/64 nodad'} dev br2")
    yield ip(f"-{which} route add default via {'10.65.0.1' if which == 4 else '2001:db8:65::1'} dev br2 metric 2")


@mutation(lasts=2.0)
def macvlan_over_uplink(world: World, rng: random.Random) -> Iterable[Action]:
    one, which = uplink(world, rng), family(world, rng)
    yield ip(f"link add link {one.name} name mv0 type macvlan mode bridge")
    yield ip("link set mv0 up")
    yield from shortened_timers("mv0")
    yield one.add_address(which, "mv0", host=40)
    yield ip(f"-{which} route add default via {one.gateway(which)} dev mv0 metric 2")
    if rng.random() < 0.6:
        yield wait(400)
        yield ip(f"link set {one.port} down", FAR) if rng.random() < 0.5 else ip(f"link set {one.name} down")


@mutation(weight=1, lasts=2.0)
def vlan_over_uplink(world: World, rng: random.Random) -> Iterable[Action]:
    """Where the kernel has VLANs."""
    one, which = uplink(world, rng), family(world, rng)
    yield ip(f"link add link {one.name} name vl5 type vlan id 5")
    yield ip(f"link add link {one.port} name vl5p type vlan id 5", FAR)
    yield ip("link set vl5p up", FAR)
    yield ip(f"addr add {'10.64.0.1/24' if which == 4 else '2001:db8:64::1/64 nodad'} dev vl5p", FAR)
    yield ip("link set vl5 up")
    yield ip(f"addr add {'10.64.0.2/24' if which == 4 else '2001:db8:64::2/64 nodad'} dev vl5")
    yield ip(f"-{which} route add default via {'10.64.0.1' if which == 4 else '2001:db8:64::1'} dev vl5 metric 2")


@mutation(weight=1, lasts=2.0)
def bond_over_uplink(world: World, rng: random.Random) -> Iterable[Action]:
    """Where the kernel has bonds; without link monitoring they keep their carrier when the cable is pulled."""
    one = best(world)
    yield ip(f"link add bond9 type bond mode active-backup miimon {rng.choice((0, 100))}")
    yield ip(f"link set {one.name} down")
    yield ip(f"link set {one.name} master bond9")
    yield from _moves_to(world, "bond9", one, world.families)


@mutation(weight=1, lasts=2.0)
def vrf_of_uplink(world: World, rng: random.Random) -> Iterable[Action]:
    """Where the kernel has VRFs: the uplink's routes leave the main table."""
    yield ip("link add vrf9 type vrf table 10")
    yield ip("link set vrf9 up")
    yield ip(f"link set {uplink(world, rng).name} master vrf9")


@mutation(weight=1)
def bridges_removed(world: World, rng: random.Random) -> Iterable[Action]:
    for device in ("br0", "br1", "br2", "mv0", "docker0"):
        yield ip(f"link del {device}")
    for one in world.uplinks:
        yield enslaved(one.name, False)
        yield from world.restore(one)


@mutation()
def containers_come_and_go(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip("link add docker0 type bridge")
    yield ip("addr add 172.17.0.1/16 dev docker0")
    yield ip("link set docker0 up")
    for number in range(rng.randint(2, 6)):
        yield ip(f"link add veth{number} type veth peer name c{number} netns far")
        yield ip(f"link set veth{number} master docker0 up")
        yield ip(f"link set c{number} up", FAR)
    yield wait(200)
    for number in range(6):
        yield ip(f"link del veth{number}")
