#!/usr/bin/env python3
"""What answers at the far end of a test's link: prints 'ready', then a line for everything that it is asked.

It ends with its standard input: a test's thread may block signals, and the blocks are inherited.

    far-end.py http ADDRESS PORT   answers every connection with status 200
    far-end.py silent ADDRESS PORT accepts every connection and never answers
    far-end.py dns ADDRESS PORT    a name server by UDP; what it answers is in ZONE
"""
import os
import socket
import struct
import sys
import threading

A, AAAA, NOERROR, SERVFAIL, NXDOMAIN = 1, 28, 0, 2, 3
SILENCE = None
TYPES = {A: 'A', AAAA: 'AAAA'}

# The answer by name and type; other types of these names have no record, and other names do not exist.
ZONE = {
    'host.test': {A: '192.0.2.1'},
    'web.test': {A: '203.0.113.1'},
    'intranet.corp.test': {A: '192.0.2.1'},
    'half.test': {A: '192.0.2.1', AAAA: SILENCE},
    'broken.test': SERVFAIL,
    'silent.test': {A: SILENCE, AAAA: SILENCE},
}


def say(text):
    print(text, flush=True)


def serve_http(address, port):
    listener = socket.create_server((address, port), family=socket.AF_INET6 if ':' in address else socket.AF_INET)
    say('ready')
    while True:
        connection, peer = listener.accept()
        with connection:
            say(f'connection from {peer[0]}')
            connection.settimeout(5)
            # A client that only connects sends nothing.
            if connection.recv(4096):
                connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok')


def serve_silence(address, port):
    listener = socket.create_server((address, port))
    say('ready')
    connections = []
    while True:
        connections.append(listener.accept()[0])
        say('connection')


def answer(query):
    """The answer to a query, or SILENCE."""
    labels, offset = [], 12
    while query[offset] != 0:
        labels.append(query[offset + 1:offset + 1 + query[offset]].decode('ascii'))
        offset += 1 + query[offset]
    kind, = struct.unpack('!H', query[offset + 1:offset + 3])
    name = '.'.join(labels).lower()
    say(f'{TYPES.get(kind, kind)} {name}')
    rule = ZONE.get(name, NXDOMAIN)
    code, record = (NOERROR, b'') if isinstance(rule, dict) else (rule, b'')
    if code == NOERROR and kind in rule:
        if rule[kind] is SILENCE:
            return SILENCE
        record = struct.pack('!HHHIH', 0xC00C, kind, 1, 60, 4) + socket.inet_aton(rule[kind])
    header = query[:2] + struct.pack('!HHHHH', 0x8180 | code, 1, 1 if record else 0, 0, 0)
    return header + query[12:offset + 5] + record


def serve_dns(address, port):
    server = socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, port))
    say('ready')
    while True:
        query, peer = server.recvfrom(4096)
        reply = answer(query)
        if reply is not SILENCE:
            server.sendto(reply, peer)


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
{'http': serve_http, 'silent': serve_silence, 'dns': serve_dns}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
