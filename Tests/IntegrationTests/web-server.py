#!/usr/bin/env python3
"""A web server that does what a test tells it: prints 'ready', then a line for everything that it is asked.

It ends with its standard input, which is also where it is told what to be, a line each; 'done LINE' is the answer when it
holds. The directory has the certificates, NAME.pem and NAME.key.

    web-server.py DIRECTORY HTTP-PORT HTTPS-PORT ADDRESS...

    open               204 for /generate_204, 200 for everything else; so it begins
    portal URL         302 to the URL for every request
    page               200 with a login page for every request
    sabotage           500 for every request
    certificate NAME   handshakes with this one from now on; 'server' to begin with
    stop, start        closes its listening sockets, and opens them again
"""
import os
import re
import socket
import ssl
import sys
import threading

DIRECTORY, HTTP_PORT, HTTPS_PORT, ADDRESSES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
PAGE = b'<!DOCTYPE html><html><head><title>Welcome</title></head><body><form action="/login">' \
    b'<input type="password" name="code"></form></body></html>'
MOST_BYTES_OF_A_REQUEST = 65_536

listeners = []
behaviour = ['open']
context = [None]
output = threading.Lock()


def say(text):
    with output:
        print(text, flush=True)


def response(path):
    """The status line, more header lines and the body for a path."""
    kind, *rest = behaviour
    if kind == 'portal':
        return '302 Found', [f'Location: {rest[0]}'], b''
    if kind == 'page':
        return '200 OK', ['Content-Type: text/html; charset=utf-8'], PAGE
    if kind == 'sabotage':
        return '500 Internal Server Error', ['Content-Type: text/plain'], b'no\n'
    if path == '/generate_204':
        return '204 No Content', [], b''
    return '200 OK', ['Content-Type: text/plain'], b'ok\n'


def answer(connection, scheme):
    request = b''
    while b'\r\n\r\n' not in request and len(request) < MOST_BYTES_OF_A_REQUEST:
        piece = connection.recv(4096)
        if not piece:
            return
        request += piece
    # What is left unread when a connection is closed makes the system take it for broken.
    head, _, body = request.partition(b'\r\n\r\n')
    length = re.search(rb'\r\ncontent-length: *(\d+)', head, re.IGNORECASE)
    while length and len(body) < min(int(length[1]), MOST_BYTES_OF_A_REQUEST):
        piece = connection.recv(4096)
        if not piece:
            return
        body += piece
    path = request.split(b' ', 2)[1].decode('latin-1')
    say(f'{scheme} {path}')
    status, headers, body = response(path)
    length = [] if status.startswith('204') else [f'Content-Length: {len(body)}']
    lines = [f'HTTP/1.1 {status}', *headers, *length, 'Connection: close', '', '']
    connection.sendall('\r\n'.join(lines).encode('latin-1') + (b'' if request.startswith(b'HEAD') else body))


def serve(connection, scheme):
    try:
        connection.settimeout(5)
        if scheme == 'https':
            connection = context[0].wrap_socket(connection, server_side=True)
        with connection:
            answer(connection, scheme)
    except (OSError, IndexError):
        connection.close()          # a client that went away, or said nothing that makes sense


def accept(listener, scheme):
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return                  # closed
        threading.Thread(target=serve, args=(connection, scheme), daemon=True).start()


def start():
    for address in ADDRESSES:
        family = socket.AF_INET6 if ':' in address else socket.AF_INET
        for scheme, port in (('http', HTTP_PORT), ('https', HTTPS_PORT)):
            listener = socket.create_server((address, port), family=family)
            listeners.append(listener)
            threading.Thread(target=accept, args=(listener, scheme), daemon=True).start()


def stop():
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)   # wakes the thread that accepts: until then the port stays open
        listener.close()
    listeners.clear()


def use_certificate(name):
    fresh = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    fresh.load_cert_chain(os.path.join(DIRECTORY, f'{name}.pem'), os.path.join(DIRECTORY, f'{name}.key'))
    context[0] = fresh


use_certificate('server')
start()
say('ready')
for line in sys.stdin:
    words = line.split()
    if words[0] == 'stop':
        stop()
    elif words[0] == 'start':
        start()
    elif words[0] == 'certificate':
        use_certificate(words[1])
    else:
        behaviour = words
    say(f'done {line.strip()}')
os._exit(0)
