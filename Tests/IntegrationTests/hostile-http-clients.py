#!/usr/bin/env python3
"""Hostile clients of the HTTP server, one kind after the other, beside one that means well.

Each kind prints 'NAME ok', or what went wrong. In the end comes a line with the longest time in milliseconds that the
client that means well has waited for an answer at http.sock, and with the agent's memory in kB. As in patient-client.py, the
time in which the machine had no processor for the client or for the thread that answers it is left out.

    hostile-http-clients.py SOCKET PORT TLS-PORT PROCESS
"""
import base64
import json
import os
import re
import resource
import socket
import ssl
import sys
import threading
import time

PATH, PORT, TLS_PORT, PROCESS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
GET = 'GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n'
stop = threading.Event()
patient = {'answers': 0, 'longest': 0.0, 'failures': []}


def connect(port=PORT):
    client = socket.create_connection(('127.0.0.1', port), timeout=20)
    return client


def request(path='/metrics', headers=''):
    return GET.format(path, headers).encode()


def read_all(client, most=1 << 24):
    data = b''
    try:
        while len(data) < most:
            part = client.recv(1 << 16)
            if not part:
                break
            data += part
    except (ConnectionResetError, socket.timeout):
        pass
    return data


def statuses(data):
    return [int(status) for status in re.findall(rb'^HTTP/1\.1 (\d\d\d) ', data, re.M)]


def status(text):
    """The status of the answer to bytes on a connection of their own."""
    with connect() as client:
        try:
            client.sendall(text if isinstance(text, bytes) else text.encode('latin-1'))
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        return (statuses(read_all(client)) or [0])[0]


def expect(wanted, text):
    got = status(text)
    assert got == wanted, f'expected {wanted}, got {got} for {text[:60]!r}'


def sockets_thread():
    """The directory in /proc of the thread that serves the sockets."""
    for thread in os.listdir(f'/proc/{PROCESS}/task'):
        directory = f'/proc/{PROCESS}/task/{thread}'
        try:
            with open(f'{directory}/comm') as stream:
                if stream.read().startswith('sockets'):
                    return directory
        except OSError:
            pass                    # It has ended since.
    sys.exit(f'{PROCESS} has no thread that serves sockets')


def schedule(directory):
    """How long a thread has run, and has waited for a processor, in seconds."""
    with open(f'{directory}/schedstat') as stream:
        return [int(figure) / 1e9 for figure in stream.read().split()[:2]]


def means_well():
    thread, own = sockets_thread(), f'/proc/self/task/{threading.get_native_id()}'
    while not stop.is_set():
        before, own_before, start = schedule(thread), schedule(own), time.monotonic()
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(20)
                client.connect(PATH)
                client.sendall(request('/metrics', 'Connection: close\r\n'))
                if statuses(read_all(client)) != [200]:
                    patient['failures'].append('an answer other than 200')
        except OSError as error:
            patient['failures'].append(str(error))
        elapsed = time.monotonic() - start
        ran, waited = (after - before for after, before in zip(schedule(thread), before))
        own_waited = schedule(own)[1] - own_before[1]
        patient['longest'] = max(patient['longest'], ran, elapsed - waited - own_waited)
        patient['answers'] += 1
        time.sleep(0.01)


kept = []


def slow_head():
    """Kept to the end: heads that grow by a byte at a time."""
    for _ in range(100):
        client = connect()
        client.sendall(b'GET / HTTP/1.1\r\nHost: ')
        kept.append(client)
    for byte in b'localhost':
        for client in kept:
            client.sendall(bytes([byte]))


def many_connections():
    clients, refused = [], 0
    for _ in range(700):
        clients.append(connect())
    # Those above the limit of 512 are answered at once; the client that means well has ended, for it is of the same user.
    for client in clients[-100:]:
        client.settimeout(10)
        refused += statuses(read_all(client)) == [503]
    for client in clients:
        client.close()
    assert refused == 100, f'{refused} of the last 100 were refused'


def huge_head():
    expect(431, b'GET /' + b'a' * 200_000)
    expect(431, b'GET / HTTP/1.1\r\nHost: localhost\r\n' + b'X: ' + b'a' * 2_000_000)
    expect(431, b'GET / HTTP/1.1\r\nHost: localhost\r\n' + b'A: b\r\n' * 10_000)


def pipelining():
    with connect() as client:
        client.sendall(request() * 400)
        got = statuses(read_all(client))
        assert got == [200] * 4 + [429], f'{got}'


