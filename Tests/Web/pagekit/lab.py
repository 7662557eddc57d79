"""A machine with three uplinks, the network behind them, and the agent on it: network namespaces and real programs."""

import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from .browser import end_with_parent

ROOT = Path(__file__).resolve().parents[3]
ADDRESS = "http://127.0.0.1:9718/"
# The name, the kind, the router, the machine's address (RFC 5737) and the metric of each uplink; all are /25.
UPLINKS = (("eth0", "wired", "203.0.113.1", "203.0.113.7", 100), ("wlan0", "wifi", "192.0.2.1", "192.0.2.7", 600),
           ("wwan0", "wwan", "203.0.113.129", "203.0.113.135", 700))
SERVERS = {"www": "198.51.100.80", "api": "198.51.100.81", "portal": "198.51.100.82"}
NAMESPACES = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--uts"]

CONFIGURATION = """
[agent]
journal_directory = "{directory}/journal"
socket_directory = "{directory}"
[http]
listen = "127.0.0.1:9718"
[interfaces.kinds]
"eth*" = "wired"
"wlan*" = "wifi"
"wwan*" = "wwan"
[portal]
recheck = "300ms"
ask_network = false
[metered]
cellular = false
[probe.api]
target = "https://api.example.org/health"
connect_to = "{api}:443"
[probe.web]
target = "https://www.example.org/"
connect_to = "{www}:443"
interfaces = "each"
[probe.portal]
target = "http://detect.example.org/generate_204"
connect_to = "{portal}:80"
portal = true
"""


def obstacle() -> str | None:
    """Why there can be no lab here; None when there can."""
    try:
        tried = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True, timeout=20)
    except OSError as error:
        return f"unshare cannot be run: {error}"
    return None if tried.returncode == 0 else f"no namespaces can be made here: {tried.stderr.strip()}"


def run(*words: str) -> None:
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=30)


