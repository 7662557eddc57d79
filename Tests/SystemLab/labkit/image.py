"""The built guest: an unpacked kernel and a base root, kept in the cache between runs.

An image is finished or absent, never half there: it is made in a directory beside its place and
renamed into it. Downloads are dropped afterwards, which leaves a third of the space to be cached.
The system that the guest with systemd has on its disk is added when it is first asked for.
"""

import fcntl
import json
import lzma
import shutil
import struct
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import debian, elf, modules, system, wwan_hwsim
from .deb import PackageTree, canonical
from .host import BUILD_TOOLS, SYSTEM_BUILD_TOOLS, LabError, cache_directory, require, say
from .initramfs import Initramfs

# Raise it with every change of what an image holds: an image of another schema is not used.
SCHEMA = 2

PROGRAMS = ("bash", "busybox", "hostapd", "hostapd_cli", "ip", "iw", "pppd", "wpa_cli",
            "wpa_supplicant")
LIBRARY_DIRECTORIES = ("usr/lib/x86_64-linux-gnu", "usr/lib")

ACCOUNTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\n",
    "etc/group": "root:x:0:\nnetdev:x:100:\n",
    "etc/hosts": "127.0.0.1 localhost lab\n::1 localhost\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


@dataclass(frozen=True)
class Image:
    """A finished image in the cache."""

    directory: Path

    @property
    def kernel(self):
        return self.directory / "kernel"

    @property
    def root(self):
        return self.directory / "root.cpio"

    @property
    def system(self):
        """The disk of the guest with systemd; an image need not have one."""
        return self.directory / "system.squashfs"

    @property
    def facts(self):
        return json.loads((self.directory / "facts.json").read_text())


def current():
    """The image of this schema, or None when it has to be built."""
    image = Image(cache_directory() / f"image-{SCHEMA}")
    return image if (image.directory / "facts.json").exists() else None


def build(force=False, with_system=False):
    """Make the image, and the disk of the guest with systemd if wanted, unless they are there."""
    cache = cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    work = cache / "building"
    with _alone(cache):
        if force or not current():
            require(BUILD_TOOLS)
            _renew(work)
            for old in cache.glob("image-*"):
                shutil.rmtree(old)
            draft = work / "image"
            draft.mkdir()
            _make(cache / "packages", work, Image(draft))
            draft.rename(cache / f"image-{SCHEMA}")
            shutil.rmtree(work)
            shutil.rmtree(cache / "packages")
        image = current()
        if with_system and not image.system.exists():
            require(SYSTEM_BUILD_TOOLS)
            _renew(work)
            say("making the root file system of the guest with systemd")
            system.make(work, work / "system")
            (work / "system").rename(image.system)
            shutil.rmtree(work)
    return image


def _renew(directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)


@contextmanager
def _alone(cache):
    """Two test runs may find the cache empty at the same moment: the second waits."""
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(packages, work, image):
    seconds, last = {}, time.monotonic()

    def finished(stage):
        nonlocal last
        now = time.monotonic()
        seconds[stage] = round(now - last, 1)
        last = now

    say(f"fetching Debian packages into {packages}")
    selection = debian.fetch(packages)
    finished("fetch")

    say(f"compiling {wwan_hwsim.NAME} for {selection.release}")
    compiled = {wwan_hwsim.NAME: wwan_hwsim.compile_module(selection, work)}
    finished("compile")

    say("making the guest's root")
    tree = PackageTree(work / "spool")
    for deb in (*selection.guest, selection.kernel):
        tree.add(deb)
    image.kernel.write_bytes(_unpacked(tree.read(f"boot/vmlinuz-{selection.release}")))
    chosen = modules.select(tree, selection.release, compiled)
    with open(image.root, "wb") as file:
        _root(tree, chosen, selection.release, Initramfs(file))
    finished("root")

    facts = {"kernel": selection.release, "modules": sorted(chosen), "seconds": seconds}
    (image.directory / "facts.json").write_text(json.dumps(facts, indent=2) + "\n")


def _unpacked(boot_image):
    """The kernel proper out of a bzImage.

    QEMU starts an uncompressed kernel directly; unpacking it here, once, saves three seconds of
    emulated xz in every boot. Offsets are those of the x86 boot protocol's setup header.
    """
    offset, length = struct.unpack_from("<II", boot_image, 0x248)
    start = ((boot_image[0x1F1] or 4) + 1) * 512 + offset
    packed = boot_image[start:start + length]
    if not packed.startswith(b"\xfd7zXZ\0"):
        return boot_image              # another compression: correct, only slower
    return lzma.LZMADecompressor().decompress(packed)


def _root(tree, chosen, release, archive):
    for name in ("dev", "out", "payload", "proc", "root", "run", "sys", "tmp", "usr/bin",
                 "usr/lib", "usr/lib64", "var"):
        archive.directory(name)
    for name, target in {"bin": "usr/bin", "sbin": "usr/bin", "usr/sbin": "bin", "lib": "usr/lib",
                         "lib64": "usr/lib64", "var/run": "../run"}.items():
        archive.link(name, target)
    archive.character_device("dev/console", 5, 1)
    for path, text in ACCOUNTS.items():
        archive.file(path, text.encode())
    for path, (data, mode) in sorted(_programs(tree).items()):
        archive.file(path, data, mode)
    modules.install(chosen, release, archive)
    archive.close()


def _programs(tree):
    """The programs with every library that they need, each under the name it is asked for by."""
    files, waiting = {}, [f"usr/bin/{name}" for name in PROGRAMS]
    while waiting:
        wanted = waiting.pop()
        if wanted in files:
            continue
        path = wanted
        while path in tree and tree.link_target(path):
            path = tree.link_target(path)
        data = tree.read(path)
        files[wanted] = (data, tree.mode(path))
        interpreter, libraries = elf.dependencies(data)
        if interpreter:
            waiting.append(canonical(interpreter))
        waiting += [_library(tree, name, wanted) for name in libraries]
    return files


def _library(tree, soname, user):
    if soname.startswith("ld-linux"):
        return f"usr/lib64/{soname}"
    for directory in LIBRARY_DIRECTORIES:
        if f"{directory}/{soname}" in tree:
            return f"{directory}/{soname}"
    raise LabError(f"/{user} needs {soname}, which no package of the guest has")
