#!/usr/bin/env python3
"""Runs what stands in examples/fleet: a nats-server, PostgreSQL, three devices, and reachagent-fleet.

    example.py EXAMPLES REACHAGENT-FLEET

Prints one line for each thing that was found true, and ends with status 1 at the first that is not.
"""
import asyncio
import concurrent.futures
import datetime
import glob
import json
import os
import pathlib
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import nats
import nats.errors
import nats.js.api
import psycopg2

EXAMPLES, FLEET = pathlib.Path(sys.argv[1]), sys.argv[2]
STREAM = "6f1c0000000000000000000000000001"
EVENTS = 400
START = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=EVENTS / 60 + 1)


def check(is_true, text):
    if not is_true:
        print(f"NOT TRUE: {text}", flush=True)
        sys.exit(1)
    print(text, flush=True)


def free_port():
    """A port that stays bound here, without a listener: the kernel gives it to no other socket, and a server that sets
    SO_REUSEADDR can listen on it (socket(7))."""
    probe = socket.socket()
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("127.0.0.1", 0))
    held.append(probe)
    return probe.getsockname()[1]


held = []


def wait_for(port, process):
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if process.poll() is not None:
                sys.exit("nats-server has ended")
            time.sleep(0.02)


class Server:
    """nats-server with the example's configuration, at another port and with another store."""

    def __init__(self, directory):
        self.port = free_port()
        text = (EXAMPLES / "nats-server.conf").read_text()
        text = text.replace("0.0.0.0:4222", f"127.0.0.1:{self.port}").replace("/var/lib/nats", f"{directory}/nats")
        self.file = f"{directory}/nats.conf"
        pathlib.Path(self.file).write_text(text)
        self.start()

    def start(self):
        program = shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/bin")
        self.process = subprocess.Popen([program, "-c", self.file], stderr=subprocess.DEVNULL)
        wait_for(self.port, self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()

    async def connect(self, user, **options):
        return await nats.connect(f"nats://127.0.0.1:{self.port}", user=user, password=f"{user}-secret",
                                  max_reconnect_attempts=2, error_cb=ignore, **options)


async def ignore(error):
    pass


class Database:
    """A cluster of its own, by a user who is not root: initdb refuses him."""

    def __init__(self, directory):
        self.directory = f"{directory}/postgresql"
        self.port = free_port()
        os.mkdir(self.directory, 0o700)
        self.user = {}
        if os.getuid() == 0:
            entry = pwd.getpwnam("nobody")
            os.chown(self.directory, entry.pw_uid, entry.pw_gid)
            os.chmod(directory, 0o755)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        subprocess.run([f"{self.programs}/initdb", "-D", f"{self.directory}/data", "-A", "trust", "-U", "fleet", "-E", "UTF8",
                        "--locale=C.UTF-8", "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd="/", **self.user)
        self.start()
        connection = psycopg2.connect(self.address.replace("dbname=fleet", "dbname=postgres"))
        connection.autocommit = True
        connection.cursor().execute("CREATE DATABASE fleet")
        connection.close()

    @property
    def address(self):
        return f"host=127.0.0.1 port={self.port} user=fleet dbname=fleet"

    def start(self):
        self.process = subprocess.Popen(
            [f"{self.programs}/postgres", "-D", f"{self.directory}/data", "-p", str(self.port), "-h", "127.0.0.1", "-k", "",
             "-F"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **self.user)
        while True:
            try:
                return psycopg2.connect(self.address.replace("dbname=fleet", "dbname=postgres")).close()
            except psycopg2.OperationalError:
                if self.process.poll() is not None:
                    sys.exit("PostgreSQL has ended")
                time.sleep(0.02)

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.process.wait()

    def query(self, text):
        connection = psycopg2.connect(self.address)
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(text)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()


def state(connectivity):
    via = "none" if connectivity == "none" else "wifi"
    return {"via": via, "af_status": 2, "connectivity": connectivity, "path": {"via": via, "interface": "wlan0"}}


def started(stream):
    return {"version": "0.1.0", "schema": 1, "stream": stream, "settle_up_ms": 250, "settle_down_ms": 1000, "targets": []}


def event(device, number):
    """Each hour is an outage of one minute."""
    time = (START + datetime.timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"
    kind, data = "probe.summary", {"note": "zero \u0000 and more"}
    if number == 1:
        kind, data = "agent.started", started(STREAM)
    elif number == 2 or number % 60 in (30, 31):
        before, after = ("full", "none") if number % 60 == 30 else ("none", "full")
        before = "unknown" if number == 2 else before
        kind = "reachability.changed"
        data = {"from": state(before), "to": state("full" if number == 2 else after),
                "cause": {"kind": "link", "code": "link_down"}, "observed": time, "settled_ms": 1000}
    envelope = {"specversion": "1.0", "id": f"{STREAM}-{number}", "source": f"/reachagent/{device}",
                "type": f"reachagent.{kind}", "subject": "default", "time": time, "seq": number, "data": data}
    return f"reachagent.{device}.{kind}", json.dumps(envelope).encode()


async def make_stream(server):
    connection = await server.connect("admin")
    answer = await connection.request("$JS.API.STREAM.CREATE.REACHAGENT", (EXAMPLES / "stream.json").read_bytes())
    check("error" not in json.loads(answer.data), "the stream is made")
    await connection.close()


async def store(connection, messages):
    """Publishes (subject, id, payload) in order, and then waits for all answers: one at a time takes minutes on a busy machine."""
    inbox = connection.new_inbox()
    answers = await connection.subscribe(inbox)
    for subject, identifier, payload in messages:
        await connection.publish(subject, payload, reply=inbox, headers={"Nats-Msg-Id": identifier})
    for _ in messages:
        answer = json.loads((await answers.next_msg(timeout=60)).data)
        if "seq" not in answer:
            sys.exit(f"an event is not stored: {answer}")
    await connection.close()


async def publish(server, device, numbers):
    connection = await server.connect(device, inbox_prefix=f"_INBOX.{device}".encode())
    await store(connection, [(subject, f"{device}.{STREAM}-{number}", payload)
                             for number in numbers for subject, payload in [event(device, number)]])


async def check_permissions(server):
    own = "$JS.API.DIRECT.GET.REACHAGENT.reachagent.edge-1.>"
    other = "$JS.API.DIRECT.GET.REACHAGENT.reachagent.edge-2.>"
    connection = await server.connect("edge-1", inbox_prefix=b"_INBOX.edge-1")
    answer = await connection.request(own, b"", timeout=5)
    check(json.loads(answer.data)["seq"] == EVENTS, "a device reads its own newest event")
    last = json.dumps({"last_by_subj": "reachagent.edge-2.>"}).encode()
    for subject, payload in [(other, b""), ("$JS.API.STREAM.MSG.GET.REACHAGENT", last), ("reachagent.edge-2.x", b"{}"),
                             ("$JS.API.STREAM.DELETE.REACHAGENT", b""), ("$JS.API.STREAM.PURGE.REACHAGENT", b"")]:
        try:
            await connection.request(subject, payload, timeout=0.3)
            check(False, f"a device may not publish to {subject}")
        except (nats.errors.TimeoutError, asyncio.TimeoutError):
            print(f"a device may not publish to {subject}")
    heard = []

    async def hear(message):
        heard.append(message)

    for subject in ["reachagent.>", "_INBOX.edge-2.>", "_INBOX.>"]:
        await connection.subscribe(subject, cb=hear)
    writer = await server.connect("edge-2", inbox_prefix=b"_INBOX.edge-2")
    subject, payload = event("edge-2", EVENTS)
    headers = {"Nats-Msg-Id": f"edge-2.{STREAM}-{EVENTS}"}
    answer = await writer.jetstream().publish(subject, payload, headers=headers)
    check(answer.duplicate, "an event that comes again is no second one")
    await connection.flush()
    check(not heard, "a device hears nothing of another")
    await writer.close()
    await connection.close()


def start_writer(server, database, directory):
    environment = dict(os.environ, NATS_URL=f"nats://127.0.0.1:{server.port}", NATS_USER="reader",
                       NATS_PASSWORD_FILE=f"{directory}/reader.password")
    return subprocess.Popen([sys.executable, str(EXAMPLES / "to-postgresql.py"), database.address, "--until-empty",
                             "--ack-wait", "2"],
                            env=environment, stderr=subprocess.PIPE, text=True)


def write_through_kills(server, database, directory):
    """The writer is killed in the middle of its work, and so are both servers."""
    picker = random.Random(21)
    for turn in range(8):
        process = start_writer(server, database, directory)
        time.sleep(picker.uniform(0.2, 0.7))
        if turn == 3:
            server.kill()
            server.start()
        if turn == 5:
            database.stop()
            database.start()
        process.kill()
        process.communicate()
    process = start_writer(server, database, directory)
    _, error = process.communicate(timeout=120)
    check(process.returncode == 0, f"the writer ends when it has everything {error[-400:]}")


def fleet(server, directory, *arguments, user="reader"):
    address = ["--server", f"nats://127.0.0.1:{server.port}", "--user", user, "--password-file",
               f"{directory}/{user}.password"]
    return subprocess.run([FLEET, *arguments, *address], capture_output=True, text=True, timeout=60)


def check_fleet(server, directory):
    result = fleet(server, directory, "status", "--output", "json", "--silent-after", "0")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    check([row["state"] for row in rows] == ["full"] * 3, f"reachagent fleet status: three devices are full {result.stderr}")
    since = START.strftime("%Y-%m-%dT%H:%M:%SZ")
    result = fleet(server, directory, "report", "--since", since, "--format", "json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    outages = sum(1 for number in range(3, EVENTS + 1) if number % 60 == 30)
    check([row["window"]["outage_count"] for row in rows] == [outages] * 3, f"reachagent fleet report: {outages} outages each")
    result = fleet(server, directory, "report", "--since", since, "--device", "edge-2", "--format", "markdown")
    check(result.returncode == 0 and "Availability" in result.stdout, "reachagent fleet report: one device as a whole")
    seen = set()
    for _ in range(2):
        process = subprocess.Popen(
            [FLEET, "watch", "--output", "json", "--durable", "test", "--server", f"nats://127.0.0.1:{server.port}",
             "--user", "reader", "--password-file", f"{directory}/reader.password"], stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            seen.add(device_and_id(line))
            if len(seen) in (EVENTS, 3 * EVENTS):
                break
        process.kill()
        # What it had written before is delivered, and may be acknowledged.
        rest = process.communicate()[0].splitlines(keepends=True)
        seen.update(device_and_id(line) for line in rest if line.endswith("\n"))
    check(len(seen) == 3 * EVENTS, "reachagent fleet watch: a durable consumer goes on after a kill")
    pathlib.Path(f"{directory}/edge-1.password").write_text("edge-1-secret\n")
    # Both wait some seconds for an answer that never comes.
    with concurrent.futures.ThreadPoolExecutor() as threads:
        denied = threads.submit(fleet, server, directory, "status", user="edge-1")
        result = fleet(server, directory, "status", "--stream", "NONE")
    device = denied.result()
    check(device.returncode == 77 and not device.stdout, f"reachagent fleet status: a device may not, {device.stderr.strip()}")
    check(result.returncode in (69, 77), f"reachagent fleet status: a stream that is missing, {result.stderr.strip()}")
    pathlib.Path(f"{directory}/reader.password").write_text("wrong\n")
    result = fleet(server, directory, "status")
    check(result.returncode == 77, f"reachagent fleet status: a wrong password, {result.stderr.strip()}")


def device_and_id(line):
    event = json.loads(line)
    return event["device"], event["id"]


def ask_grafana(database, start, end):
    """The answers of all queries, by their titles; Grafana writes times as literals without a type."""
    text = (EXAMPLES / "grafana.sql").read_text()
    span = (f"'{start.isoformat()}'", f"'{end.isoformat()}'")
    text = re.sub(r"\$__timeFilter\((\w+)\)", rf"\1 BETWEEN {span[0]} AND {span[1]}", text)
    text = text.replace("$__timeFrom()", span[0]).replace("$__timeTo()", span[1])
    answers = {}
    for query in text.split(";\n")[:-1] + [text.rsplit(";\n", 1)[-1]]:
        title = re.search(r"^-- (.*?) \([a-z ]+\)", query, re.M)
        if title:
            answers[title.group(1)] = database.query(query.rstrip().rstrip(";"))
    return answers


def check_grafana(database):
    now = datetime.datetime.now(datetime.timezone.utc)
    answers = ask_grafana(database, START, now)
    check(len(answers) == 8, f"Grafana's queries are understood: {', '.join(answers)}")
    check(answers["Devices by state"] == [("full", 3)], "Grafana: devices by state")
    outages = sum(1 for number in range(3, EVENTS + 1) if number % 60 == 30)
    check(len(answers["Outages"]) == 3 * outages, "Grafana: outages")
    check(all(98 < percent < 100 for _, percent in answers["Availability of each device in the time of the dashboard"]),
          "Grafana: availability")
    check(answers["Missing numbers"] == [], "Grafana: no number is missing")
    timeline = ask_grafana(database, now - datetime.timedelta(minutes=1), now)["States of each device"]
    check([row[1:] for row in timeline] == [(f"edge-{number}", "full") for number in (1, 2, 3)],
          "Grafana: the timeline has the state of a device that did not change in its time")


# Devices by name: hours before now, and the state or the type of an event; "wiped" begins another journal.
HISTORIES = {
    "off": [(240, "start"), (240, "full"), (216, "stop"), (24, "start"), (24, "full"), (12, "none"), (6, "full"), (5, "summary")],
    "wiped": [(48, "start"), (48, "full"), (47, "none"), (46.5, "stop"), (0, "wiped"), (46, "start"), (46, "full"), (1, "summary")],
    "crashed": [(48, "start"), (48, "full"), (40, "summary"), (30, "start"), (30, "partial"), (20, "local"), (19, "portal"),
                (18, "full"), (2, "summary")],
    "crashed-and-wiped": [(48, "start"), (48, "full"), (40, "summary"), (0, "wiped"), (20, "start"), (20, "full"), (10, "none")],
    "suspended": [(48, "start"), (48, "full"), (40, "none"), (20, "suspend"), (19, "suspend"), (18, "full"), (17, "stop")],
    "selected": [(48, "start"), (48, "full"), (40, "lost"), (30, "full"), (29, "none"), (28, "full"), (27, "summary")],
    "without-clock": [(500000, "start"), (500000, "full"), (30, "summary"), (20, "none"), (19, "full"), (10, "summary")],
    "without-probe": [(48, "start"), (48, "unknown"), (20, "none"), (18, "unknown"), (1, "summary")],
    "down": [(48, "start"), (48, "none"), (1, "summary")],
    "degraded": [(48, "start"), (48, "full"), (40, "lost"), (30, "degraded-none"), (20, "full"), (19, "degraded-full"), (18, "none"),
                 (1, "degraded-none")],
    "restated": [(48, "start"), (48, "full"), (40, "lost"), (2, "degraded-none")],
    "february": [(48, "start"), (48, "full"), (30, "hostile"), (20, "full"), (1, "summary")],
}


def written(history, now):
    """The id and the content of each event of a history."""
    stream, number, before = "6f1c000000000000000000000000000a", 0, "unknown"
    for hours, kind in history:
        time = (now - datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"
        if kind == "wiped":
            stream, number = stream[:-1] + "b", 0
            continue
        number += 1
        if kind == "start":
            before = "unknown"
            name, data = "agent.started", started(stream)
        elif kind == "stop":
            name, data = "agent.stopping", {"reason": "SIGTERM"}
        elif kind == "suspend":
            name, data = "suspend.resumed", {"suspended_ms": 3_600_000 * 2, "observed": time}
        elif kind == "summary":
            name, data = "probe.summary", {}
        elif kind == "lost":
            # A change that its sink leaves out.
            before = "none"
            continue
        elif kind.startswith("degraded-"):
            before = kind.removeprefix("degraded-")
            name = "journal.degraded"
            data = {"degraded": False, "code": "journal_resumed", "missing_first_seq": number - 1, "missing_last_seq": number - 1,
                    "settled": {"state": state(before)}}
        elif kind == "hostile":
            name, data = "reachability.changed", {"to": ["full"], "from": 1, "observed": "2026-02-31T25:61:00Z", "cause": None}
        else:
            name = "reachability.changed"
            data = {"from": state(before), "to": state(kind), "cause": {"kind": "link", "code": "link_down"}, "observed": time}
            before = kind
        yield f"{stream}-{number}", {
            "specversion": "1.0", "id": f"{stream}-{number}", "source": "/reachagent/device", "type": f"reachagent.{name}",
            "subject": "default", "time": time, "seq": number, "data": data}


async def publish_histories(server, now):
    await store(await server.connect("admin"), [
        (f"reachagent.{device}.{content['type'].removeprefix('reachagent.')}", f"{device}.{identifier}", json.dumps(content).encode())
        for device, history in HISTORIES.items() for identifier, content in written(history, now)])


def check_figures(server, database, directory, now):
    """The figures of PostgreSQL are those of reachagent-fleet, whatever happened to the devices."""
    pathlib.Path(f"{directory}/reader.password").write_text("reader-secret\n")
    process = start_writer(server, database, directory)
    _, error = process.communicate(timeout=120)
    check(process.returncode == 0, f"the writer has written the histories of devices {error[-400:]}")
    start = now - datetime.timedelta(days=11)
    result = fleet(server, directory, "report", "--since", start.strftime("%Y-%m-%dT%H:%M:%SZ"), "--format", "json",
                   *(word for device in HISTORIES for word in ("--device", device)))
    reported = {row["device"]: row["window"] for row in map(json.loads, result.stdout.splitlines())}
    check(sorted(reported) == sorted(HISTORIES), f"reachagent fleet report: all of them {result.stderr}")
    start = start.replace(microsecond=0)
    figures = {row[0]: row[1:] for row in database.query(f"""
        SELECT device, coalesce(sum(microseconds) FILTER (WHERE connectivity IN ('full', 'partial')), 0),
            coalesce(sum(microseconds) FILTER (WHERE connectivity IN ('none', 'local', 'portal')), 0)
        FROM (SELECT device, connectivity,
            (extract(epoch FROM known_until - greatest(since, '{start.isoformat()}')) * 1000000)::bigint AS microseconds
            FROM reachagent.path WHERE known_until > '{start.isoformat()}') AS span
        GROUP BY device""")}
    percents = dict(ask_grafana(database, start, now)["Availability of each device in the time of the dashboard"])
    for device in HISTORIES:
        row = reported[device]
        percent = percents[device] if percents[device] is None else float(f"{percents[device]:.3f}")
        ours, theirs = (*figures[device], percent), (row["available_us"], row["unavailable_us"], row.get("availability_percent"))
        check(ours == theirs, f"PostgreSQL has the figures of reachagent fleet report, {device}: {ours[2]} %")
    check(reported["off"]["unavailable_us"] == 6 * 3_600_000_000 and reported["off"]["available_us"] == 37 * 3_600_000_000,
          "a machine that was off for eight days was available before and after")
    states = dict(database.query("SELECT device, connectivity FROM reachagent.state"))
    check(states["suspended"] == "stopped" and states["off"] == "full", "the state of a stopped agent is stopped")
    check(states["restated"] == "none", "the state after missing events is the settled one")
    since = dict(database.query("SELECT device, since FROM reachagent.state"))
    check(since["degraded"] == now - datetime.timedelta(hours=18), "a settled state that was known already began earlier")


async def check_poison(server, database, directory):
    """One device cannot stop the writer for all others."""
    long = "".join(chr(random.Random(number).randrange(0x4E00, 0x9FFF)) for number in range(4000))
    good = {"type": "reachagent.probe.summary", "subject": "s", "time": "2026-11-21T07:00:00.000000Z", "data": {}}
    poisons = ['{"x"', "[" * 100_000] + [json.dumps(good | change) for change in [
        {"data": {"x": "\ud800"}}, {"type": "\ud800"}, {"type": {}}, {"type": 7}, {"type": long}, {"subject": ["s"]},
        {"data": {"x": float("nan")}}, {"time": "infinity"}, {"time": "now"}, {"time": "2026-02-31T00:00:00Z"}, {"time": "2026-11-21T99:00:00Z"}, {"time": 5}]]
    await store(await server.connect("admin"), [
        (f"reachagent.{device}.probe.summary", f"{device}.{STREAM}-{number}", text.encode())
        for number, payload in enumerate(poisons, 1)
        for device, text in [("poison", payload), ("healthy", json.dumps(good))]])
    process = start_writer(server, database, directory)
    _, error = process.communicate(timeout=120)
    check(process.returncode == 0, f"the writer writes what comes after an event that PostgreSQL does not take {error[-400:]}")
    counts = dict(database.query("SELECT device, count(*) FROM reachagent.event WHERE device IN ('poison', 'healthy') GROUP BY 1"))
    check(counts == {"healthy": len(poisons)}, f"every event of another device is written: {counts}")
    lines = error.splitlines()
    check(len(lines) == len(poisons) and all(len(line) < 500 and line.isprintable() for line in lines),
          "the others are printed, one short line each")
    database.query("ALTER TABLE reachagent.event RENAME TO other")
    await store(await server.connect("admin"),
                [("reachagent.healthy.probe.summary", f"healthy.{STREAM}-100", json.dumps(good).encode())])
    process = start_writer(server, database, directory)
    process.communicate(timeout=120)
    check(process.returncode != 0, "a table that is missing ends the writer")
    database.query("ALTER TABLE reachagent.other RENAME TO event")
    process = start_writer(server, database, directory)
    process.communicate(timeout=120)
    check(database.query("SELECT count(*) FROM reachagent.event WHERE seq = 100 AND device = 'healthy'") == [(1,)],
          "and its events are written when it is back")


async def make_consumer(server):
    """An event that is handed out and not acknowledged comes again after two seconds instead of thirty."""
    connection = await server.connect("admin")
    await connection.jetstream().add_consumer(
        "REACHAGENT", nats.js.api.ConsumerConfig(durable_name="test", ack_policy="explicit", ack_wait=2))
    await connection.close()


async def main(directory):
    pathlib.Path(f"{directory}/reader.password").write_text("reader-secret\n")
    server = Server(directory)
    database = None
    try:
        await make_stream(server)
        database = Database(directory)
        for _ in range(2):
            database.query((EXAMPLES / "schema.sql").read_text())
        check(True, "the schema can be made twice")
        for device in ("edge-1", "edge-2", "edge-3"):
            await publish(server, device, range(1, EVENTS + 1))
        await check_permissions(server)
        write_through_kills(server, database, directory)
        rows = database.query("SELECT device, count(*), count(DISTINCT seq), min(seq), max(seq) FROM reachagent.event GROUP BY 1 ORDER BY 1")
        check([(row[0], int(row[1]), int(row[2]), int(row[3]), int(row[4])) for row in rows]
              == [(f"edge-{n}", EVENTS, EVENTS, 1, EVENTS) for n in (1, 2, 3)],
              f"PostgreSQL has {EVENTS} events of each device, none missing and none twice")
        check(database.query("SELECT DISTINCT stream FROM reachagent.event") == [(STREAM,)],
              "the ids of devices with copies of one journal differ, and a reader sees the one stream")
        check_grafana(database)
        await make_consumer(server)
        check_fleet(server, directory)
        now = datetime.datetime.now(datetime.timezone.utc)
        await publish_histories(server, now)
        check_figures(server, database, directory, now)
        await check_poison(server, database, directory)
    finally:
        server.kill()
        if database:
            # Immediately: nothing is read from its files any more.
            database.stop(signal.SIGQUIT)


with tempfile.TemporaryDirectory(prefix="reachagent-fleet-") as temporary:
    asyncio.run(main(temporary))
