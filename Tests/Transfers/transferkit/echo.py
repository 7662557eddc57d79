"""A ping at random times: one echo request in each interval, and a line for each reply with its request's time.

ping(8) spaces its requests evenly, and falls into step with what it samples: at 1 Mbit/s the acknowledgments of two pairs
of packets come each 49 ms, and a request each 50 ms meets the queue at the same point of their cycle for seconds.
Otherwise it is one: the same size, the time of the request taken before it is sent, that of the reply by the kernel.

  echo.py ADDRESS SECONDS      until it is ended
"""

import os
import random
import select
import socket
import struct
import sys
import time

SO_TIMESTAMPNS = 35         # which Python's socket lacks
REQUEST, REPLY = 8, 0
PAYLOAD = bytes(56)         # ping's own


def checksum(message: bytes) -> int:
    """The checksum of the Internet."""
    total = sum(struct.unpack(f"!{len(message) // 2}H", message))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def request(identifier: int, sequence: int) -> bytes:
    """An echo request."""
    unchecked = struct.pack("!BBHHH", REQUEST, 0, 0, identifier, sequence) + PAYLOAD
    return unchecked[:2] + struct.pack("!H", checksum(unchecked)) + unchecked[4:]


def receive(port: socket.socket, identifier: int, sent: dict[int, float]) -> None:
    """Read a message, and print it if it is a reply to one of ours."""
    message, ancillary, _, _ = port.recvmsg(2048, 128)
    icmp = message[(message[0] & 15) * 4:]
    kind, _, _, whose, sequence = struct.unpack_from("!BBHHH", icmp)
    if kind != REPLY or whose != identifier or sequence not in sent:
        return
    stamp = next(data for _, name, data in ancillary if name == SO_TIMESTAMPNS)
    seconds, nanoseconds = struct.unpack("qq", stamp)
    begun = sent.pop(sequence)
    print(f"{begun:.6f} {(seconds - begun) * 1e3 + nanoseconds / 1e6:.3f}", flush=True)


def main(address: str, interval: float) -> None:
    port = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    port.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    port.connect((address, 0))
    identifier, sequence = os.getpid() & 0xFFFF, 0
    sent: dict[int, float] = {}
    begin = time.monotonic()
    while True:
        due = begin + random.random() * interval
        begin += interval
        while (left := due - time.monotonic()) > 0:
            if select.select([port], [], [], left)[0]:
                receive(port, identifier, sent)
        sequence = (sequence + 1) & 0xFFFF
        message = request(identifier, sequence)
        sent[sequence] = time.time()
        port.send(message)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
