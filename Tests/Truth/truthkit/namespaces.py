"""The kernel's side of a scenario: two network namespaces, a mount namespace, and the commands in them.

Root keeps its user namespace, as some sysctls exist only there; everybody else gets one of their own.
"""

import ctypes
import json
import os
import subprocess
from itertools import groupby
from pathlib import Path

from .actions import FAR, HOST, Action
from .world import INTERNET

SET_PDEATHSIG, KILL = 1, 9
NEWNS, NEWUSER, NEWNET = 0x00020000, 0x10000000, 0x40000000
REMOUNT_READ_ONLY, BIND, PRIVATE_RECURSIVE = 0x1 | 0x20 | 0x1000, 0x1000, 0x4000 | 0x40000

libc = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    _call("unshare", flags)


def end_with_parent() -> None:
    """The calling process is killed when the thread that forked it ends: a program that stayed would keep a radio."""
    _call("prctl", SET_PDEATHSIG, KILL, 0, 0, 0)


def setns(path: Path) -> None:
    """Move the calling thread into a network namespace."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _call("setns", descriptor, NEWNET)
    finally:
        os.close(descriptor)


def _mount(source: str, target: str, kind: str | None, flags: int = 0) -> None:
    _call("mount", source.encode(), target.encode(), kind.encode() if kind else None, flags, None)


def read_only_sysfs() -> None:
    """Programs that find it so believe that they are in a container."""
    _mount("none", "/sys", None, REMOUNT_READ_ONLY)


class Namespaces:
    """Enters new namespaces; the process stays in `host`. Only for a process with a single thread."""

    def __init__(self) -> None:
        user, group = os.getuid(), os.getgid()
        if user != 0:
            unshare(NEWUSER)
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"0 {user} 1")
            Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        unshare(NEWNS)
        _mount("none", "/", None, PRIVATE_RECURSIVE)
        _mount("tmpfs", "/run", "tmpfs")
        os.mkdir("/run/netns")
        self._files: dict[str, int] = {}
        for place in (FAR, HOST):
            unshare(NEWNET)
            path = f"/run/netns/{place}"
            Path(path).touch()
            _mount("/proc/self/ns/net", path, None, BIND)
            self._files[place] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _mount("sysfs", "/sys", "sysfs")
        except OSError:
            pass                                     # kinds are overridden; the agent can do without

    def enter(self, place: str) -> None:
        """Move the calling thread."""
        _call("setns", self._files[place], NEWNET)

    def apply(self, actions: list[Action]) -> list[str]:
        """Do `ip` and `sysctl` actions in order; returns the messages of those that failed."""
        failures: list[str] = []
        for (verb, place, option), group in groupby(actions, key=lambda one: (one.verb, one.place, _option(one))):
            texts = [action.text.removeprefix(option).lstrip() for action in group]
            failures += self._batch(place, option, texts) if verb == "ip" else self._sysctls(place, texts)
        return failures

    def default_devices(self) -> set[str]:
        """The interfaces of the host's default routes and halves of them in all tables, and of its routes to the Internet."""
        devices: set[str] = set()
        for family, address in INTERNET.items():
            text = subprocess.run(["ip", f"-{family}", "-j", "route", "get", address], capture_output=True,
                                  timeout=30).stdout
            devices |= {route["dev"] for route in json.loads(text or b"[]") if "dev" in route}
        for option, prefixes in (("-4", ("default", "0.0.0.0/1", "128.0.0.0/1")), ("-6", ("default", "::/1", "8000::/1"))):
            text = subprocess.run(["ip", option, "-j", "route", "show", "table", "all"], capture_output=True,
                                  timeout=30).stdout
            for route in json.loads(text or b"[]"):
                if route.get("dst") in prefixes:
                    devices |= {leg["dev"] for leg in [route, *route.get("nexthops", [])] if "dev" in leg}
        return devices

    def _batch(self, place: str, option: str, commands: list[str]) -> list[str]:
        # Entered here and not by `ip -n`, which mounts a sysfs each time.
        self.enter(place)
        process = subprocess.run(["ip", *option.split(), "-force", "-batch", "-"], input="\n".join(commands) + "\n",
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=30)
        self.enter(HOST)
        return [line for line in process.stderr.splitlines() if line and not line.startswith("Command failed")]

    def _sysctls(self, place: str, settings: list[str]) -> list[str]:
        failures = []
        self.enter(place)
        for setting in settings:
            key, value = setting.split("=", 1)
            try:
                Path("/proc/sys", *key.split(".")).write_text(value)
            except OSError as error:
                failures.append(f"{setting}: {error.strerror}")
        self.enter(HOST)
        return failures


def _option(action: Action) -> str:
    """The family of an `ip` command; a batch has one for all of its lines."""
    return action.text[:2] if action.text.startswith("-") else ""
