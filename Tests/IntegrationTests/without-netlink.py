#!/usr/bin/env python3
"""Runs a program in a sandbox that refuses netlink sockets, as RestrictAddressFamilies= of systemd does.

A seccomp filter answers socket(AF_NETLINK, ...) with EAFNOSUPPORT, and lets everything else pass.
"""
import ctypes
import os
import struct
import sys

AF_NETLINK, EAFNOSUPPORT = 16, 97
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
SOCKET_CALL = {'x86_64': 41, 'aarch64': 198}[os.uname().machine]
ALLOW, ERRNO = 0x7FFF0000, 0x00050000

# struct seccomp_data: nr at byte 0, the first argument at byte 16.
PROGRAM = [
    (0x20, 0, 0, 0),
    (0x15, 0, 3, SOCKET_CALL),
    (0x20, 0, 0, 16),
    (0x15, 0, 1, AF_NETLINK),
    (0x06, 0, 0, ERRNO | EAFNOSUPPORT),
    (0x06, 0, 0, ALLOW),
]


def main():
    code = b''.join(struct.pack('=HBBI', *instruction) for instruction in PROGRAM)
    buffer = ctypes.create_string_buffer(code)
    program = ctypes.create_string_buffer(struct.pack('@HP', len(PROGRAM), ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)):
        if libc.prctl(*arguments, 0, 0) != 0:
            sys.exit('prctl: ' + os.strerror(ctypes.get_errno()))
    os.execv(sys.argv[1], sys.argv[1:])


main()
