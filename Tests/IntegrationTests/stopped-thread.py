"""Stops one thread of a process, as a disk that hangs would, until the process is killed.

    stopped-thread.py PROCESS NAME

Prints `stopped` when the thread named NAME stands still, by ptrace(2), which leaves the other threads alone.
"""

import ctypes
import os
import sys

PTRACE_ATTACH = 16
WALL = 0x40000000        # __WALL: threads, too


def main():
    process, name = int(sys.argv[1]), sys.argv[2]
    threads = [
        int(thread)
        for thread in os.listdir(f"/proc/{process}/task")
        if open(f"/proc/{process}/task/{thread}/comm").read().strip() == name
    ]
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if len(threads) != 1 or library.ptrace(PTRACE_ATTACH, threads[0], None, None) != 0:
        sys.exit(f"cannot stop {name} among {threads}: {os.strerror(ctypes.get_errno())}")
    os.waitpid(threads[0], WALL)
    print("stopped", flush=True)
    # The thread of a process that was killed is gone only when its tracer has heard of it.
    os.waitpid(threads[0], WALL)


main()
