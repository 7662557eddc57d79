#!/usr/bin/env python3
"""Runs AGENT on a terminal that nobody reads, with more events than it takes, and ends it.

    unread-terminal.py AGENT INTERFACE

It prints the exit status, and the seconds from SIGTERM to the end.
"""
import os
import signal
import subprocess
import sys
import time

def thread(process, name):
    for task in os.listdir(f'/proc/{process}/task'):
        with open(f'/proc/{process}/task/{task}/comm') as file:
            if file.read().strip() == name:
                return f'/proc/{process}/task/{task}'


def waits_for_terminal(directory):
    with open(f'{directory}/wchan') as file:
        return file.read() == 'wait_woken'


agent, interface = sys.argv[1:]
reader, terminal = os.openpty()
process = subprocess.Popen(
    [agent, 'run', '--no-journal', '--no-sockets', '--settle-up', '0', '--settle-down', '0'], stdout=terminal)
os.read(reader, 1)                  # It has started: the first event is there.
printer, changes = thread(process.pid, 'printer'), 0
while not waits_for_terminal(printer):
    changes += 1
    if changes == 5000:
        sys.exit('the terminal takes everything')
    subprocess.run(['ip', 'route', 'replace', 'default', 'via', f'192.0.2.{1 + changes % 2 * 2}', 'dev', interface], check=True)
process.send_signal(signal.SIGTERM)
begun = time.monotonic()
print(process.wait(30), time.monotonic() - begun)
