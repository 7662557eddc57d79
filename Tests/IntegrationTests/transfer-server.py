#!/usr/bin/env python3
"""A server of transfers that is as hostile as the path says: prints 'ready', then a line for every request.

It ends with its standard input. Over HTTP/1.1, and with keep-alive, as a server that measures small requests must be.

    transfer-server.py ADDRESS PORT

    /large             64 MiB with a strong ETag; answers ranges
    /throttled         the same at 4 Mbit/s
    /small             100,000 bytes
    /stall             sends 300,000 bytes, and nothing more
    /silent            answers small requests; of the object it sends not even a head
    /short             promises 64 MiB, sends 300,000 bytes, and closes
    /endless           promises nothing, and sends until it is closed
    /more              promises 300,000 bytes, and sends twice as many
    /reset             resets the connection after 300,000 bytes
    /error             503
    /negative, /many   a Content-Length that is no number, and two that differ
    /drip              a byte every 50 ms
    /once/KIND         resets after 300,000 bytes; the request with a range is answered as KIND says: right, elsewhere
                       (another range), shorter (a range that ends before), nonsense (no range), whole (200), changed
                       (200 and another ETag), refused (416)
    /sink              reads an upload, and answers 204
    /sink/stall        reads 100,000 bytes of an upload, and nothing more
    /sink/reset        resets after 100,000 bytes
    /sink/refuse       413 before the upload is over
    /sink/mute         reads it all, and answers nothing
"""
import os
import re
import socket
import struct
import sys
import threading
import time

SIZE, FIRST_PART, CHUNK = 64 << 20, 300_000, bytes(65_536)
ETAG = '"v1"'
output = threading.Lock()


def say(text):
    with output:
        print(text, flush=True)


class Gone(Exception):
    """The connection is of no use any more."""


class Connection:
    def __init__(self, accepted):
        self.socket = accepted
        self.rest = b''

    def head(self):
        """The method, the path, and the fields by their lower-case names."""
        while b'\r\n\r\n' not in self.rest:
            if len(self.rest) > 65_536:
                raise Gone
            self.rest += self.some()
        head, _, self.rest = self.rest.partition(b'\r\n\r\n')
        first, *lines = head.decode('latin-1').split('\r\n')
        fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(':') for line in lines)}
        method, path, _ = first.split(' ', 2)
        return method, path, fields

    def some(self):
        piece = self.socket.recv(65_536)
        if not piece:
            raise Gone
        return piece

    def skip(self, count):
        """Reads so many bytes of a body."""
        taken = min(count, len(self.rest))
        self.rest = self.rest[taken:]
        while taken < count:
            piece = self.some()
            self.rest = piece[count - taken:]
            taken += min(len(piece), count - taken)

    def answer(self, status, *lines):
        self.socket.sendall('\r\n'.join([f'HTTP/1.1 {status}', *lines, '', '']).encode('latin-1'))

    def send(self, count, rate=None):
        began, sent = time.monotonic(), 0
        while sent < count:
            piece = min(count - sent, len(CHUNK) if rate is None else 5000)
            self.socket.sendall(CHUNK[:piece])
            sent += piece
            if rate:
                time.sleep(max(0, began + sent * 8 / rate - time.monotonic()))

    def reset(self):
        # What the kernel still has to send would be lost with the reset, and the test would not know how much came.
        time.sleep(0.2)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        raise Gone

    def wait(self):
        while True:
            self.some()


def serve_object(connection, method, fields, size=SIZE, etag=ETAG, rate=None):
    found = re.fullmatch(r'bytes=(\d+)-(\d*)', fields.get('range', ''))
    common = [f'ETag: {etag}', 'Accept-Ranges: bytes', 'Content-Type: application/octet-stream']
    if found and fields.get('if-range', etag) == etag:
        first, last = int(found[1]), min(int(found[2] or size - 1), size - 1)
        connection.answer('206 Partial Content', *common, f'Content-Range: bytes {first}-{last}/{size}',
                          f'Content-Length: {last - first + 1}')
        length = last - first + 1
    else:
        connection.answer('200 OK', *common, f'Content-Length: {size}')
        length = size
    if method != 'HEAD':
        connection.send(length, rate)


