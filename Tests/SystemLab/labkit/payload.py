"""What one run adds to the guest: the scenarios, the caller's files, and their shared libraries."""

import os
import re
import shlex
import subprocess
from pathlib import Path

from .deb import canonical
from .elf import MAGIC
from .host import LabError, run
from .initramfs import Initramfs

# Where the guest's loader looks by itself.
_SEARCHED = {"usr/lib", "usr/lib64", "usr/lib/x86_64-linux-gnu"}


def write(file, guest, scenarios, files, arguments, work):
    """Append the run's own archive to `file`, after the base root; `work` is for what is needed meanwhile."""
    archive = Initramfs(file)
    with_systemd = scenarios[0].with_systemd
    init = "init-systemd" if with_systemd else "init"
    archive.file("init", (guest / init).read_bytes(), 0o755)
    for helper in sorted(guest.glob("*.sh")):
        archive.file(f"lab/{helper.name}", helper.read_bytes())
    archive.file("lab/lab.service", (guest / "lab.service").read_bytes())

    for scenario in scenarios:
        archive.file(f"lab/scenarios/{scenario.name}.sh", scenario.path.read_bytes(), 0o755)
    package = next((file for file in files if file.suffix == ".deb"), None) if with_systemd else None
    if package:
        archive.file("lab/package.deb", _stored(package, work).read_bytes())
    elif any(scenario.package == "installed" for scenario in scenarios):
        raise LabError("a scenario begins with the package installed; name it with '-f'")

    programs = []
    for source in files:
        if not source.exists():
            raise LabError(f"no such file: {source}")
        _copy(archive, source, f"payload/{source.resolve().name}", programs)

    libraries = {}
    # A whole system has libraries of its own, and what a package needs is to be found among them.
    for program in () if with_systemd else programs:
        libraries.update({canonical(path): path for path in _libraries(program)})
    for inside, path in sorted(libraries.items()):
        archive.file(inside, Path(path).read_bytes(), 0o755)
    elsewhere = sorted({os.path.dirname(inside) for inside in libraries} - _SEARCHED)

    archive.directory("payload")
    settings = {"LAB_SYSTEMD": "yes" if with_systemd else "",
                "LAB_SCENARIOS": " ".join(f"{one.name}:{one.limit}:{one.package}" for one in scenarios)}
    if elsewhere:      # such as the Swift toolchain's runtime
        settings["LAB_LIBRARIES"] = ":".join(f"/{directory}" for directory in elsewhere)
    lines = [f"{name}={shlex.quote(value)}" for name, value in settings.items()]
    lines.append(shlex.join(["set", "--", *arguments]))
    archive.file("lab/run.conf", ("\n".join(lines) + "\n").encode())
    archive.close()


def _stored(package, work):
    """The package without compression: an emulated processor takes a good part of a minute to unpack it, which only
    matters where installing it is looked at."""
    tree, stored = work / "package", work / "package.deb"
    run(["dpkg-deb", "--raw-extract", package, tree], timeout=120)
    run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, stored], timeout=120)
    return stored


def _copy(archive, source, target, programs):
    if source.is_dir():
        archive.directory(target)
        for entry in sorted(source.iterdir()):
            _copy(archive, entry, f"{target}/{entry.name}", programs)
        return
    data = source.read_bytes()
    archive.file(target, data, 0o755 if os.access(source, os.X_OK) else 0o644)
    if data.startswith(MAGIC):
        programs.append(source)


def _libraries(program):
    """Host paths of the libraries that the host's loader would give this program.

    The guest gets them even where it has its own copy: the program was linked against the host's.
    """
    try:
        answer = subprocess.run(["ldd", str(program.resolve())], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(f"ldd {program}: {error}") from None
    lost = re.findall(r"^\s*(\S+) => not found", answer.stdout, re.MULTILINE)
    if lost:
        raise LabError(f"{program} needs libraries that this host does not find: {' '.join(lost)}")
    # "name => /path (0x…)" or, for the interpreter, "/path (0x…)"; neither in a static program.
    return re.findall(r"(?:=>|^)\s*(/\S+) \(0x", answer.stdout, re.MULTILINE)
