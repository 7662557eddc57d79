#!/usr/bin/env python3
"""Kills the agent while it moves what lasts from its journal to the history, and reads the files itself afterwards.

    history-crash.py AGENT DIRECTORY SEED

The journal has far more than it may keep, so each agent begins at once to index, compress, copy and delete segments. It is
killed at a random moment, again and again, until nothing is left to do or half a minute is over; then one does the rest and
ends in order. After each end every event that lasts must be there once, as it was written, and every number must be
accounted for. Nothing of reachagent's reads here: the files are JSON lines, and zstdcat(1) decompresses them.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time

SEGMENTS, EVENTS = 16, 400
STREAM = "6f1c0000000000000000000000000001"
LASTING = ["reachability.changed", "uplink.changed", "probe.changed", "probe.summary"]
PASSING = ["path.changed", "path.changed", "hook.completed", "netlink.resynced"]
# The journal may keep the newest of its segments.
LIMITS = ["--journal-size", "64K", "--journal-segment-size", "16K"]


def generate(journal):
    """Writes the segments; returns the lines of the events that last, by their numbers."""
    os.makedirs(journal)
    with open(os.path.join(journal, "stream"), "w") as file:
        file.write(STREAM + "\n")
    lasting = {}
    for segment in range(SEGMENTS):
        first = segment * EVENTS + 1
        lines = []
        for sequence in range(first, first + EVENTS):
            kind = random.choice(LASTING if random.random() < 0.3 else PASSING)
            moment = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(1_790_000_000 + sequence))
            line = json.dumps({"specversion": "1.0", "id": f"{STREAM}-{sequence}", "source": "/reachagent/test",
                               "type": f"reachagent.{kind}", "subject": "default", "time": moment, "seq": sequence,
                               "data": {"filler": random.randbytes(random.randrange(100)).hex()}},
                              separators=(",", ":")).encode()
            lines.append(line)
            if kind in LASTING:
                lasting[sequence] = line
        with open(os.path.join(journal, f"events-{first:020}.jsonl"), "wb") as file:
            file.write(b"".join(line + b"\n" for line in lines))
    return lasting


def content(directory, name):
    """The text of a segment; None when it is not there."""
    plain = os.path.join(directory, name + ".jsonl")
    if os.path.exists(plain):
        with open(plain, "rb") as file:
            return file.read()
    if os.path.exists(plain + ".zst"):
        return subprocess.run(["zstdcat", plain + ".zst"], check=True, capture_output=True).stdout
    return None


def names(directory):
    if not os.path.isdir(directory):
        return set()
    return {name.split(".")[0] for name in os.listdir(directory)
            if name.startswith("events-") and name.endswith((".jsonl", ".jsonl.zst"))}


def check(journal, lasting):
    """Reads the journal and what lasts of its former segments; returns what is wrong."""
    history = os.path.join(journal, "history")
    flaws, last, seen = [], 0, set()
    everything = sorted(names(journal) | names(history))
    for name in everything:
        text = content(journal, name)
        if text is None:
            text = content(history, name)
        lines = text.split(b"\n")
        if lines.pop() and name != everything[-1]:
            flaws.append(f"{name} ends within a line")
        for line in lines:
            event = json.loads(line)
            sequence = first = event["seq"]
            if event["type"] == "reachagent.events.omitted":
                first = event["data"]["first_seq"]
            if first <= last:
                flaws.append(f"#{first} comes after #{last}")
            elif first > last + 1:
                flaws.append(f"#{last + 1} to #{first - 1} are missing")
            last = sequence
            if sequence in lasting and event["type"] != "reachagent.events.omitted":
                seen.add(sequence)
                if line != lasting[sequence]:
                    flaws.append(f"#{sequence} is not as it was written")
    lost = sorted(lasting.keys() - seen)
    if lost:
        flaws.append(f"{len(lost)} events that last are lost, such as #{lost[0]}")
    return flaws


def unfinished(journal):
    """What a kill has left behind, by kind."""
    history = os.path.join(journal, "history")
    kinds = set()
    for directory in [journal, history]:
        files = os.listdir(directory) if os.path.isdir(directory) else []
        if any(name.endswith(".tmp") for name in files):
            kinds.add("part of a file")
        if any(name + ".zst" in files for name in files if name.endswith(".jsonl")):
            kinds.add("plain and compressed")
        if directory == history and any(name.endswith(".jsonl") for name in files):
            kinds.add("copy not compressed")
    if names(journal) & names(history):
        kinds.add("segment and copy")
    return kinds


def is_done(journal):
    """True when what the journal may not keep is in the history alone.

    A segment that the journal may keep can have its copy already: a kill came before its deletion, and then the others were
    compressed, which left it room again.
    """
    old = [name for name in names(journal) if int(name[7:]) <= SEGMENTS * EVENTS - EVENTS]
    left = unfinished(journal) - {"segment and copy"}
    return not old and not left and len(names(os.path.join(journal, "history"))) >= SEGMENTS - 1


def main():
    agent, directory, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    random.seed(seed)
    journal = os.path.join(directory, "journal")
    lasting = generate(journal)
    command = [agent, "run", "--no-sockets", "--journal-directory", journal] + LIMITS
    kills, found, flaws = 0, {}, []
    deadline = time.monotonic() + 30
    while not flaws and not is_done(journal) and time.monotonic() < deadline:
        arguments = command + (["--compress-journal"] if random.random() < 0.5 else [])
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE)
        process.stdout.readline()
        # Long enough for a few segments and short enough for many kills.
        time.sleep(random.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        kills += 1
        for kind in unfinished(journal):
            found[kind] = found.get(kind, 0) + 1
        flaws += [f"after kill {kills}: {flaw}" for flaw in check(journal, lasting)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    process.stdout.readline()
    # On a busy machine the kills may have left it all of the work, which is not to be interrupted.
    deadline = time.monotonic() + 60
    while not is_done(journal) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.terminate()
    process.communicate()
    if process.returncode != 0:
        flaws.append(f"the last agent ended with {process.returncode}")
    if not is_done(journal):
        flaws.append(f"there is still something to do: {sorted(unfinished(journal))}, {sorted(names(journal))}")
    flaws += check(journal, lasting)
    print(json.dumps({"kills": kills, "left": found, "lasting": len(lasting), "flaws": flaws}))


main()
