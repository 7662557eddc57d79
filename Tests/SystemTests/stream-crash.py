"""Kills an agent again and again in the middle of a storm of events, and judges what is left.

    stream-crash.py AGENT DIRECTORY [--kills N] [--seed N] [--full-disk]

With --full-disk the journal has a small disk of its own, which is full in some lives, at the start of others, and at the
moment of the kill: then events may be missing in the journal, but each of them must be named by a `journal.degraded`.

To be run as root of a user, network and mount namespace of its own (unshare --user --map-root-user --net --mount). One
JSON object on standard output has what was done (counts) and what is wrong (`faults`, empty when all is well). `caught`
names the kinds of damage to a copy of the evidence that the same judgement found: it must name all of them, or the
judgement is worth nothing.
"""

import argparse
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time

SEGMENT = re.compile(r"events-(\d{20})\.jsonl(\.zst)?$")
PREFIX, SUFFIX = b'{"parameters":', b',"continues":true}'
SYNC_POLICIES = ["always", "20ms", "1s", "never"]
MOST_FAULTS = 20


class Faults(list):
    """What is wrong, in sentences; a flood of them is cut short."""

    def tell(self, sentence):
        if len(self) < MOST_FAULTS:
            self.append(sentence)


# Reading the journal --------------------------------------------------------------------------------------------------


def segments(directory):
    """The segments' first numbers and files in their order; a plain file counts more than its compressed copy."""
    found = {}
    for name in os.listdir(directory):
        match = SEGMENT.match(name)
        if match and (match[2] is None or int(match[1]) not in found):
            found[int(match[1])] = os.path.join(directory, name)
    return sorted(found.items())


