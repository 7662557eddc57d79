#!/usr/bin/env python3
"""A client that asks for the status again and again, each time on a connection of its own, and measures.

    patient-client.py CONTROL COUNT AGENT

It prints one JSON object: how many answers came, and the median, the 90th percentile and the maximum of the time to one in
milliseconds. Time in which this process, or the thread of the process AGENT that answers it, was ready to run and the machine
had no processor for it (/proc/PID/task/TID/schedstat) is left out: that is the machine's, whatever the agent does. Both may have
waited at once, so that their times add up to more than has passed: an answer takes at least the time that the thread has run.
The agent's other threads wait beside it.
"""
import json
import os
import socket
import sys
import time


def status(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        # With a time-out it would not wait in the kernel for its turn to be accepted.
        client.connect(path)
        client.settimeout(30)
        client.sendall(b'{"method":"status"}\n')
        data = b''
        while not data.endswith(b'\n'):
            part = client.recv(1 << 16)
            if not part:
                break
            data += part
    return b'"parameters":{"' in data and b'"error"' not in data[:10]


def content(file):
    with open(file) as stream:
        return stream.read()


def sockets_thread(process):
    """The directory in /proc of the thread that serves the sockets."""
    for thread in os.listdir(f'/proc/{process}/task'):
        directory = f'/proc/{process}/task/{thread}'
        try:
            if content(f'{directory}/comm').startswith('sockets'):
                return directory
        except OSError:
            pass  # It has ended since.
    sys.exit(f'{process} has no thread that serves sockets')


def schedule(directory):
    """How long a thread has run, and has waited for a processor, in seconds."""
    return [int(figure) / 1e9 for figure in content(f'{directory}/schedstat').split()[:2]]


path, count = sys.argv[1], int(sys.argv[2])
thread, own = sockets_thread(sys.argv[3]), '/proc/self'
times, answers = [], 0
for _ in range(count):
    time.sleep(0.002)
    before, own_before, start = schedule(thread), schedule(own), time.monotonic()
    answers += status(path)
    elapsed = time.monotonic() - start
    ran, waited = (after - before for after, before in zip(schedule(thread), before))
    own_waited = schedule(own)[1] - own_before[1]
    times.append(max(ran, elapsed - waited - own_waited))
times.sort()
print(json.dumps({
    'answers': answers,
    'median': times[count // 2] * 1000,
    'p90': times[count * 9 // 10] * 1000,
    'maximum': times[-1] * 1000,
}))
