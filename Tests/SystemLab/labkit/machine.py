"""One boot of the guest in QEMU, from an initramfs to an exit status.

The guest has three serial ports, so that nothing has to be told apart on the way:

  ttyS0  the kernel's console: kept, and shown only when the lab fails
  ttyS1  what the scenario prints: passed on as it comes
  ttyS2  the report of guest/report.sh: the lines "started UPTIME" and "exited STATUS UPTIME", then $OUT
         as a tar archive
"""

import io
import os
import re
import selectors
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path

from .host import LabError, say

BOOT_LIMIT = 60        # to the scenario's first line; 2-5 s are usual, with systemd 12-25
GRACE = 20             # after the guest's own limit: to pack $OUT and to power off
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
class Report:
    """What the guest said on ttyS2 so far."""

    started: float | None = None
    exited: float | None = None
    status: int | None = None
    archive: bytes = b""

    @classmethod
    def read(cls, path):
        match = re.match(rb"started (\S+)\n(?:exited (\d+) (\S+)\n(.*))?", path.read_bytes(),
                         re.DOTALL)
        if not match:
            return cls()
        started, status, exited, archive = match.groups()
        if status is None:
            return cls(float(started))
        return cls(float(started), float(exited), int(status), archive)


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


def run(image, initrd, limit, work, with_systemd):
    """Boot, pass the scenario's output on, and return the guest's report.

    `limit` is kept by the guest itself, so that $OUT comes back from a run that was too slow, which
    is the one whose files are wanted most. The host's limits are for a guest that hangs.
    """
    console, report = work / "console", work / "report"
    report.touch()
    begin = time.monotonic()
    machine = subprocess.Popen(_command(image, initrd, console, report, with_systemd),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    try:
        _follow(machine, report, begin, limit)
        machine.wait(timeout=GRACE)
    except (LabError, subprocess.TimeoutExpired) as error:
        raise LabError(f"{error}\n{_tail(console)}") from None
    finally:
        machine.kill()
        machine.wait()
    answer = Report.read(report)
    if answer.status is None:
        raise LabError(f"the guest ended without a status\n{_tail(console)}")
    say(f"{accelerator()}: guest booted in {answer.started:.1f} s, scenario took "
        f"{answer.exited - answer.started:.1f} s, all {time.monotonic() - begin:.1f} s")
    return answer


def unpack(archive, directory):
    """Write $OUT of the guest to the host: plain files only, whatever the archive claims."""
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
               "-no-reboot", "-machine", "pc", "-m", str(megabytes),
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
            started = started or Report.read(report).started is not None
            if not started and spent > BOOT_LIMIT:
                raise LabError(f"the guest did not reach the scenario in {BOOT_LIMIT} s")
            if spent > BOOT_LIMIT + limit + GRACE:
                raise LabError(f"the guest did not keep its own limit of {limit} s")


def _tail(console):
    text = console.read_text(errors="replace") if console.exists() else ""
    return "\n".join(["last lines of the guest's console:", *text.splitlines()[-30:]])
