"""The host of a scenario in the virtual machine: real Wi-Fi, a real PPP line, and WireGuard's far end.

The names and addresses are those of every scenario, so that the mutations of addresses, routes and rules apply. The
access point is the far port of the Wi-Fi, the other pppd that of the line, and WireGuard's far end has the server's
address.
"""

from collections.abc import Iterable

from .actions import FAR, Action, daemon, ip, shell, until
from .world import Uplink, World

# WireGuard's own interface at the far end, and its port.
TUNNEL, TUNNEL_PORT = "wgf", 51820


class GuestWorld(World):
    def setup(self) -> list[Action]:
        return [
            *super().setup(),
            shell("umask 077; for end in host far; do wg genkey >/run/$end.key; done"),
            ip(f"link add {TUNNEL} type wireguard", FAR),
            shell(f"ip netns exec far wg set {TUNNEL} private-key /run/far.key listen-port {TUNNEL_PORT} "
                  "peer $(wg pubkey </run/host.key) allowed-ips 0.0.0.0/0,::/0"),
            ip(f"link set {TUNNEL} up", FAR),
        ]

    def connect(self, uplink: Uplink) -> list[Action]:
        if uplink.kind == "wired":
            return super().connect(uplink)
        return [*(self.associate(uplink) if uplink.kind == "wifi" else self.dial(uplink)), *self.restore(uplink)]

    def associate(self, uplink: Uplink) -> Iterable[Action]:
        """The access point comes up, and the station associates as soon as it finds it."""
        yield from (ip(f"link set {uplink.port} up", FAR), daemon("start", "ap"))
        yield from (ip(f"addr add {uplink.gateway(4)}/24 dev {uplink.port}", FAR),
                    ip(f"addr add {uplink.gateway(6)}/64 dev {uplink.port} nodad", FAR))
        yield from (daemon("start", "station"), until(f"grep -q up /sys/class/net/{uplink.name}/operstate"))

    def dial(self, uplink: Uplink) -> Iterable[Action]:
        """Both ends of the line negotiate its addresses; those of IPv6 beyond the link are added as a router would."""
        yield daemon("start", "line")
        yield until(f"ip -4 addr show dev {uplink.name} | grep -q 'inet {uplink.address(4)}'")
        yield ip(f"addr add {uplink.gateway(6)}/64 dev {uplink.port} nodad", FAR)

    def has(self, kind: str) -> Uplink | None:
        """The uplink of a kind, where the host has one."""
        return next((one for one in self.uplinks if one.kind == kind), None)
