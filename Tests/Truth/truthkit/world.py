"""The host of a scenario: its uplinks, the addresses on both ends, and the commands that make them.

Uplink k is a veth pair: wlan0, eth0 or wwan0 on the host, p1 to p3 in the far namespace. Its kind is an override in
the agent's configuration. The far end has the routers' addresses and the addresses that stand for the Internet.
"""

from dataclasses import dataclass
from ipaddress import ip_network

from .actions import FAR, Action, ip, sysctl

INTERNET = {4: "198.41.0.4", 6: "2001:503:ba3e::2:30"}
PREFIX = {4: "198.41.0.0/24", 6: "2001:503:ba3e::/48"}
DEFAULT = {4: "0.0.0.0/0", 6: "::/0"}
VPN_SERVER = {4: "203.0.113.9", 6: "2001:db8:f::9"}
FLOWS = 16                    # destinations that the judge uses where a route has several legs: one for each leg at least
NAMES = {"wifi": "wlan0", "wired": "eth0", "wwan": "wwan0"}
# The far end's ports, and the networks of the uplinks that lead to them.
PORTS = {f"p{number}": (ip_network(f"10.{number}.0.0/24"), ip_network(f"2001:db8:{number}::/64"))
         for number in (1, 2, 3)}
OTHER_CARRIERS = ("ppp0", "br0", "br1")    # a program's line and the bridges of uplinks, which may carry tunnels as well

# Neighbours are found, and given up, within a fraction of a second instead of three.
TIMERS = "retrans 100 delay_probe 100 base_reachable 1000"


def destinations(family: int, count: int) -> list[str]:
    """The addresses that the judge sends to; the agent watches the first one."""
    if family == 4:
        return [f"198.41.0.{4 + 7 * index}" for index in range(count)]
    return [f"2001:503:ba3e::2:{30 + 7 * index}" for index in range(count)]


def shortened_timers(device: str) -> list[Action]:
    return [ip(f"ntable change name {table} dev {device} {TIMERS}") for table in ("arp_cache", "ndisc_cache")]


@dataclass(frozen=True)
class Uplink:
    number: int
    kind: str
    metric: int

    @property
    def name(self) -> str:
        return NAMES[self.kind]

    @property
    def port(self) -> str:
        return f"p{self.number}"

    def address(self, family: int, host: int = 2) -> str:
        return f"10.{self.number}.0.{host}" if family == 4 else f"2001:db8:{self.number}::{host}"

    @property
    def port_address(self) -> str:
        """The Ethernet address of the far end."""
        return f"02:00:00:00:01:{self.number:02x}"

    @property
    def link_local_gateway(self) -> str:
        """The link-local address that the far end makes of that, again whenever it comes up."""
        return f"fe80::ff:fe00:1{self.number:02x}"

    def gateway(self, family: int) -> str:
        return self.address(family, 1)

    def prefix(self, family: int) -> str:
        return f"10.{self.number}.0.0/24" if family == 4 else f"2001:db8:{self.number}::/64"

    def add_address(self, family: int, device: str = "", host: int = 2, extra: str = "nodad") -> Action:
        length, tail = (24, "") if family == 4 else (64, f" {extra}")
        return ip(f"addr add {self.address(family, host)}/{length} dev {device or self.name}{tail}")

    def route(self, family: int, operation: str = "add", prefix: str = "default", metric: int | None = None,
              extra: str = "", device: str = "") -> Action:
        number = self.metric if metric is None else metric
        return ip(f"route {operation} {prefix} via {self.gateway(family)} dev {device or self.name} "
                  f"metric {number} {extra}".rstrip())


@dataclass
class World:
    """What a generator of steps knows. It follows no state: a command that does not apply fails, which is fine."""

    families: tuple[int, ...]
    uplinks: list[Uplink]

    @staticmethod
    def sysctls() -> list[Action]:
        """The far end keeps its addresses when it loses its carrier, as a router does."""
        return [sysctl(f"net.ipv6.conf.default.{key}", 0 if key == "accept_dad" else 1, FAR)
                for key in ("keep_addr_on_down", "accept_dad")]

    def setup(self) -> list[Action]:
        """The far end and the host, up and with default routes."""
        actions = [*self.sysctls(), ip("link set lo up"), ip("link set lo up", FAR)]
        for family in (4, 6):
            length = 32 if family == 4 else 128
            for address in destinations(family, FLOWS):
                actions.append(ip(f"addr add {address}/{length} dev lo", FAR))
            actions.append(ip(f"addr add {VPN_SERVER[family]}/{length} dev lo", FAR))
        for uplink in self.uplinks:
            actions += self.connect(uplink)
        return actions

    def connect(self, uplink: Uplink) -> list[Action]:
        """Make an uplink's pair of interfaces with addresses and routes.

        Their numbers differ: the kernel reports the carrier of a pair of equal numbers up to a second later.
        """
        far = [f"addr add {uplink.gateway(4)}/24 dev {uplink.port}",
               f"addr add {uplink.gateway(6)}/64 dev {uplink.port} nodad", f"link set {uplink.port} up"]
        pair = (f"link add {uplink.name} index 1{uplink.number} type veth "
                f"peer name {uplink.port} index 50{uplink.number} address {uplink.port_address} netns far")
        return [ip(pair), *shortened_timers(uplink.name), *(ip(command, FAR) for command in far), *self.restore(uplink)]

    def restore(self, uplink: Uplink) -> list[Action]:
        """Bring an uplink up with its addresses and default routes; what is there already stays."""
        actions = [ip(f"link set {uplink.name} up")]
        for family in self.families:
            actions += [uplink.add_address(family), uplink.route(family)]
        return actions
