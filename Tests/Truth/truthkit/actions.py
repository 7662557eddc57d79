"""Actions: the smallest things that a scenario does, as plain data that can be stored, dropped and printed."""

import json
import shlex
from dataclasses import dataclass

HOST, FAR = "host", "far"


@dataclass(frozen=True)
class Action:
    """One action: `verb` selects the handler in stage.py, `place` is a namespace where one is needed."""

    verb: str
    text: str
    place: str = HOST

    def script(self) -> str:
        """The shell command that does the same, or a comment where no command can."""
        if self.verb == "ip":
            return f"ip{'' if self.place == HOST else ' -n ' + self.place} {self.text}"
        if self.verb == "sysctl":
            prefix = "" if self.place == HOST else f"ip netns exec {self.place} "
            return f"{prefix}sysctl -qw {shlex.quote(self.text)}"
        if self.verb == "wait":
            return f"sleep {int(self.text) / 1000:g}"
        if self.verb == "shell":
            return self.text
        return f"# {self.verb} {self.text}"


def ip(text: str, place: str = HOST) -> Action:
    return Action("ip", text, place)


def sysctl(key: str, value: object, place: str = HOST) -> Action:
    return Action("sysctl", f"{key}={value}", place)


def wait(milliseconds: int) -> Action:
    return Action("wait", str(milliseconds))


def agent(command: str) -> Action:
    """restart, kill, stop, continue, or reload."""
    return Action("agent", command)


def server(mode: str) -> Action:
    """The answer of the web server at the far end: ok, error, refuse, hang or portal."""
    return Action("server", mode)


def silent(name: str, is_silent: bool) -> Action:
    """Note that the far end of a medium does not answer: no packet arrives although the host sends over it."""
    return Action("silent", f"{name} {'on' if is_silent else 'off'}")


def enslaved(interface: str, is_enslaved: bool = True) -> Action:
    """Note that an interface is the port of a bridge, to which the bridge leaves no answer of a router's."""
    return Action("enslaved", f"{interface} {'on' if is_enslaved else 'off'}")


def medium(name: str, kind: str) -> Action:
    """Override the kind of an interface in the configuration; the next reload or restart applies it."""
    return Action("medium", f"{name} {kind}")


def shell(command: str) -> Action:
    """A command of the virtual machine's, on the host; one that fails is as good as none."""
    return Action("shell", command)


def until(condition: str) -> Action:
    """Wait until a shell command succeeds, for a few seconds at most."""
    return Action("until", condition)


def daemon(order: str, name: str) -> Action:
    """`start` or `kill` a program of the virtual machine's: ap, station or line."""
    return Action("daemon", f"{order} {name}")


def vpn(name: str, mode: str, server_address: str = "-", mark: int = 0) -> Action:
    """A program on a tun device: `forward` sends packets to its server, `medium` is a line of its own,
    `close` ends the program."""
    return Action("vpn", json.dumps({"name": name, "mode": mode, "server": server_address, "mark": mark}))
