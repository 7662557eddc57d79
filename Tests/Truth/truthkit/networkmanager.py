"""NetworkManager in the agent's place, on the same scenarios, for comparison.

It runs as in a container: sysfs is read-only, so that it does without udev, and it has a bus of its own. It manages the
uplinks by profiles with the addresses and metrics that they have anyway. Its `State` says whether there is a default
path at all, without family and medium, so it is judged by that alone (`Judge` with `overall`).
"""

import os
import re
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .agent import Agent, Claim
from .namespaces import read_only_sysfs
from .world import Uplink

if TYPE_CHECKING:
    from .stage import Stage

TOOLS = ("NetworkManager", "nmcli", "dbus-daemon", "dbus-monitor")
CONNECTED = 70                      # NM_STATE_CONNECTED_GLOBAL
READY_LIMIT = 20.0
STATE = re.compile(rb"member=StateChanged\n\s*uint32 (\d+)\n")

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={directory}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy></busconfig>
"""
SETTINGS = """[main]
plugins=keyfile
no-auto-default=*
dns=none
rc-manager=unmanaged
systemd-resolved=false
auth-polkit=false
[keyfile]
path={directory}/profiles
"""


class NetworkManagerAgent(Agent):
    def __init__(self, stage: "Stage") -> None:
        super().__init__(Path("NetworkManager"), False, ())
        self._stage = stage
        self._processes: list[subprocess.Popen[bytes]] = []
        self._environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.directory}/bus"}
        self._text = b""

    def start(self) -> None:
        read_only_sysfs()
        for directory in ("/run/NetworkManager", "/run/dbus"):
            Path(directory).mkdir(exist_ok=True)
        profiles = self.directory / "profiles"
        profiles.mkdir()
        for uplink in self._stage.scenario.uplinks:
            path = profiles / f"{uplink.name}.nmconnection"
            path.write_text(_profile(uplink, self._stage.scenario.families))
            path.chmod(0o600)
        (self.directory / "bus.conf").write_text(BUS.format(directory=self.directory))
        (self.directory / "nm.conf").write_text(SETTINGS.format(directory=self.directory))
        self._spawn("dbus-daemon", f"--config-file={self.directory}/bus.conf", "--nofork")
        _wait_for(self.directory / "bus")
        self._monitor = self._spawn("dbus-monitor", "--system", "type='signal',member='StateChanged',"
                                    "path='/org/freedesktop/NetworkManager'", output=subprocess.PIPE)
        os.set_blocking(self._output.fileno(), False)
        none = f"{self.directory}/none"
        self._spawn("NetworkManager", "--no-daemon", f"--config={self.directory}/nm.conf", f"--config-dir={none}",
                    f"--system-config-dir={none}", f"--intern-config={self.directory}/intern.conf",
                    f"--state-file={self.directory}/state", f"--pid-file={self.directory}/pid")

    def _spawn(self, *command: str, output: int | None = None) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, env=self._environment, stdin=subprocess.DEVNULL,
                                   stdout=self._log if output is None else output, stderr=self._log)
        self._processes.append(process)
        return process

    @property
    def _output(self) -> Any:
        return self._monitor.stdout

    def command(self, name: str) -> None:
        """Restarts and stops are for the agent."""

    def wait_ready(self, limit: float = READY_LIMIT) -> bool:
        end = time.monotonic() + limit
        while time.monotonic() < end:
            answer = subprocess.run(["nmcli", "-t", "-f", "STATE", "general"], env=self._environment,
                                    capture_output=True, text=True)
            if answer.stdout.strip() == "connected":
                return True
            time.sleep(0.1)
        return False

    def receive(self, now: float) -> None:
        if not self._processes or not hasattr(self, "_monitor"):
            return
        self._text += self._output.read() or b""
        for state in STATE.findall(self._text):
            via = "up" if int(state) == CONNECTED else "none"
            self.claims.append(Claim(now, len(self.claims) + 1, "reachability.changed", "", {"to": {"via": via}}))
        self._text = STATE.sub(b"", self._text)[-4096:]

    def status(self) -> dict[str, Any] | None:
        return None

    def close(self) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        super().close()


def _profile(uplink: Uplink, families: tuple[int, ...]) -> str:
    sections = [f"[connection]\nid={uplink.name}\ntype=ethernet\ninterface-name={uplink.name}\nautoconnect=true\n"]
    for family, length in ((4, 24), (6, 64)):
        lines = ["method=disabled"]
        if family in families:
            lines = ["method=manual", f"address1={uplink.address(family)}/{length},{uplink.gateway(family)}",
                     f"route-metric={uplink.metric}"]
        sections.append(f"[ipv{family}]\n" + "\n".join(lines) + "\n")
    return "\n".join(sections)


def _wait_for(path: Path) -> None:
    end = time.monotonic() + 5
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.01)
