"""A shaped link between two hosts, each a network namespace, and the programs on them.

Where the link has a delay, a loss or fq_codel, the link-forwarder carries its frames, as the machine's kernel may have
neither netem nor fq_codel. Where it has a rate alone, a router with the kernel's own token bucket does, at any rate.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

NEAR_ADDRESS, FAR_ADDRESS = "192.0.2.2", "203.0.113.1"
MEGABIT = 1_000_000


@dataclass(frozen=True)
class Shape:
    """The properties of a link; rates in bits per second, times in milliseconds."""

    rate: int
    delay: float = 0            # of one way
    loss: float = 0             # in percent, of one way
    queue: str = "fifo"         # or fq_codel
    limit: float = 100          # the queue, as time at the rate
    in_kernel: bool = False

    @property
    def name(self) -> str:
        rate = f"{self.rate / MEGABIT:g} Mbit/s"
        parts = [rate, f"{2 * self.delay:g} ms"]
        if self.loss:
            parts.append(f"{self.loss:g} % loss")
        parts.append("fq_codel" if self.queue == "fq_codel" else f"FIFO {self.limit:g} ms")
        return ", ".join(parts)


def enter_namespaces() -> None:
    """Run this program again in a user, network and mount namespace of its own, where it is root."""
    if os.environ.get("TRANSFERKIT_INSIDE"):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
        return
    user = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
    os.environ["TRANSFERKIT_INSIDE"] = "1"
    # A PID namespace ends everything with this program, whatever ends that.
    os.execvp("unshare", ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                          sys.executable, *sys.argv])


class Link:
    """The namespaces `near` and `far`, and what is between them; a context manager."""

    def __init__(self, shape: Shape, forwarder: Path, congestion: str) -> None:
        self.shape = shape
        self._congestion = congestion
        self._forwarder = forwarder
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Link":
        try:
            _shell(HOSTS)
            if self.shape.in_kernel:
                _shell(ROUTER)
                _shell("\n".join(self._token_bucket(device) for device in ("wire0", "wire1")))
            else:
                _shell(WIRE)
                self._start_forwarder()
            self._set_congestion()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait()
        for name in ("near", "far", "wire"):
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)

    def _set_congestion(self) -> None:
        """Set the congestion control by route: the sysctl of a namespace takes no algorithm that is not for everybody."""
        for host in ("near", "far"):
            text = subprocess.run(["ip", "-n", host, "route"], check=True, capture_output=True, text=True).stdout
            for route in text.splitlines():
                subprocess.run(["ip", "-n", host, "route", "change", *route.split(), "congctl", self._congestion], check=True)

    def _token_bucket(self, device: str) -> str:
        # A bucket of 2 ms: what the kernel's timer needs, and no more than a queue would hold anyway.
        burst = max(1600, self.shape.rate // 8 // 500)
        limit = max(3000, int(self.shape.rate / 8 * self.shape.limit / 1000))
        return f"ip netns exec wire tc qdisc add dev {device} root tbf rate {self.shape.rate} burst {burst} limit {limit}"

    def _start_forwarder(self) -> None:
        shape = self.shape
        words = ["ip", "netns", "exec", "wire", str(self._forwarder), "--rate", str(shape.rate), "--delay", str(shape.delay),
                 "--loss", str(shape.loss), "--queue", shape.queue, "--limit", str(shape.limit), "wire0", "wire1"]
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        if self._process.stdout.readline() != "ready\n":
            raise RuntimeError("the link-forwarder does not start")


def command(host: str, *words: str) -> list[str]:
    """The words that run a program on a host."""
    return ["ip", "netns", "exec", host, *words]


def _shell(script: str) -> None:
    subprocess.run(["sh", "-e", "-c", script], check=True)


HOSTS = f"""
for name in near far wire; do ip netns add $name; ip -n $name link set lo up; done
for end in near:wire0 far:wire1; do
    ip link add eth0 netns ${{end%:*}} type veth peer name ${{end#*:}} netns wire
    ip netns exec ${{end%:*}} sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv4.tcp_no_metrics_save=1
    ip -n wire link set ${{end#*:}} up
    ip -n ${{end%:*}} link set eth0 up
done
ip netns exec wire sysctl -qw net.ipv6.conf.all.disable_ipv6=1
"""

# One subnet across the wire: the forwarder carries ARP, too.
WIRE = f"""
for end in near:{NEAR_ADDRESS} far:{FAR_ADDRESS}; do
    ip -n ${{end%:*}} addr add ${{end#*:}}/32 dev eth0
    ip -n ${{end%:*}} link set eth0 gso_max_segs 1
done
ip -n near route add {FAR_ADDRESS} dev eth0
ip -n near route add default via {FAR_ADDRESS} dev eth0
ip -n far route add {NEAR_ADDRESS} dev eth0
"""

ROUTER = f"""
ip netns exec wire sysctl -qw net.ipv4.ip_forward=1
ip -n wire addr add 192.0.2.1/24 dev wire0
ip -n wire addr add 203.0.113.254/24 dev wire1
ip -n near addr add {NEAR_ADDRESS}/24 dev eth0
ip -n near route add default via 192.0.2.1
ip -n far addr add {FAR_ADDRESS}/24 dev eth0
ip -n far route add default via 203.0.113.254
"""
