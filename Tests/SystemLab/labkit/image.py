"""The built guest: an unpacked kernel and a base root, kept in the cache between runs.

An image is finished or absent, never half there: it is made in a directory beside its place and
renamed into it. Downloads are dropped afterwards, which leaves a third of the space to be cached.
The system that the guest with systemd has on its disk is made when it is first asked for, beside the rest.
"""

import fcntl
import hashlib
import json
import lzma
import shutil
import struct
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import debian, elf, modules, scenario, system, wwan_hwsim
from .deb import PackageTree, canonical
from .host import BUILD_TOOLS, SYSTEM_BUILD_TOOLS, LabError, cache_directory, require, say
from .initramfs import Initramfs

# Raise it with every change of what an image holds: an image of another schema is not used. What scenarios name is part
# of the image's name anyway.
SCHEMA = 3

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
    """An image's place in the cache."""

    directory: Path
    system: Path     # the disk of the guest with systemd

    def has_programs(self):
        return (self.directory / "facts.json").exists()

    @property
    def kernel(self):
        return self.directory / "kernel"

    @property
    def root(self):
        return self.directory / "root.cpio"

    @property
    def facts(self):
        return json.loads((self.directory / "facts.json").read_text())


def current():
    """The place of the image that this lab's scenarios need, built or not."""
    wanted = repr([scenario.needs(kind) for kind in ("packages", "programs", "modules")])
    digest = hashlib.sha256(wanted.encode()).hexdigest()[:8]
    cache = cache_directory()
    return Image(cache / f"image-{SCHEMA}-{digest}", cache / f"system-{SCHEMA}.squashfs")


def build(force=False, with_system=False):
    """Make the image, and the disk of the guest with systemd if wanted, unless they are there.

    Returns it, and the seconds that each stage took.
    """
    cache = cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    image, work, stages = current(), cache / "building", []
    with _alone(cache), ThreadPoolExecutor() as side_by_side:
        _renew(work)
        if force or not image.has_programs():
            require(BUILD_TOOLS)
            stages.append(side_by_side.submit(_build_programs, cache, work, image))
        if with_system and (force or not image.system.exists()):
            require(SYSTEM_BUILD_TOOLS)
            stages.append(side_by_side.submit(_build_system, cache, work, image))
        seconds = {stage: duration for task in stages for stage, duration in task.result().items()}
        shutil.rmtree(work)
    return image, seconds


def _build_programs(cache, work, image):
    draft = Image(work / "image", image.system)
    draft.directory.mkdir()
    seconds = _make(cache / "packages", work, draft)
    for old in cache.glob("image-*"):
        shutil.rmtree(old)
    draft.directory.rename(image.directory)
    shutil.rmtree(cache / "packages")
    return seconds


def _build_system(cache, work, image):
    say("making the root file system of the guest with systemd")
    begin = time.monotonic()
    system.make(work, work / "system")
    for old in cache.glob("system-*"):
        old.unlink()
    (work / "system").rename(image.system)
    return {"system": round(time.monotonic() - begin, 1)}


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

    facts = {"kernel": selection.release, "modules": sorted(chosen)}
    (image.directory / "facts.json").write_text(json.dumps(facts, indent=2) + "\n")
    return seconds


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
    named = (*PROGRAMS, *scenario.needs("programs"))
    files, waiting = {}, [name if "/" in name else f"usr/bin/{name}" for name in named]
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