def content(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstdcat", path], check=True, capture_output=True).stdout
    with open(path, "rb") as file:
        return file.read()


def read_journal(directory, since=0):
    """The text of the segments that begin with number `since` or later: one (first number, bytes) each."""
    return [(first, content(path)) for first, path in segments(directory) if first >= since]


class Missing:
    """The numbers that events of the journal itself name as missing."""

    def __init__(self, parts):
        self.ranges = []
        for _, text in parts:
            for row in text.split(b"\n"):
                if b'"type":"reachagent.journal.degraded"' in row and row.endswith(b"}"):
                    data = json.loads(row)["data"]
                    if "missing_first_seq" in data:
                        self.ranges.append((data["missing_first_seq"], data["missing_last_seq"]))
        self.ranges.sort()

    def covers(self, first, last):
        """Whether all numbers from `first` to `last` are named."""
        for begin, end in self.ranges:
            if begin <= first <= end:
                first = end + 1
        return first > last


def judge_journal(parts, faults, missing, next_number=None, may_be_torn=False):
    """The journal's lines by their numbers; what is not as it should be is told to `faults`.

    Without `missing` any gap will do: what names it may still be to come.
    """
    lines = {}
    for position, (first, text) in enumerate(parts):
        is_newest = position == len(parts) - 1
        rows = text.split(b"\n")
        rest = rows.pop()
        if rest and not (is_newest and may_be_torn):
            faults.tell(f"segment {first} ends with a torn line: {rest[:60]!r}")
        for row_position, row in enumerate(rows):
            try:
                number = json.loads(row)["seq"]
            except (ValueError, KeyError, TypeError) as error:
                faults.tell(f"segment {first} has a line that is no event: {row[:60]!r}: {error}")
                continue
            if row_position == 0 and number != first:
                faults.tell(f"segment {first} begins with number {number}")
            if next_number is not None and number != next_number:
                if number < next_number or (missing and not missing.covers(next_number, number - 1)):
                    kinds = ", ".join(json.loads(one)["type"] for one in rows[row_position : row_position + 4])
                    faults.tell(f"segment {first}: number {number} comes where {next_number} should: {kinds}")
            if number in lines:
                faults.tell(f"number {number} is in the journal twice")
            lines[number] = row
            next_number = number + 1
    return lines


# Judging what others saw ----------------------------------------------------------------------------------------------


def judge_subscriber(seen, lines, faults, missing):
    """The subscriber that resumed must have been given the whole journal: each line once, in order, byte by byte."""
    next_number = 1
    for line in seen:
        number = json.loads(line)["seq"]
        if number < next_number or any(one in lines for one in range(next_number, number)) or (
            number != next_number and not missing.covers(next_number, number - 1)
        ):
            faults.tell(f"the subscriber was given number {number} where {next_number} should come")
        next_number = number + 1
        if number not in lines:
            if not missing.covers(number, number):
                faults.tell(f"the subscriber was given number {number}, which the journal does not have")
        elif lines[number] != line:
            faults.tell(f"the subscriber's line {number} differs from the journal's: {line[:200]!r}")
    if lines and next_number != max(lines) + 1:
        faults.tell(f"the subscriber was given numbers up to {next_number - 1}, the journal has up to {max(lines)}")


def judge_sight(sight, lines, faults, who, missing, unwritten):
    """What was seen in one piece must be in the journal, byte by byte, without a hole.

    `unwritten` has the lines that are named as missing there, by their numbers: no two events may have one number.
    """
    next_number = None
    for line in sight:
        number = json.loads(line).get("seq")
        if number is None:
            faults.tell(f"{who} saw an event without a number: {line[:100]!r}")
            continue
        if next_number is not None and number != next_number:
            faults.tell(f"{who} saw number {number} where {next_number} should come")
        next_number = number + 1
        if number not in lines and missing.covers(number, number):
            if unwritten.setdefault(number, line) != line:
                faults.tell(f"{who} saw number {number} for a second event: {line[:100]!r}")
        elif lines.get(number) != line:
            faults.tell(f"{who} saw a line {number} that the journal does not have: {line[:100]!r}")


class Evidence:
    """All that was collected."""

    def __init__(self, parts, subscriber, printed, read):
        self.parts = parts
        self.subscriber = subscriber
        self.printed = printed
        self.read = read

    def judge(self):
        faults = Faults()
        missing, unwritten = Missing(self.parts), {}
        lines = judge_journal(self.parts, faults, missing, next_number=1)
        judge_subscriber(self.subscriber, lines, faults, missing)
        for sight in self.printed:
            judge_sight(sight, lines, faults, "standard output", missing, unwritten)
        for sight in self.read:
            judge_sight(sight, lines, faults, "the reader of events.sock", missing, unwritten)
        return faults, lines

    def damaged(self, kind):
        """The same with one thing wrong with it, in the middle."""
        parts, subscriber = list(self.parts), list(self.subscriber)
        printed, read = [list(s) for s in self.printed], [list(s) for s in self.read]
        middle = len(parts) // 2
        first, text = parts[middle]
        rows = text.split(b"\n")
        if kind == "journal_line_lost":
            del rows[len(rows) // 2]
        elif kind == "journal_line_twice":
            rows.insert(1, rows[0])
        elif kind == "journal_line_torn":
            rows[0] = rows[0][:-5]
        elif kind == "journal_segment_lost":
            del parts[middle]
        elif kind == "journal_end_lost":
            last, tail = parts[-1]
            parts[-1] = (last, tail[: tail.rstrip(b"\n").rfind(b"\n") + 1])
        elif kind == "subscriber_line_lost":
            # One that the journal has: what is named as missing need not be given.
            kept = {row for _, text in parts for row in text.split(b"\n")}
            del subscriber[next(at for at in range(len(subscriber) // 2, len(subscriber)) if subscriber[at] in kept)]
        elif kind == "subscriber_line_twice":
            subscriber.insert(len(subscriber) // 2, subscriber[len(subscriber) // 2])
        elif kind == "subscriber_line_changed":
            subscriber[-1] = subscriber[-1].replace(b"time", b"tide", 1)
        elif kind == "printed_line_unknown":
            longest = max(printed, key=len)
            longest[-1] = re.sub(rb'"seq":\d+', b'"seq":999999999', longest[-1], count=1)
        elif kind == "read_line_lost":
            longest = max(read, key=len)
            del longest[len(longest) // 2]
        if kind.startswith("journal_line"):
            parts[middle] = (first, b"\n".join(rows))
        return Evidence(parts, subscriber, printed, read)


DAMAGES = [
    "journal_line_lost", "journal_line_twice", "journal_line_torn", "journal_segment_lost", "journal_end_lost",
    "subscriber_line_lost", "subscriber_line_twice", "subscriber_line_changed", "printed_line_unknown",
    "read_line_lost",
]


# The consumers, each a process of its own -----------------------------------------------------------------------------


def connect(path):
    """A connection; waits for an agent without end."""
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            time.sleep(0.002)


def whole_lines(connection):
    """The lines of a connection until it ends; what the dying agent did not finish is left out."""
    rest = b""
    while True:
        try:
            data = connection.recv(1 << 16)
        except ConnectionError:
            return
        if not data:
            return
        *rows, rest = (rest + data).split(b"\n")
        yield from rows


def subscribe(directory):
    """The subscriber: stays, resumes where it was with each agent, writes what it is given to a file."""
    last, stream, connections = 0, None, 0
    path = os.path.join(directory, "run", "control.sock")
    with open(os.path.join(directory, "subscriber"), "wb", buffering=0) as given, open(
        os.path.join(directory, "subscriber-notes"), "w", buffering=1
    ) as notes:
        while True:
            connection = connect(path)
            parameters = {"since_seq": last}
            if stream:
                parameters["stream"] = stream
            request = {"method": "subscribe", "parameters": parameters, "more": True}
            try:
                connection.sendall(json.dumps(request).encode() + b"\n")
            except ConnectionError:
                continue
            for line in whole_lines(connection):
                if not (line.startswith(PREFIX) and line.endswith(SUFFIX)):
                    notes.write(f"end {line.decode(errors='replace')}\n")
                    continue
                event = line[len(PREFIX) : -len(SUFFIX)]
                fields = json.loads(event)
                if "seq" in fields:
                    last = fields["seq"]
                    given.write(event + b"\n")
                elif fields["type"] == "reachagent.agent.hello":
                    connections += 1
                    notes.write(f"hello {connections}\n")
                    if stream not in (None, fields["data"]["stream"]):
                        notes.write(f"fault the stream {stream} became {fields['data']['stream']}\n")
                    stream = fields["data"]["stream"]
                else:
                    notes.write(f"fault an event that was not asked for: {event[:100]!r}\n")


def read_events(directory, number):
    """The reader of events.sock: each connection's lines into a file of its own."""
    connections = 0
    while True:
        connection = connect(os.path.join(directory, "run", "events.sock"))
        connections += 1
        with open(os.path.join(directory, "read", f"{number:04}-{connections:04}"), "wb", buffering=0) as file:
            for line in whole_lines(connection):
                file.write(line + b"\n")
        connection.close()


def sight_of_reader(text, faults):
    """The numbered events of one connection; the first must follow the hello's number."""
    rows = text.split(b"\n")[:-1]
    if not rows:
        return []
    hello = json.loads(rows[0])
    if hello.get("type") != "reachagent.agent.hello":
        faults.tell(f"events.sock began with {rows[0][:100]!r}")
        return []
    if len(rows) > 1 and json.loads(rows[1]).get("type") != "reachagent.network.snapshot":
        faults.tell(f"events.sock went on with {rows[1][:100]!r}")
    if len(rows) > 2 and json.loads(rows[2]).get("seq") != hello["data"]["seq"] + 1:
        faults.tell(f"after a hello with number {hello['data']['seq']} came {rows[2][:100]!r}")
    return [row for row in rows[2:] if b'"type":"reachagent.subscriber.lagged"' not in row]


# The agent and the weather --------------------------------------------------------------------------------------------


def fork(body, *arguments):
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        body(*arguments)
        status = 0
    except BaseException as error:  # A child must never go on as its parent.
        sys.stderr.write(f"{body.__name__}: {error!r}\n")
    finally:
        os._exit(status)


def end(process, number=signal.SIGKILL):
    os.kill(process, number)
    os.waitpid(process, 0)


def prepare_network():
    script = """
        mount -t sysfs sysfs /sys; ip link set lo up
        ip link add eth0 type veth peer name far0; ip link set far0 up; ip link set eth0 up
        ip addr add 192.0.2.2/24 dev eth0
        ip link add eth1 type veth peer name far1; ip link set far1 up; ip link set eth1 up
        ip addr add 198.51.100.2/24 dev eth1
        ip route add default via 192.0.2.1 dev eth0 metric 100
    """
    subprocess.run(["sh", "-e", "-c", script], check=True, stdout=subprocess.DEVNULL)


def storm():
    """Routes and links that come and go, for as long as the process lives."""
    changes = [
        "route replace default via 198.51.100.1 dev eth1 metric 50",
        "route del default via 198.51.100.1 dev eth1 metric 50",
        "route replace default via 192.0.2.9 dev eth0 metric 100",
        "route replace default via 192.0.2.1 dev eth0 metric 100",
        "link set far0 down",
        "route replace default via 198.51.100.9 dev eth1 metric 60",
        "link set far0 up",
        "route del default via 198.51.100.9 dev eth1 metric 60",
        "route replace default via 192.0.2.1 dev eth0 metric 100",
    ]
    while True:
        batch = subprocess.Popen(
            ["ip", "-force", "-batch", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            for count in range(20_000):
                batch.stdin.write((changes[count % len(changes)] + "\n").encode())
                batch.stdin.flush()
                # Faster than any network, and slow enough for the kernel to tell each change by itself.
                time.sleep(0.0004)
            batch.stdin.close()
            batch.wait()
        finally:
            batch.kill()


class Agent:
    """One life of the agent."""

    def __init__(self, program, directory, life, *options):
        self.printed = os.path.join(directory, "printed", f"{life:04}")
        with open(self.printed, "wb") as output, open(os.path.join(directory, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [
                    program, "run", "--format", "json", "--settle-up", "0", "--settle-down", "0",
                    "--journal-directory", os.path.join(directory, "journal"), "--journal-size", "1G", "--socket-directory", os.path.join(directory, "run"), *options,
                ],
                stdin=subprocess.DEVNULL, stdout=output, stderr=log,
            )

    def wait_for_hello(self, path, patience=20):
        """Waits until the agent says hello to a client; `False` when it does not."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and self.process.poll() is None:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(patience)
            try:
                connection.connect(path)
                return connection.recv(1) == b"{"
            except OSError:
                time.sleep(0.002)
            finally:
                connection.close()
        return False

    def sight(self):
        with open(self.printed, "rb") as file:
            return file.read().split(b"\n")[:-1]


def newest_line(path):
    """The last whole line of a file; empty when it has none."""
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - (1 << 16)))
        rows = file.read().split(b"\n")[:-1]
    return rows[-1] if rows else b""


def wait_until(condition, patience=60):
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Disk:
    """A disk for the journal, which is full when it should be."""

    SIZE = 1 << 30

    def __init__(self, path):
        self.path = path
        self.times_full = 0
        os.mkdir(path)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.SIZE}", "tmpfs", path], check=True)

    def fill(self):
        """Makes the disk as large as what is on it: nothing is written any more that is not there already."""
        room = os.statvfs(self.path)
        used = (room.f_blocks - room.f_bfree) * room.f_frsize
        # What the agent writes meanwhile may make the first attempt fail, as no disk is smaller than its content.
        for more in range(0, 64 << 12, 1 << 12):
            if self._resize(used + more):
                self.times_full += 1
                return

    def free(self):
        self._resize(self.SIZE)

    def _resize(self, size):
        command = ["mount", "-o", f"remount,size={size}", self.path]
        return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


class Experiment:
    def __init__(self, options):
        self.program = options.agent
        self.directory = options.directory
        self.kills = options.kills
        self.random = random.Random(options.seed)
        self.faults = Faults()
        self.lives = []
        self.torn = 0
        self.checked = (0, None)
        self.disk = None
        for name in ["read", "printed"]:
            os.makedirs(os.path.join(self.directory, name))
        if options.full_disk:
            self.disk = Disk(os.path.join(self.directory, "journal"))

    def check_journal(self):
        """Looks at what the killed agent added to the journal; only the line that it was writing may be torn."""
        journal = os.path.join(self.directory, "journal")
        since, next_number = self.checked
        if not os.path.isdir(journal):
            return
        parts = [part for part in read_journal(journal, since) if part[1]]
        if not parts:
            return
        missing = None if self.disk else Missing([])
        lines = judge_journal(parts, self.faults, missing, next_number, may_be_torn=True)
        self.torn += not parts[-1][1].endswith(b"\n")
        in_newest = [number for number in lines if number >= parts[-1][0]]
        if in_newest:
            self.checked = (parts[-1][0], parts[-1][0])

    def run(self):
        prepare_network()
        subscriber = fork(subscribe, self.directory)
        weather = fork(storm)
        readers = 1
        reader = fork(read_events, self.directory, readers)
        events = os.path.join(self.directory, "run", "events.sock")
        notes = os.path.join(self.directory, "subscriber-notes")
        try:
            for life in range(1, self.kills + 1):
                options = ["--journal-sync", SYNC_POLICIES[life % len(SYNC_POLICIES)]]
                # Many small segments at first; then larger ones, so that a subscriber finds its place in a short life.
                options += ["--journal-segment-size", "16K" if life <= self.kills // 4 else "128K"]
                if life // 10 % 2:
                    options.append("--compress-journal")
                agent = Agent(self.program, self.directory, life, *options)
                resumed = os.path.getsize(notes) if os.path.exists(notes) else 0
                if agent.wait_for_hello(events):
                    # In every second life the subscriber has found its place in the journal before the end comes; in the
                    # others it may be still looking.
                    if life % 2:
                        wait_until(lambda: os.path.exists(notes) and os.path.getsize(notes) > resumed, patience=5)
                    time.sleep(self.random.uniform(0.001, 0.150))
                    self.change_disk()
                if agent.process.poll() is not None:
                    self.faults.tell(f"agent {life} ended by itself with status {agent.process.returncode}")
                    break
                agent.process.kill()
                agent.process.wait()
                self.lives.append(agent)
                self.check_journal()
                if self.random.random() < 0.25:
                    end(reader)
                    readers += 1
                    reader = fork(read_events, self.directory, readers)
        finally:
            os.kill(weather, signal.SIGKILL)
            os.waitpid(weather, 0)
            subprocess.run(["ip", "link", "set", "far0", "up"], check=False)
        self.finish(subscriber, readers)
        end(reader)
        return self.verdict(readers)

    def change_disk(self):
        """In a third of the lives the disk is full before the kill; then the next agent starts on a full disk, too."""
        if self.disk is None:
            return
        self.disk.free()
        if self.random.random() < 0.33:
            time.sleep(self.random.uniform(0, 0.050))
            self.disk.fill()
            time.sleep(self.random.uniform(0.001, 0.150))
            if self.random.random() < 0.5:
                self.disk.free()
                time.sleep(self.random.uniform(0, 0.050))

    def finish(self, subscriber, readers):
        """A last agent that nobody kills: everything that is in the journal must get to the subscriber."""
        if self.disk:
            self.disk.free()
        agent = Agent(self.program, self.directory, self.kills + 1)
        agent.wait_for_hello(os.path.join(self.directory, "run", "events.sock"))
        given = os.path.join(self.directory, "subscriber")
        wait_until(lambda: newest_line(agent.printed) and newest_line(given) == newest_line(agent.printed))
        agent.process.terminate()
        try:
            if agent.process.wait(30) != 0:
                self.faults.tell(f"the last agent ended with status {agent.process.returncode}")
        except subprocess.TimeoutExpired:
            self.faults.tell("the last agent did not end")
            agent.process.kill()
        self.lives.append(agent)
        wait_until(lambda: newest_line(given) == newest_line(agent.printed), patience=10)
        end(subscriber)

    def verdict(self, readers):
        with open(os.path.join(self.directory, "subscriber"), "rb") as file:
            given = file.read().split(b"\n")[:-1]
        notes = open(os.path.join(self.directory, "subscriber-notes"), encoding="utf-8").read().splitlines()
        for note in notes:
            if note.startswith("fault"):
                self.faults.tell(f"the subscriber was told {note[6:]}")
            elif note.startswith("end") and "agent_stopping" not in note and "subscriber_lagged" not in note:
                self.faults.tell(f"the subscriber was refused: {note[4:][:200]}")
        directory = os.path.join(self.directory, "read")
        read = []
        for name in sorted(os.listdir(directory)):
            with open(os.path.join(directory, name), "rb") as file:
                read.append(sight_of_reader(file.read(), self.faults))
        journal = os.path.join(self.directory, "journal")
        evidence = Evidence(read_journal(journal), given, [life.sight() for life in self.lives], read)
        faults, lines = evidence.judge()
        caught = [kind for kind in DAMAGES if evidence.damaged(kind).judge()[0]] if not faults else []
        files = [path for _, path in segments(journal)]
        return {
            "kills": len(self.lives) - 1,
            "lines": len(lines),
            "newest": max(lines, default=0),
            "segments": len(files),
            "compressed": sum(path.endswith(".zst") for path in files),
            "torn": self.torn,
            "full": self.disk.times_full if self.disk else 0,
            "missing": sum(last - first + 1 for first, last in Missing(evidence.parts).ranges),
            "printed": sum(len(sight) for sight in evidence.printed),
            "subscribed": len(given),
            "subscriptions": sum(note.startswith("hello") for note in notes),
            "lagged": sum("subscriber_lagged" in note for note in notes),
            "readers": readers,
            "read": sum(len(sight) for sight in read),
            "caught": caught,
            "damages": DAMAGES,
            "faults": (self.faults + faults)[:MOST_FAULTS],
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agent")
    parser.add_argument("directory")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full-disk", action="store_true")
    print(json.dumps(Experiment(parser.parse_args()).run()))


if __name__ == "__main__":
    main()
