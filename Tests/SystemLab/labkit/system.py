"""The root file system of the guest with systemd: a small Debian, complete as far as it goes.

The other guest is a handful of programs; this one is for what only a whole system can tell: that a
package installs, that a service starts, and that nothing is left when both are gone. mmdebstrap
makes it from the mirrors that this host uses, as root or, with the namespaces of an ordinary user,
without. It becomes a compressed image that is never written to: each run lays a file system in
memory over it, so that every run begins with the same system.
"""

import re

from .host import LabError, run

# What is beyond Debian's minimum, which has apt, dpkg, bash and the tools of coreutils.
PACKAGES = (
    "systemd-sysv", "dbus",                                    # process 1, and what systemctl talks through
    "iproute2", "socat", "busybox-static",                     # what scenarios are made of
    "libexpat1", "libnl-3-200", "libnl-route-3-200",           # what the agent's package may depend on
    "usr-is-merged",                                           # else usrmerge, and all of Perl with it
)
# A third of the image. Removed and not excluded by dpkg, which would then leave out those of the
# packages that a scenario installs.
LEFT_OUT = "usr/share/man usr/share/locale usr/share/info usr/share/doc var/cache/debconf/*-old"

BUILD_LIMIT = 900


def make(work, target):
    """Write the image of a new system to `target`; `work` is for what is needed meanwhile."""
    mirrors = _mirrors()
    archive = work / "system.tar"
    command = ["mmdebstrap", "--variant=minbase", "--include=" + ",".join(PACKAGES),
               "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
               f'--customize-hook=cd "$1" && rm -rf {LEFT_OUT}',
               *(f"--aptopt={line}" for line in _proxies())]
    codename = mirrors[0].split()[2]
    run([*command, codename, archive, *mirrors], timeout=BUILD_LIMIT)
    # Not packed small, but read quickly by an emulated processor. What mksquashfs has no place for
    # (access control lists of the journal's directory) is made again by systemd-tmpfiles.
    with open(archive, "rb") as source:
        run(["mksquashfs", "-", target, "-tar", "-comp", "lz4", "-noappend", "-quiet",
             "-no-progress"], timeout=300, stdin=source)
    archive.unlink()


def _mirrors():
    """The lines of a sources.list for Debian itself, in the order and from where this host has it."""
    fields = "$(ORIGIN)|deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    text = run(["apt-get", "indextargets", "--format", fields, "Created-By: Packages"], timeout=120)
    lines = [line.removeprefix("Debian|") for line in text.splitlines() if line.startswith("Debian|")]
    plain = [line for line in lines if "-" not in line.split()[2]]
    if not plain:
        raise LabError("apt has no sources of Debian; they and 'apt-get update' are needed")
    # The release itself comes first: it names the suite, its updates add to it.
    return plain + [line for line in lines if line not in plain]


def _proxies():
    """How this host's apt gets out, where it has to be told."""
    settings = run(["apt-config", "dump"], timeout=30)
    return re.findall(r'^(Acquire::\w+::Proxy\S* "[^"]+";)$', settings, re.MULTILINE)