def serve_resumed(connection, kind, offset, fields):
    """The answer to a request with a range, after the reset."""
    part = 'HTTP/1.1 206 Partial Content'[9:]
    rest = SIZE - offset
    if kind == 'right':
        return serve_object(connection, 'GET', fields)
    if kind in ('whole', 'changed'):
        etag = ETAG if kind == 'whole' else '"v2"'
        connection.answer('200 OK', f'ETag: {etag}', f'Content-Length: {SIZE}')
        return connection.send(SIZE)
    if kind == 'refused':
        return connection.answer('416 Range Not Satisfiable', f'Content-Range: bytes */{SIZE}', 'Content-Length: 0')
    ranges = {'elsewhere': f'bytes 0-{rest - 1}/{SIZE}', 'shorter': f'bytes {offset}-{offset}/{SIZE}',
              'nonsense': 'bytes 18446744073709551616-x/*'}
    connection.answer(part, f'ETag: {ETAG}', f'Content-Range: {ranges[kind]}', f'Content-Length: {rest}')
    return connection.send(rest)


def serve_upload(connection, path, fields):
    length = int(fields.get('content-length', '0'))
    if fields.get('expect', '').lower() == '100-continue':
        connection.answer('100 Continue')
    kind = path.removeprefix('/sink').strip('/')
    if kind == 'refuse':
        connection.answer('413 Content Too Large', 'Content-Length: 0', 'Connection: close')
        connection.skip(length)
        raise Gone
    if kind in ('stall', 'reset'):
        connection.skip(min(length, 100_000))
        if kind == 'reset':
            connection.reset()
        threading.Event().wait()
    connection.skip(length)
    if kind == 'mute':
        connection.wait()
    connection.answer('204 No Content')


def serve_request(connection, method, path, fields):
    is_small = method == 'HEAD' or fields.get('range') in ('bytes=0-0',)
    if path.startswith('/sink'):
        if method == 'POST':
            return serve_upload(connection, path, fields)
        return connection.answer('204 No Content')
    if path.startswith('/once/') and not is_small:
        found = re.match(r'bytes=(\d+)-', fields.get('range', ''))
        if found and int(found[1]) > 0:
            return serve_resumed(connection, path.removeprefix('/once/'), int(found[1]), fields)
    if path in ('/large', '/throttled', '/small') or is_small:
        size = 100_000 if path == '/small' else SIZE
        return serve_object(connection, method, fields, size, rate=4_000_000 if path == '/throttled' else None)
    if path == '/error':
        return connection.answer('503 Service Unavailable', 'Content-Length: 0')
    if path == '/silent':
        connection.wait()
    if path == '/endless':
        connection.answer('200 OK', 'Connection: close')
        connection.send(1 << 40)
    lengths = {'/negative': ['Content-Length: -5'], '/many': ['Content-Length: 5', 'Content-Length: 6'],
               '/more': ['Content-Length: 300000']}
    connection.answer('200 OK', f'ETag: {ETAG}', 'Accept-Ranges: bytes', *lengths.get(path, [f'Content-Length: {SIZE}']))
    if path == '/drip':
        while True:
            connection.socket.sendall(b'x')
            time.sleep(0.05)
    connection.send(2 * FIRST_PART if path == '/more' else FIRST_PART)
    if path == '/stall':
        connection.wait()
    if path.startswith('/once/') or path == '/reset':
        connection.reset()
    raise Gone


def serve(accepted):
    connection = Connection(accepted)
    try:
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            method, path, fields = connection.head()
            say(f'{method} {path} {fields.get("range", "")}'.rstrip())
            serve_request(connection, method, path, fields)
    except (OSError, Gone, ValueError):
        pass                        # a client that went away, or was sent away
    accepted.close()


def accept(listener):
    while True:
        accepted, _ = listener.accept()
        threading.Thread(target=serve, args=(accepted,), daemon=True).start()


address, port = sys.argv[1], int(sys.argv[2])
family = socket.AF_INET6 if ':' in address else socket.AF_INET
threading.Thread(target=accept, args=(socket.create_server((address, port), family=family),), daemon=True).start()
say('ready')
sys.stdin.read()
os._exit(0)
