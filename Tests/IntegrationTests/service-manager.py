#!/usr/bin/env python3
"""Stands in for a service manager: starts a program with NOTIFY_SOCKET and prints what the program tells it.

    service-manager.py [NAME=VALUE...] PROGRAM [ARGUMENT...]

Each datagram becomes one line, its assignments joined by " & "; what the program writes to standard error follows "log: ",
and its end is "exited STATUS". Commands come on standard input:

    signal NUMBER      sends a signal
    freeze NAME        stops one thread, by the beginning of its name, and nothing else (ptrace(2))
    thaw               lets it go on
    threads            prints the names of all threads
"""

import ctypes
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000

printing = threading.Lock()
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def say(line):
    with printing:
        print(line, flush=True)


def notices(listener):
    while True:
        # A time that differs with every run is of no use to a comparison.
        text = listener.recv(4096).decode()
        say(re.sub(r"MONOTONIC_USEC=[1-9]\d*", "MONOTONIC_USEC=…", text).replace("\n", " & "))


def threads(process):
    directory = f"/proc/{process}/task"
    return {int(thread): open(f"{directory}/{thread}/comm").read().strip() for thread in os.listdir(directory)}


def ptrace(request, thread):
    if libc.ptrace(request, thread, None, None) != 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x} of {thread}")


def obey(agent, address):
    frozen = []
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "signal":
            os.kill(agent.pid, int(rest))
        elif word == "threads":
            say("threads: " + " ".join(sorted(set(threads(agent.pid).values()))))
        elif word == "freeze":
            # Whoever traces a thread is one thread itself, this one.
            for thread, name in threads(agent.pid).items():
                if name.startswith(rest):
                    ptrace(PTRACE_SEIZE, thread)
                    ptrace(PTRACE_INTERRUPT, thread)
                    os.waitpid(thread, WALL)
                    frozen.append(thread)
            # Behind the notifications that were sent before, which this program may not have read yet.
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(f"frozen {len(frozen)}".encode(), address)
        elif word == "thaw":
            for thread in frozen:
                ptrace(PTRACE_DETACH, thread)
            frozen = []
            say("thawed")


def main():
    words = sys.argv[1:]
    variables = {}
    while "=" in words[0]:
        name, _, variables[name] = words.pop(0).partition("=")
    with tempfile.TemporaryDirectory() as directory:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = f"{directory}/notify"
        listener.bind(address)
        environment = dict(os.environ, NOTIFY_SOCKET=address, **variables)
        agent = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        for work in (lambda: notices(listener), lambda: obey(agent, address)):
            threading.Thread(target=work, daemon=True).start()
        for line in agent.stderr:
            say("log: " + line.rstrip("\n"))
        say(f"exited {agent.wait()}")


main()
