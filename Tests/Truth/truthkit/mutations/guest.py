"""What needs a machine of its own: access points, lines and WireGuard, in the virtual machine alone."""

import random
from collections.abc import Iterable

from ..actions import FAR, Action, daemon, ip, shell, until, wait
from ..guestworld import TUNNEL_PORT, GuestWorld
from ..world import VPN_SERVER, World
from .registry import family, mutation, uplink

WIREGUARD = "wg0"
STATION = "wpa_cli -p /run/wpa_supplicant -i wlan0"


@mutation(finds="wifi", guest=True, weight=6, lasts=3.0)
def access_point_dies(world: World, rng: random.Random) -> Iterable[Action]:
    """Without a farewell: the station notices that the beacons are missing."""
    if isinstance(world, GuestWorld) and (one := world.has("wifi")):
        yield daemon("kill", "ap")
        yield ip(f"link set {one.port} down", FAR)


@mutation(finds="wifi", guest=True, weight=6, lasts=2.0)
def access_point_returns(world: World, rng: random.Random) -> Iterable[Action]:
    if isinstance(world, GuestWorld) and (one := world.has("wifi")):
        yield from world.associate(one)
        yield from world.restore(one)


@mutation(finds="wifi", guest=True, weight=6, lasts=4.0)
def station_deauthenticated(world: World, rng: random.Random) -> Iterable[Action]:
    """The station comes back by itself, mostly within its settle time."""
    if isinstance(world, GuestWorld) and (one := world.has("wifi")):
        yield shell(f"ip netns exec far hostapd_cli -p /run/hostapd -i {one.port} deauthenticate "
                    f"$(cat /sys/class/net/{one.name}/address)")


@mutation(finds="wifi", guest=True, weight=6, lasts=1.0)
def station_leaves(world: World, rng: random.Random) -> Iterable[Action]:
    """And returns in half of the cases; addresses and routes stay."""
    if isinstance(world, GuestWorld) and (one := world.has("wifi")):
        yield shell(f"{STATION} disconnect")
        if rng.random() < 0.5:
            yield wait(rng.choice((100, 600)))
            yield shell(f"{STATION} reconnect")
            yield until(f"grep -q up /sys/class/net/{one.name}/operstate")
            yield from world.restore(one)


@mutation(finds="ppp", guest=True, weight=6, lasts=2.0)
def line_hangs_up(world: World, rng: random.Random) -> Iterable[Action]:
    if isinstance(world, GuestWorld) and world.has("wwan"):
        yield daemon("kill", "line")


@mutation(finds="ppp", guest=True, weight=6, lasts=2.0)
def line_redialed(world: World, rng: random.Random) -> Iterable[Action]:
    """The interface comes back under the same name with another number."""
    if isinstance(world, GuestWorld) and (one := world.has("wwan")):
        yield daemon("kill", "line")
        yield wait(rng.choice((0, 400)))
        yield from world.dial(one)
        yield from world.restore(one)


@mutation(finds="wireguard", guest=True, bound=True, weight=6, lasts=2.0)
def wireguard_past_itself(world: World, rng: random.Random) -> Iterable[Action]:
    """A full tunnel by halves of the default route, and a host route to its far end through one uplink."""
    one, outer = uplink(world, rng), family(world, rng)
    yield from _wireguard(outer)
    yield one.route(outer, "replace", VPN_SERVER[outer])
    for which in world.families:
        for half in (("0.0.0.0/1", "128.0.0.0/1") if which == 4 else ("::/1", "8000::/1")):
            yield ip(f"-{which} route add {half} dev {WIREGUARD}")
    yield wait(rng.choice((300, 1000)))
    if rng.random() < 0.5:
        yield ip(f"link set {one.name} down")


@mutation(finds="wireguard", guest=True, bound=True, weight=6, lasts=2.0)
def wireguard_with_mark(world: World, rng: random.Random) -> Iterable[Action]:
    """As wg-quick does it."""
    outer = family(world, rng)
    yield from _wireguard(outer)
    yield shell(f"wg set {WIREGUARD} fwmark 51820")
    for which in world.families:
        yield ip(f"-{which} route add default dev {WIREGUARD} table 51820")
        yield ip(f"-{which} rule add pref 31000 lookup main suppress_prefixlength 0")
        yield ip(f"-{which} rule add pref 31001 not fwmark 51820 lookup 51820")
    yield wait(rng.choice((300, 1000)))
    if rng.random() < 0.5:
        yield ip(f"link set {uplink(world, rng).name} down")


@mutation(finds="wireguard", guest=True, weight=3, lasts=1.0)
def wireguard_removed(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip(f"link del {WIREGUARD}")


def _wireguard(outer: int) -> Iterable[Action]:
    server = VPN_SERVER[outer] if outer == 4 else f"[{VPN_SERVER[outer]}]"
    yield ip(f"link add {WIREGUARD} type wireguard")
    yield shell(f"wg set {WIREGUARD} private-key /run/host.key peer $(wg pubkey </run/far.key) "
                f"endpoint {server}:{TUNNEL_PORT} allowed-ips 0.0.0.0/0,::/0")
    yield ip(f"addr add 10.92.0.2/24 dev {WIREGUARD}")
    yield ip(f"addr add 2001:db8:92::2/64 dev {WIREGUARD} nodad")
    yield ip(f"link set {WIREGUARD} up")
