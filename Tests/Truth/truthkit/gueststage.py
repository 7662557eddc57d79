"""A scenario on its stage in the virtual machine: radios, the programs that use them, and what WireGuard hides."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from .actions import FAR, HOST, Action, ip, silent
from .guestworld import TUNNEL, TUNNEL_PORT
from .namespaces import Namespaces, end_with_parent, setns
from .packets import PacketJudge
from .stage import Stage
from .world import PORTS

RADIOS = Path("/sys/class/ieee80211")
LIMIT = 40.0                           # seconds for an association, a negotiation, or a radio's return
STATE = Path("/run/guest")
ACCESS_POINT = """interface={port}
driver=nl80211
ctrl_interface=/run/hostapd
ssid=truth
hw_mode=g
channel=1
wpa=2
wpa_key_mgmt=WPA-PSK
rsn_pairwise=CCMP
wpa_passphrase=not a secret
"""
STATION = """ctrl_interface=/run/wpa_supplicant
network={
    ssid="truth"
    psk="not a secret"
    key_mgmt=WPA-PSK
    scan_freq=2412
    freq_list=2412
}
"""


class GuestStage(Stage):
    def make_namespaces(self) -> Namespaces:
        """Both radios leave the machine's own namespace; they return to it when those of the scenario are gone."""
        radios = _radios()
        made = Namespaces()
        for place, name, radio in zip((FAR, HOST), self._wifi(), sorted(radios)):
            setns(Path("/proc/1/ns/net"))
            # By its number: a name is looked up in a sysfs, which is another namespace's by now.
            _command(f"iw phy#{radio} set netns name /run/netns/{place}")
            made.enter(place)
            _command(f"ip link set {radios[radio]} down; ip link set {radios[radio]} name {name}")
        made.enter(HOST)
        return made

    def _wifi(self) -> tuple[str, ...]:
        return next(((one.port, one.name) for one in self.scenario.uplinks if one.kind == "wifi"), ())

    def make_packets(self, capture: socket.socket) -> PacketJudge:
        return GuestPackets(capture, self.scenario.flows, self.scenario.bound)

    def prepare(self) -> None:
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        STATE.mkdir()
        # The kind of the Wi-Fi is the agent's to find out.
        self.agent.kinds = {pattern: kind for pattern, kind in self.agent.kinds.items() if kind != "wifi"}
        self.perform(self.scenario.world.setup())

    def close(self) -> None:
        super().close()
        for process in self._daemons.values():
            _end(process)

    def perform(self, actions: list[Action]) -> None:
        """A line keeps its carrier when its far end is down: that is a router that does not answer."""
        lines = {ip(f"link set {one.port} {state}", FAR): silent(one.kind, state == "down")
                 for one in self.scenario.uplinks if one.kind == "wwan" for state in ("down", "up")}
        super().perform([each for one in actions for each in ((lines[one], one) if one in lines else (one,))])

    # The verbs of the virtual machine

    def do_shell(self, text: str) -> None:
        _command(text)

    def do_until(self, text: str) -> None:
        end = time.monotonic() + LIMIT
        while _command(text) and time.monotonic() < end:
            time.sleep(0.05)
        if not self.record.started and time.monotonic() >= end:
            raise RuntimeError(f"the host could not be made: {text}\n{self._logs()}")

    def do_daemon(self, text: str) -> None:
        order, name = text.split()
        if process := self._daemons.pop(name, None):
            if order == "start" and process.poll() is None:
                self._daemons[name] = process
                return
            _end(process)
        if order == "start":
            with open(STATE / f"{name}.log", "ab") as log:
                self._daemons[name] = subprocess.Popen(self._words(name), stdin=subprocess.DEVNULL, stdout=log,
                                                       stderr=log, start_new_session=True,
                                                       preexec_fn=end_with_parent)

    def _words(self, name: str) -> list[str]:
        far = ["ip", "netns", "exec", FAR]
        if name == "line":
            one = next(one for one in self.scenario.uplinks if one.kind == "wwan")
            options = "noauth local nodetach noccp nodefaultroute +ipv6"
            other = f"/usr/bin/ip netns exec {FAR} /usr/bin/pppd notty ifname {one.port} {options}"
            return ["pppd", "ifname", one.name, *options.split(), "pty",
                    f"{other} {one.gateway(4)}:{one.address(4)}"]
        port, station = self._wifi()
        if name == "ap":
            (STATE / "ap.conf").write_text(ACCESS_POINT.format(port=port))
            return [*far, "hostapd", str(STATE / "ap.conf")]
        (STATE / "station.conf").write_text(STATION)
        return ["wpa_supplicant", "-i", station, "-D", "nl80211", "-c", str(STATE / "station.conf")]

    def _logs(self) -> str:
        return "\n".join(path.read_text(errors="replace")[-600:] for path in sorted(STATE.glob("*.log")))


class GuestPackets(PacketJudge):
    """Knows by which port a datagram came that was inside WireGuard: the far end decrypts what came last."""

    _carrier = ""

    def arrived(self, frame: bytes, interface: str) -> None:
        if interface in PORTS and _is_wireguard(frame):
            self._carrier = interface
        elif interface == TUNNEL and self._carrier:
            self.note(frame, self._carrier)
        else:
            super().arrived(frame, interface)


def _is_wireguard(frame: bytes) -> bool:
    """A datagram to the tunnel's port with data: behind an Ethernet header, or as a line has it."""
    for start in (14, 0):
        if len(frame) <= start + 60:
            continue
        version = frame[start] >> 4
        header = {4: 20, 6: 40}.get(version)
        if header and frame[start + (9 if version == 4 else 6)] == 17:
            udp = start + header
            return frame[udp + 2:udp + 4] == TUNNEL_PORT.to_bytes(2, "big") and frame[udp + 8:udp + 9] == b"\4"
    return False


def _radios() -> dict[int, str]:
    """The radios' numbers and their interfaces, as soon as two are in the machine's own namespace."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        found = {int((radio / "index").read_text()): names[0] for radio in RADIOS.iterdir()
                 if (names := [path.name for path in (radio / "device/net").glob("*")])}
        if len(found) == 2:
            return found
        time.sleep(0.05)
    raise RuntimeError(f"there are no two radios: {os.listdir(RADIOS)}")


def _command(text: str) -> int:
    return subprocess.run(["bash", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=LIMIT).returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a program with all that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
