#!/usr/bin/env python3
"""A client that asks for the status again and again, each time on a connection of its own, and measures.

    patient-client.py CONTROL COUNT AGENT

It prints one JSON object: how many answers came, and the median, the 90th percentile and the maximum of the time to one in
milliseconds. Time in which the process AGENT or this one was ready to run and the machine had no processor for it
(/proc/PID/task/TID/schedstat) is left out: that is the machine's, whatever the agent does.
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


def waited(*processes):
    """How long the threads of the processes have waited for a processor, in seconds."""
    total = 0
    for process in processes:
        for thread in os.listdir(f'/proc/{process}/task'):
            try:
                with open(f'/proc/{process}/task/{thread}/schedstat') as file:
                    total += int(file.read().split()[1])
            except OSError:
                pass
    return total / 1e9


path, count, agent = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
times, answers = [], 0
for _ in range(count):
    time.sleep(0.002)
    before, start = waited(agent, 'self'), time.monotonic()
    answers += status(path)
    elapsed = time.monotonic() - start
    times.append(max(0, elapsed - (waited(agent, 'self') - before)))
times.sort()
print(json.dumps({
    'answers': answers,
    'median': times[count // 2] * 1000,
    'p90': times[count * 9 // 10] * 1000,
    'maximum': times[-1] * 1000,
}))
