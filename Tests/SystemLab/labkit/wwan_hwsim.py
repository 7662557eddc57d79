"""The simulated cellular modem: a driver of the kernel tree that Debian does not build.

Its single source file is taken out of Debian's own linux-source package and compiled against the
headers of the very kernel that boots, so nothing of the kernel is kept in this repository.
"""

import re
import shutil
import subprocess

from .host import LabError, run

NAME = "wwan_hwsim"
SOURCE = f"drivers/net/wwan/{NAME}.c"


def compile_module(selection, work):
    """Return the module's code, without debugging information."""
    headers, module = work / "headers", work / NAME
    module.mkdir(parents=True)
    for deb in selection.headers:
        run(["dpkg-deb", "-x", deb, headers], timeout=120)
    tree = headers / "usr/src" / f"linux-headers-{selection.release}"
    _relocate(tree / "Makefile", headers)

    (module / f"{NAME}.c").write_bytes(_source(selection.source))
    (module / "Makefile").write_text(f"obj-m := {NAME}.o\n")
    run(["make", "-C", tree, f"M={module}", *_compiler(tree), "modules"], timeout=300)
    run(["strip", "--strip-debug", module / f"{NAME}.ko"], timeout=30)
    return (module / f"{NAME}.ko").read_bytes()


def _relocate(makefile, headers):
    """The headers' Makefile includes its other half by absolute path; it is under `headers` now."""
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{headers}/usr/src/"))


def _compiler(tree):
    """Headers ask for the compiler of their release, such as gcc-12; any gcc does for a test."""
    variables = tree / ".kernelvariables"
    wanted = re.search(r"\bgcc-\d+", variables.read_text()) if variables.exists() else None
    return ["CC=gcc"] if wanted and not shutil.which(wanted.group()) else []


def _source(deb):
    """One file out of an archive (the kernel's source) inside an archive (the package).

    The inner archive holds about 1.3 GB: it streams through, and ends at the wanted file.
    """
    inner = re.search(r"\S*/usr/src/linux-source-\S+\.tar\.xz",
                      run(["dpkg-deb", "--contents", deb], timeout=120))
    if not inner:
        raise LabError(f"{deb.name} holds no linux-source archive")
    member = re.sub(r".*/(linux-source-[^/]+)\.tar\.xz$", rf"\1/{SOURCE}", inner.group())
    stages = [["dpkg-deb", "--fsys-tarfile", str(deb)],
              ["tar", "--extract", "--to-stdout", "--occurrence=1", inner.group()],
              ["xz", "--decompress", "--stdout", "--threads=0"],
              ["tar", "--extract", "--to-stdout", "--occurrence=1", member]]
    processes, upstream = [], subprocess.DEVNULL
    try:
        for stage in stages:
            processes.append(subprocess.Popen(stage, stdin=upstream, stdout=subprocess.PIPE,
                                              stderr=subprocess.DEVNULL))
            if len(processes) > 1:
                upstream.close()       # else the stages above would not notice the early end
            upstream = processes[-1].stdout
        text, _ = processes[-1].communicate(timeout=300)
    except subprocess.TimeoutExpired:
        raise LabError(f"no end after 300 s: reading {member} out of {deb.name}") from None
    finally:
        for process in processes:
            process.kill()
            process.wait()
    if not text:
        raise LabError(f"{deb.name} has no {member}")
    return text
