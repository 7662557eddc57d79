"""One boot of the guest in QEMU, from an initramfs to the exit status of each scenario.

The guest has three serial ports, so that nothing has to be told apart on the way:

  ttyS0  the kernel's console: kept, and shown only when the lab fails
  ttyS1  what the scenarios print: passed on as it comes
  ttyS2  the report of guest/report.sh: the line "booted UPTIME", for each scenario the lines "started NAME UPTIME" and
         "exited NAME STATUS UPTIME BYTES", followed by its $OUT as a tar archive; at last "ended UPTIME"
"""

import io
import os
import re
import selectors
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from .host import LabError, say

BOOT_LIMIT = 60        # to the guest's first word; 2-5 s are usual, with systemd 12-25
GRACE = 30             # around each scenario: to clean up before it, and to pack $OUT after it
TIMED_OUT = 124

KERNEL_LINE = ("console=ttyS0 loglevel=4 panic=-1 oops=panic rdinit=/init "
               # boot time under emulation: leave out self-tests, calibration and mitigations
               "cryptomgr.notests mitigations=off nokaslr no_timer_check tsc=reliable audit=0 "
               "random.trust_cpu=on rcupdate.rcu_expedited=1")
# Nobody logs in, and nothing is fetched behind the scenario's back.
SYSTEM_LINE = " ".join(f"systemd.mask={unit}" for unit in (
    "getty.target", "apt-daily.timer", "apt-daily-upgrade.timer", "systemd-resolved.service"))
SYSTEM_MEGABYTES = 1024


@dataclass(frozen=True)
class Outcome:
    """One scenario, as the guest reported it; without a status when the guest died in it."""

    name: str
    started: float
    exited: float | None = None
    status: int | None = None
    archive: bytes = b""


def outcomes(report):
    """What the guest has said on ttyS2: when it had booted, the scenarios' outcomes, whether that was all."""
    booted = re.match(rb"booted (\S+)\n", report)
    found, rest = [], report[booted.end():] if booted else b""
    while match := re.match(rb"started (\S+) (\S+)\n", rest):
        name, rest = match[1].decode(), rest[match.end():]
        outcome = Outcome(name, float(match[2]))
        match = re.match(rb"exited \S+ (\d+) (\S+) (\d+)\n", rest)
        if match and len(rest) >= match.end() + int(match[3]):
            end = match.end() + int(match[3])
            outcome = replace(outcome, exited=float(match[2]), status=int(match[1]), archive=rest[match.end():end])
            rest = rest[end:]
        found.append(outcome)
    return booted and float(booted[1]), found, rest.startswith(b"ended ")


def accelerator():
    """KVM only on hardware virtualisation.

    A virtual machine may offer a /dev/kvm without it (software virtualisation); Debian's kernel
    does not come up there, while plain emulation always works.
    """
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        flags = ""
    real = re.search(r"\b(vmx|svm)\b", flags) and os.access("/dev/kvm", os.R_OK | os.W_OK)
    return "kvm" if real else "tcg"


def run(image, initrd, scenarios, work):
    """Boot, pass the scenarios' output on, and return what the guest reported of each of them.

    Limits are kept by the guest itself, so that $OUT comes back from a run that was too slow, which is the one whose
    files are wanted most. The host's limits are for a guest that hangs or dies: then the outcomes end with the scenario
    that it happened in, and the failure is the second value.
    """
    console, report = work / "console", work / "report"
    report.touch()
    begin = time.monotonic()
    machine = subprocess.Popen(_command(image, initrd, console, report, scenarios[0].with_systemd),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    failure = None
    try:
        _follow(machine, report, begin, sum(scenario.limit + GRACE for scenario in scenarios))
        machine.wait(timeout=GRACE)
    except (LabError, subprocess.TimeoutExpired) as error:
        failure = str(error)
    finally:
        machine.kill()
        machine.wait()
    booted, found, complete = outcomes(report.read_bytes())
    if failure is None and not (complete and len(found) == len(scenarios)):
        failure = f"the guest ended {f'in {found[-1].name}' if found else 'before the first scenario'}"
    if booted:
        say(f"{accelerator()}: guest booted in {booted:.1f} s, all {time.monotonic() - begin:.1f} s")
    return found, failure and f"{failure}\n{_tail(console)}"


def unpack(archive, directory):
    """Write a scenario's $OUT to the host: plain files only, whatever the archive claims."""
    directory.mkdir(parents=True, exist_ok=True)
    if not archive:
        return
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for member in files:
                target = (directory / member.name).resolve()
                if member.isfile() and target.is_relative_to(directory.resolve()):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(files.extractfile(member).read())
    except tarfile.TarError as error:
        raise LabError(f"the guest's $OUT came back damaged: {error}") from None


def _command(image, initrd, console, report, with_systemd):
    kind = accelerator()
    # The archive is in memory twice while the kernel unpacks it.
    megabytes = max(384, 224 + 5 * (initrd.stat().st_size >> 20) // 2)
    line = KERNEL_LINE
    if with_systemd:
        megabytes = SYSTEM_MEGABYTES
        line += " " + SYSTEM_LINE
    command = ["qemu-system-x86_64", "-no-user-config", "-nodefaults", "-display", "none",
               "-no-reboot", "-machine", "pc", "-smp", "2", "-m", str(megabytes),
               "-accel", "kvm" if kind == "kvm" else "tcg,thread=multi,tb-size=256",
               "-cpu", "host" if kind == "kvm" else "Nehalem,+rdrand",
               "-kernel", str(image.kernel), "-initrd", str(initrd), "-append", line]
    if with_systemd:
        command += ["-drive", f"file={image.system},format=raw,if=virtio,readonly=on"]
    ports = [f"file,path={console}", "stdio,signal=off", f"file,path={report}"]
    for index, backend in enumerate(ports):
        kind, _, options = backend.partition(",")
        command += ["-chardev", f"{kind},id=port{index},{options}"]
        # The first and the third port of a PC share an interrupt by default.
        interrupt = ",irq=5" if index == 2 else ""
        command += ["-device", f"isa-serial,index={index},chardev=port{index}{interrupt}"]
    return command


def _follow(machine, report, begin, limit):
    """Copy the guest's output until it ends, watching the clock between the pieces."""
    source = machine.stdout.fileno()
    with selectors.DefaultSelector() as ready:
        ready.register(source, selectors.EVENT_READ)
        started = False
        while True:
            if ready.select(timeout=0.5):
                piece = os.read(source, 65536)
                if not piece:
                    return
                sys.stdout.buffer.write(piece)
                sys.stdout.buffer.flush()
            spent = time.monotonic() - begin
            started = started or report.stat().st_size > 0
            if not started and spent > BOOT_LIMIT:
                raise LabError(f"the guest was not up in {BOOT_LIMIT} s")
            if spent > BOOT_LIMIT + limit:
                raise LabError(f"the guest did not keep its own limits of {limit} s in all")


def _tail(console):
    text = console.read_text(errors="replace") if console.exists() else ""
    return "\n".join(["last lines of the guest's console:", *text.splitlines()[-30:]])
