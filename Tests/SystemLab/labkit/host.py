"""The host as the lab sees it: bounded commands, named failures, one cache directory."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# Programs that the lab calls, and the Debian package that a person has to install for each.
BUILD_TOOLS = {
    "apt-get": "apt",
    "apt-cache": "apt",
    "dpkg-deb": "dpkg",
    "tar": "tar",
    "xz": "xz-utils",
    "gcc": "gcc",
    "make": "make",
    "ld": "binutils",
}
SYSTEM_BUILD_TOOLS = {
    "mmdebstrap": "mmdebstrap",
    "newuidmap": "uidmap",
    "mksquashfs": "squashfs-tools",
}
RUN_TOOLS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "ldd": "libc-bin",
}


class LabError(Exception):
    """The lab itself failed, as opposed to the scenario; the message says what and where."""


def say(message):
    """Chatter. Always on stderr: stdout belongs to the scenario alone."""
    print(f"lab: {message}", file=sys.stderr, flush=True)


def run(argv, *, timeout, cwd=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
    """Run a command to its end and return what it printed.

    Every call names its own limit, so that a hung mirror or compiler ends as an error about that
    command instead of as a test run that somebody has to kill. With `stdout` set to a file, bulk
    output goes there and the returned text is empty; likewise `stdin`.
    """
    argv = [str(word) for word in argv]
    line = " ".join(argv)
    try:
        done = subprocess.run(argv, cwd=cwd, stdin=stdin, stdout=stdout,
                              stderr=subprocess.PIPE, timeout=timeout,
                              env=dict(os.environ, LC_ALL="C"))
    except subprocess.TimeoutExpired:
        raise LabError(f"no end after {timeout} s: {line}") from None
    except OSError as error:
        raise LabError(f"cannot start {argv[0]}: {error.strerror}") from None
    if done.returncode != 0:
        report = ((done.stdout or b"") + done.stderr).decode(errors="replace").strip()
        raise LabError(f"status {done.returncode}: {line}\n{report[-2000:]}")
    return (done.stdout or b"").decode(errors="replace")


def require(tools):
    """Name every missing program with its package at once, not one per attempt."""
    missing = sorted({package for tool, package in tools.items() if not shutil.which(tool)})
    if missing:
        raise LabError("missing on this host, install with apt-get: " + " ".join(missing))


def cache_directory():
    """Where downloads and the built guest live; shared by all checkouts of one user."""
    chosen = os.environ.get("REACHAGENT_LAB_CACHE")
    if chosen:
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "reachagent-lab"