class Server:
    """A web server behind the uplinks that does as it is told: see Tests/IntegrationTests/web-server.py."""

    def __init__(self, directory: Path, address: str) -> None:
        program = ROOT / "Tests/IntegrationTests/web-server.py"
        self._process = subprocess.Popen(
            ["ip", "netns", "exec", "far", sys.executable, program, directory, "80", "443", address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent)
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._expect("ready")

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            if line.startswith(("ready", "done")):
                self._answers.put(line.strip())

    def _expect(self, line: str) -> None:
        if (answer := self._answers.get(timeout=20)) != line:
            raise RuntimeError(f"the web server said {answer}")

    def be(self, behaviour: str) -> None:
        if self._process.stdin:
            self._process.stdin.write(f"{behaviour}\n")
            self._process.stdin.flush()
        self._expect(f"done {behaviour}")


class Lab:
    """Only for a process in the namespaces of NAMESPACES."""

    def __init__(self, agent: Path, directory: Path, interval: str = "1s") -> None:
        self._agent, self.directory, self._interval = agent, directory, interval
        self._process: subprocess.Popen[bytes] | None = None
        (directory / "journal").mkdir()
        socket.sethostname("edge-7")
        run("mount", "-t", "tmpfs", "tmpfs", "/run")
        run("mount", "-t", "sysfs", "sysfs", "/sys")
        run("ip", "link", "set", "lo", "up")
        run("ip", "netns", "add", "far")
        run("ip", "-n", "far", "link", "set", "lo", "up")
        for address in SERVERS.values():
            run("ip", "-n", "far", "address", "add", f"{address}/32", "dev", "lo")
        for name, _, router, address, metric in UPLINKS:
            run("ip", "link", "add", name, "type", "veth", "peer", "name", name, "netns", "far")
            run("ip", "-n", "far", "address", "add", f"{router}/25", "dev", name)
            run("ip", "-n", "far", "link", "set", name, "up")
            run("ip", "address", "add", f"{address}/25", "dev", name)
            run("ip", "link", "set", name, "up")
            # As network managers do: a route whose cable is pulled is none.
            Path(f"/proc/sys/net/ipv4/conf/{name}/ignore_routes_with_linkdown").write_text("1")
            if name != "eth0":
                run("ip", "route", "add", "default", "via", router, "dev", name, "metric", str(metric))
        Path("/proc/sys/net/ipv4/conf/all/ignore_routes_with_linkdown").write_text("1")
        self.plug("eth0", False)
        self._certify()
        self.servers = {name: Server(directory / name, address) for name, address in SERVERS.items()}

    def plug(self, uplink: str, plugged: bool) -> None:
        """Plugs or pulls the cable of an uplink: its far end goes, and with it the carrier."""
        run("ip", "-n", "far", "link", "set", uplink, "up" if plugged else "down")

    def extend(self, name: str) -> None:
        """Adds an interface that has no address."""
        run("ip", "link", "add", name, "type", "veth", "peer", "name", name, "netns", "far")

    def reduce(self, name: str) -> None:
        """Removes an interface."""
        run("ip", "link", "delete", name)

    def _certify(self) -> None:
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        root, root_key = self.directory / "root.pem", self.directory / "root.key"
        self._openssl("req", "-x509", *key, "-days", "900", "-subj", "/CN=Example Root CA", "-keyout", root_key, "-out",
                      root, "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")
        for name, days in (("www", 10), ("api", 62), ("portal", 62)):
            directory = self.directory / name
            directory.mkdir()
            self._openssl(
                "req", "-x509", *key, "-days", days, "-subj", f"/CN={name}.example.org", "-keyout", directory / "server.key",
                "-out", directory / "server.pem", "-CA", root, "-CAkey", root_key, "-addext",
                f"subjectAltName=DNS:{name}.example.org", "-addext", "basicConstraints=critical,CA:FALSE",
                "-addext", "extendedKeyUsage=serverAuth")

    @staticmethod
    def _openssl(*words: object) -> None:
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=30)

    # The agent

    def start(self) -> None:
        """Starts the agent, and waits until it answers over HTTP."""
        text = CONFIGURATION.format(directory=self.directory, **SERVERS)
        timing = f'interval = "{self._interval}"\nfast_interval = "150ms"\ntimeout = "900ms"\nfall = 2\nfamilies = "ipv4"\n'
        text = text.replace('org/health"\n', f'org/health"\n{timing}ca_file = "{self.directory}/root.pem"\n')
        text = text.replace('www.example.org/"\n', f'www.example.org/"\n{timing}ca_file = "{self.directory}/root.pem"\n')
        text = text.replace('generate_204"\n', f'generate_204"\n{timing}')
        path = self.directory / "reachagent.toml"
        path.write_text(text)
        with open(self.directory / "log", "ab") as log:
            self._process = subprocess.Popen(
                [self._agent, "run", "--config", path, "--no-hooks", "--format", "none"], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log, preexec_fn=end_with_parent)
        self.status(patience=20)

    def kill(self) -> None:
        """Ends the agent without a last word."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def log(self) -> str:
        return (self.directory / "log").read_text(errors="replace")

    def status(self, patience: float = 5) -> dict[str, Any]:
        """The status over HTTP; waits while nothing answers."""
        deadline = time.monotonic() + patience
        while True:
            try:
                with socket.create_connection(("127.0.0.1", 9718), timeout=5) as connection:
                    connection.sendall(b"GET /api/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    with connection.makefile("rb") as answer:
                        return json.loads(answer.read().partition(b"\r\n\r\n")[2])
            except (OSError, ValueError):
                if time.monotonic() > deadline or (self._process and self._process.poll() is not None):
                    raise RuntimeError(f"the agent does not answer: {self.log()}") from None
                time.sleep(0.01)

    def wait(self, what: str, condition: Any, patience: float = 15) -> None:
        """Waits until the status meets a condition."""
        deadline = time.monotonic() + patience
        while not condition(status := self.status()):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{what} did not come: {json.dumps(status)[:2000]}")
            time.sleep(0.02)


def enter(arguments: list[str]) -> None:
    """Runs this program again, in the lab's namespaces."""
    os.execvp(NAMESPACES[0], [*NAMESPACES, "--", sys.executable, *arguments])
