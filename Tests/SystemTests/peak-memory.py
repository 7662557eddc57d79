"""Runs a command and tells how much memory it needed at most.

usage: peak-memory.py FILE COMMAND...

Writes the largest resident set of the command, in bytes, to FILE, and ends with the command's status. A small process
has to start the command: the kernel counts what the starting process had until the new program is loaded.
"""

import resource
import subprocess
import sys

status = subprocess.run(sys.argv[2:], check=False).returncode
with open(sys.argv[1], "w", encoding="ascii") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))
sys.exit(status if status >= 0 else 128 - status)
