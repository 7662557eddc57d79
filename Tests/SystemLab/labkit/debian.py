"""Which Debian packages make the guest, and how they get into the cache.

Only apt knows the mirrors, the proxies and the signatures that this machine trusts, so apt does all
the fetching. Nothing is installed: apt is shown an empty status file, hence it answers with the
complete set of dependencies whatever the host has installed, and it needs no root for a download
into a directory of ours.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from . import scenario
from .host import LabError, run

# Sources of the programs in image.PROGRAMS, besides what scenarios name. Their dependencies follow from these names.
GUEST_PACKAGES = ("bash", "busybox-static", "hostapd", "iproute2", "iw", "ppp", "wpasupplicant")
KERNEL_PACKAGE = "linux-image-amd64"

DOWNLOAD_LIMIT = 900


@dataclass(frozen=True)
class Selection:
    """The package files of one guest, as apt names them."""

    release: str      # "6.1.0-56-amd64": names /lib/modules/<release>
    guest: tuple      # user space
    kernel: Path      # the image and its modules
    headers: tuple    # what a module is compiled against
    source: Path      # the kernel's source, for the driver that Debian does not build


def fetch(directory):
    """Download everything into `directory` and tell which file is which."""
    for name in ("partial", "empty"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    release = _release()
    headers = [f"linux-headers-{release}"]
    headers += re.findall(r"linux-(?:headers-[\w.+-]+-common|kbuild-[\w.+-]+)",
                          _field(headers[0], "Depends"))
    source = "linux-source-" + ".".join(release.split(".")[:2])
    image = f"linux-image-{release}"

    apt = _apt(directory)
    closure = ["install", "--yes", "--no-install-recommends", *GUEST_PACKAGES,
               *scenario.needs("packages")]
    by_name = ["download", image, source, *headers]
    guest = _file_names([*apt, *closure], directory / "empty")
    run([*apt, "--download-only", *closure], timeout=DOWNLOAD_LIMIT)

    plain = _file_names([*apt, *by_name], directory / "empty")
    absent = [name.split("_")[0] for name in plain if not (directory / name).exists()]
    if absent:
        run([*apt, "download", *absent], cwd=directory, timeout=DOWNLOAD_LIMIT)

    named = {name.split("_")[0]: directory / name for name in plain}
    lost = [str(path) for path in [*named.values(), *(directory / name for name in guest)]
            if not path.exists()]
    if lost:
        raise LabError("apt reported success but left out: " + " ".join(lost))
    return Selection(release, tuple(directory / name for name in guest), named[image],
                     tuple(named[name] for name in headers), named[source])


def _apt(directory):
    """apt-get, told to leave the host's own package state alone."""
    nothing_installed = directory / "no-packages"
    nothing_installed.touch()
    return ["apt-get", "-qq",
            "-o", f"Dir::State::status={nothing_installed}",
            "-o", f"Dir::Cache::archives={directory}",
            "-o", "Debug::NoLocking=1",            # the host's locks belong to root
            "-o", "APT::Sandbox::User=root"]       # else root's apt cannot write to a home


def _file_names(command, empty):
    """The names under which apt would store the packages of a command.

    Taken from apt instead of from a listing of the directory: an update of the mirror leaves files
    of two versions there, and only apt knows which one it means. It is asked in an empty directory,
    as it leaves out what is there already.
    """
    elsewhere = ["-o", f"Dir::Cache::archives={empty}", "--print-uris"]
    text = run([*command, *elsewhere], cwd=empty, timeout=120)
    names = re.findall(r"^'[^']+' (\S+\.deb) ", text, re.MULTILINE)
    if not names:
        raise LabError(f"apt names no file for: {' '.join(map(str, command))}")
    return names


def _release():
    depends = _field(KERNEL_PACKAGE, "Depends")
    match = re.search(r"linux-image-(\d[\w.+-]*)", depends)
    if not match:
        raise LabError(f"{KERNEL_PACKAGE} depends on no kernel image: {depends!r}")
    return match.group(1).replace("-unsigned", "")


def _field(package, name):
    try:
        text = run(["apt-cache", "show", "--no-all-versions", package], timeout=120)
    except LabError as error:
        raise LabError(f"apt does not know {package}: Debian sources and 'apt-get update' are "
                       f"needed\n{error}") from None
    match = re.search(rf"^{name}: (.*)$", text, re.MULTILINE)
    return match.group(1) if match else ""
