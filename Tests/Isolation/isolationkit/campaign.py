"""Many rounds side by side, each in a process and namespaces of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path

from . import clientrounds, rounds
from .judge import Limits, Record, findings, is_busy, only_times, p99

PROGRAM = Path(__file__).resolve().parent.parent / "isolation"
AGAIN = 2                # rounds by itself for one that was only late beside others


@dataclass(frozen=True)
class Round:
    """What the process of a round is given."""

    kind: str                    # servers or clients
    names: list[str]
    program: list[str]
    directory: str
    seconds: float
    tolerant: bool


def run(waiting: list[Round], limits: Limits, jobs: int) -> Iterator[tuple[Record, list[str]]]:
    """Records and what is wrong with them, in the order in which they come.

    A round that was too late beside others is played again by itself at the end: that one counts."""
    again = []
    with ThreadPoolExecutor(jobs) as pool:
        running: dict[Future[Record], Round] = {pool.submit(start, one): one for one in waiting}
        try:
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    one, record = running.pop(future), future.result()
                    found = findings(record, limits)
                    if only_times(found) and not record.error:
                        again.append(one)
                    else:
                        yield record, found
        finally:
            pool.shutdown(cancel_futures=True)
    for one in again:
        for _ in range(AGAIN):
            record = start(one)
            found = findings(record, limits)
            if not only_times(found):
                break
        if only_times(found) and is_busy(record):
            record.error = f"{', '.join(found)}, but the judge itself was late by {p99(record.disturbed) * 1000:.0f} ms"
        yield record, found


def start(one: Round) -> Record:
    """Play one round in new namespaces, which end with it and all that runs in them."""
    # Root keeps its user namespace. The clients need users that are not root: others have to have some in /etc/subuid.
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    user += ["--map-auto"] if user and one.kind == "clients" else []
    command = ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
               sys.executable, str(PROGRAM), "--round"]
    try:
        ended = subprocess.run(command, input=json.dumps(asdict(one)), capture_output=True, text=True,
                               timeout=one.seconds + 180)
        return Record(**json.loads(ended.stdout))
    except subprocess.TimeoutExpired:
        return Record(",".join(one.names), error="the round did not end")
    except ValueError:
        return Record(",".join(one.names), error=f"the round ended with {ended.returncode}: {ended.stderr[-500:]}")


def play_round() -> int:
    """The process of one round: its setup on standard input, its record on standard output."""
    one = Round(**json.load(sys.stdin))
    setup = rounds.Setup(one.names, one.program, one.directory, one.seconds, one.tolerant)
    record = clientrounds.play(setup) if one.kind == "clients" else rounds.play(setup)
    print(json.dumps(record.plain()), flush=True)
    return 0