def unread_answers():
    clients = [connect() for _ in range(50)]
    for client in clients:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(request('/') * 16)
    time.sleep(0.5)
    for client in clients:
        client.close()


def bad_host():
    for host, wanted in [('evil.example', 421), ('localhost.evil.example', 421), ('127.0.0.1.nip.io', 421),
                         ('0x7f.0.0.1', 421), ('', 400), ('a b', 400), ('[::1', 400)]:
        expect(wanted, f'GET / HTTP/1.1\r\nHost: {host}\r\n\r\n')
    expect(400, 'GET / HTTP/1.1\r\n\r\n')
    expect(400, 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n')


def foreign_origin():
    for origin in ['http://evil.example', 'null', 'https://localhost.evil.example', 'file://']:
        expect(403, request('/api/status', f'Origin: {origin}\r\n'))


def path_tricks():
    for path in ['/../etc/passwd', '/..%2f..%2fetc/passwd', '//', '/metrics/', '/%6detrics', '/metrics%00', '/./metrics',
                 '/metrics;x', 'http://localhost/../metrics', '/\\..\\', '/api/../metrics', '/METRICS']:
        expect(404, request(path))
    expect(200, request('http://localhost/metrics'))
    expect(421, request('http://evil.example/metrics'))
    expect(405, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(405, 'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(400, request('/api/report?month=../../etc'))


def other_protocols():
    expect(400, b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    expect(400, b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + b'\0' * 500)
    expect(400, b'SSH-2.0-OpenSSH_9.2\r\n')
    expect(405, b'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello')
    expect(405, b'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n')
    expect(400, b'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello')
    expect(400, b'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')


def aborted_streams():
    for number in range(400):
        client = connect()
        client.sendall(request('/events?since_seq=0' if number % 2 else '/events'))
        if number % 3:
            client.recv(100)
        if number % 5 == 0:
            # A reset instead of an orderly end.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\x01\0\0\0\0\0\0\0')
        client.close()


def reports():
    clients = [connect() for _ in range(40)]
    for client in clients:
        client.sendall(request('/api/report', 'Connection: close\r\n'))
    got = [statuses(read_all(client)) for client in clients]
    # One at a time is made, which finds that this machine has no probe.
    assert [404] in got and [429] in got and all(x in ([404], [429]) for x in got), f'{got}'
    for client in clients:
        client.close()


def idle_handshakes():
    """Connections at the port for other machines that never speak, or no TLS: one host has 16."""
    clients = []
    for _ in range(200):
        try:
            clients.append(connect(TLS_PORT))
        except ConnectionResetError:
            # One beyond the connections of a host.
            pass
    for number, client in enumerate(clients):
        try:
            if number % 2:
                client.sendall(b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
        except OSError:
            pass
    for client in clients:
        client.close()


def over_tls():
    """After all that: a client with the password, and some without."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def answer(password):
        credentials = base64.b64encode(f'alice:{password}'.encode()).decode()
        with context.wrap_socket(connect(TLS_PORT)) as client:
            client.sendall(request('/metrics', f'Authorization: Basic {credentials}\r\nConnection: close\r\n'))
            return statuses(read_all(client))

    end = time.monotonic() + 20
    got = []
    while got != [200] and time.monotonic() < end:
        try:
            got = answer('secret')
        except OSError:
            time.sleep(0.2)
    assert got == [200], f'{got}'
    guesses = [answer(str(number)) for number in range(12)]
    assert guesses == [[401]] * 10 + [[429]] * 2, f'{guesses}'
    assert answer('secret') == [200]


resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
thread = threading.Thread(target=means_well)
thread.start()
for kind in [slow_head, huge_head, pipelining, unread_answers, bad_host, foreign_origin, path_tricks, other_protocols,
             aborted_streams, reports, idle_handshakes, over_tls, many_connections]:
    if kind is many_connections:
        stop.set()
        thread.join()
    try:
        kind()
        print(f'{kind.__name__} ok', flush=True)
    except (AssertionError, OSError) as error:
        print(f'{kind.__name__} {error!r}', flush=True)
with open(f'/proc/{PROCESS}/status') as file:
    memory = int(re.search(r'VmRSS:\s*(\d+)', file.read()).group(1))
print(json.dumps({'longest': round(patient['longest'] * 1000), 'answers': patient['answers'],
                  'failures': patient['failures'][:5], 'memory': memory}), flush=True)
