#!/usr/bin/env python3
"""Writes the events of all devices to PostgreSQL, each exactly once, whatever is killed and how often.

    pip install nats-py psycopg2-binary
    psql -f schema.sql fleet
    NATS_URL=nats://broker.example:4222 NATS_USER=reader NATS_PASSWORD_FILE=reader.password \\
        ./to-postgresql.py "dbname=fleet"

A durable consumer of the stream hands out events until they are acknowledged, and they are acknowledged after the commit: none is
missing. An event that was committed and not acknowledged comes again, and (device, stream, seq) is the primary key: none is there twice.
An event that PostgreSQL does not take is printed and left out. With --until-empty it ends when it has everything.
"""
import argparse
import asyncio
import json
import os
import re
import signal
import sys

import nats
import nats.errors
import psycopg2
import psycopg2.extras
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

BATCH = 500
MESSAGE_ID = re.compile(r"([^\s]{1,128})-([0-9]{1,20})")
# PostgreSQL would also take "infinity" and "now".
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,15}Z")
# SQLSTATE: data exception, and program limit exceeded, such as a text that is too long for an index. Another error, such as a
# permission that is missing, is none of a row's: it ends the program, and the events come again.
FAULTS_OF_ROWS = ("22", "54")
INSERT = """
    INSERT INTO reachagent.event (device, stream, seq, time, stored, type, subject, data) VALUES %s
    ON CONFLICT (device, stream, seq) DO NOTHING
"""


def row(message):
    """The row of a message; None for one that is no event of an agent's."""
    tokens = message.subject.split(".")
    try:
        # <device>.<stream>-<seq>
        identifier = (message.headers or {}).get("Nats-Msg-Id", "").removeprefix(f"{tokens[1]}.")
        match = MESSAGE_ID.fullmatch(identifier)
        # PostgreSQL's text has room for every character but one.
        event = json.loads(message.data.replace(b"\\u0000", b"\\ufffd"))
        stream, seq = match.groups()
        texts = (event["type"], event.get("subject", ""))
        if not TIME.fullmatch(event["time"]) or not all(isinstance(text, str) for text in texts):
            return None
        return (tokens[1], stream, int(seq), event["time"], message.metadata.timestamp, *texts, json.dumps(event.get("data", {})))
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
        return None


def write(database, rows):
    with database, database.cursor() as cursor:
        psycopg2.extras.execute_values(cursor, INSERT, rows, page_size=BATCH)


def write_each(database, rows):
    """Writes rows; those that PostgreSQL does not take are printed, because the events of all devices come after them."""
    try:
        return write(database, rows)
    # A ValueError is psycopg2's: half of a surrogate pair, or a zero byte.
    except (psycopg2.Error, ValueError) as error:
        if isinstance(error, psycopg2.Error) and (error.pgcode or "")[:2] not in FAULTS_OF_ROWS:
            raise
        if len(rows) == 1:
            print(f"not written: {rows[0][:3]!r:.200}: {str(error)!r:.200}", file=sys.stderr)
            return
    for values in rows:
        write_each(database, [values])


async def connect():
    options = {}
    if user := os.environ.get("NATS_USER"):
        with open(os.environ["NATS_PASSWORD_FILE"], encoding="utf-8") as file:
            options = {"user": user, "password": file.readline().rstrip("\n")}
    if credentials := os.environ.get("NATS_CREDS"):
        options = {"user_credentials": credentials}
    # One that hangs is noticed, and the service manager starts this program again.
    return await nats.connect(os.environ.get("NATS_URL", "nats://127.0.0.1:4222"), allow_reconnect=False,
                              ping_interval=20, max_outstanding_pings=2, **options)


async def main():
    options = argparse.ArgumentParser(description="Write the events of all devices to PostgreSQL.")
    options.add_argument("database", help="the connection string, such as 'dbname=fleet'")
    options.add_argument("--stream", default="REACHAGENT")
    options.add_argument("--durable", default="postgresql")
    options.add_argument("--ack-wait", type=int, default=30, help="seconds after which events of a writer that died come again")
    options.add_argument("--until-empty", action="store_true")
    choice = options.parse_args()

    database = psycopg2.connect(choice.database)
    connection = await connect()
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    config = ConsumerConfig(durable_name=choice.durable, ack_policy=AckPolicy.EXPLICIT,
                            deliver_policy=DeliverPolicy.ALL, ack_wait=choice.ack_wait, max_ack_pending=4 * BATCH)
    consumer = await connection.jetstream().pull_subscribe("", durable=choice.durable, stream=choice.stream,
                                                           config=config)
    while not stopping.is_set():
        try:
            messages = await consumer.fetch(BATCH, timeout=0.2 if choice.until_empty else 2)
        except (nats.errors.TimeoutError, asyncio.TimeoutError):
            if not connection.is_connected:
                sys.exit("the connection to the server is lost")
            info = await consumer.consumer_info()
            if choice.until_empty and info.num_pending == 0 and info.num_ack_pending == 0:
                break
            continue
        rows = [row(message) for message in messages]
        for message in (message for message, values in zip(messages, rows) if values is None):
            print(f"no event: {message.subject!r:.200}", file=sys.stderr)
        # Not in a thread: the next events wait at the server while these are written.
        write_each(database, [values for values in rows if values is not None])
        for message in messages:
            await message.ack()
    await connection.flush()
    await connection.close()
    database.close()


asyncio.run(main())
