#!/usr/bin/env python3
"""Clients of both sockets that take what they can get: 20 kinds, one thread each.

It prints 'ready' when all of them are connected, and ends with a line on its standard input, after a line 'NAME COUNT' for each kind.

    greedy-clients.py EVENTS CONTROL [USER]       all kinds, as a user if one is given
    greedy-clients.py --idle COUNT CONTROL USER   so many connections that never ask, kept
"""
import json
import os
import resource
import socket
import sys
import threading

MARKS = '\u0301\u0323'
counts = {}
connected = threading.Semaphore(0)
this_thread = threading.local()
stop = threading.Event()


def connect(path, timeout=5.0):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # With a time-out it would not wait in the kernel for its turn to be accepted.
    client.connect(path)
    client.settimeout(timeout)
    if not getattr(this_thread, 'is_connected', False):
        this_thread.is_connected = True
        connected.release()
    return client


def line(method, more=False, **parameters):
    request = {'method': method, 'parameters': parameters}
    if more:
        request['more'] = True
    return json.dumps(request, ensure_ascii=False).encode() + b'\n'


def read_line(client):
    data = b''
    while not data.endswith(b'\n'):
        part = client.recv(1 << 16)
        if not part:
            break
        data += part
    return data


def ask(path, *requests):
    """Sends requests on a connection of its own, and reads as many replies."""
    with connect(path) as client:
        for request in requests:
            client.sendall(request)
            read_line(client)


def push(client, data):
    """Sends as much as goes, without reading anything."""
    client.settimeout(0.1)
    client.sendall(data)


def keep(clients, most=8):
    while len(clients) > most:
        clients.pop(0).close()


def half_lines(events, control, kept):
    kept.append(connect(control))
    push(kept[-1], b'{"method":"' + b'x' * 60000)
    keep(kept)


def drips(events, control, kept):
    if not kept:
        kept.append(connect(control))
    kept[0].send(b' ')


def lines_without_an_end(events, control, kept):
    with connect(control) as client:
        for _ in range(16):
            push(client, b'x' * 65536)


def floods_of_status(events, control, kept):
    with connect(control) as client:
        client.sendall(line('status') * 50)
        for _ in range(50):
            if not read_line(client):
                break


def floods_without_reading(events, control, kept):
    kept.append(connect(control))
    keep(kept)
    for _ in range(64):
        push(kept[-1], line('status') * 100)


def lists_of_subscribers(events, control, kept):
    ask(control, line('subscribers'), line('hooks'), line('subscribers'))


def combining_marks(events, control, kept):
    ask(control, ('{"' + MARKS * 15000 + '":1}\n').encode(), line(MARKS * 15000), line('probe', name=MARKS * 15000))


def many_keys(events, control, kept):
    ask(control, line('status', **{f'k{number}': 0 for number in range(6000)}))


def deep_nesting(events, control, kept):
    ask(control, b'{"method":"status","parameters":' + b'{"a":' * 12000 + b'\n', b'[' * 65000 + b'\n')


def requests_for_checks(events, control, kept):
    ask(control, *[line('probe')] * 20)


def requests_to_reload(events, control, kept):
    with connect(control) as client:
        client.sendall(line('reload') * 20)
        for _ in range(20):
            read_line(client)


def subscribers_that_never_read(events, control, kept):
    kept.append(connect(control))
    push(kept[-1], line('subscribe', more=True, types=['*']))
    kept.append(connect(events))
    keep(kept, 16)


def comes_and_goes(events, control, kept):
    connect(events).close()
    connect(control).close()


def goes_before_the_reply(events, control, kept):
    with connect(control) as client:
        push(client, line('status') * 10)


def huge_filters(events, control, kept):
    # DEL is valid in JSON, and shown as seven characters.
    subjects = ['\x7f' * 250 + f'{number:03}' for number in range(64)]
    types = ['reachagent.probe.*', 'reachagent.uplink.*'] * 32
    kept.append(connect(control))
    kept[-1].sendall(line('subscribe', more=True, subjects=subjects, types=types))
    assert b'invalid_parameters' not in read_line(kept[-1])
    keep(kept)


def replays_from_the_start(events, control, kept):
    with connect(control) as client:
        client.sendall(line('subscribe', more=True, since_seq=0))
        client.settimeout(0.2)
        while client.recv(1 << 16):
            pass


def replays_without_reading(events, control, kept):
    kept.append(connect(control))
    push(kept[-1], line('subscribe', more=True, since_seq=0))
    keep(kept)


def garbage_for_the_stream(events, control, kept):
    with connect(events) as client:
        for _ in range(8):
            push(client, b'\x00\xff\n' * 20000)


def garbage_behind_a_subscription(events, control, kept):
    with connect(control) as client:
        push(client, line('subscribe', more=True) + b'{"method":"status"}\n' * 5000)


def bytes_that_are_no_text(events, control, kept):
    ask(control, b'\xff' * 65000 + b'\n', b'\x9b' * 65000 + b'\n', b'"' * 65000 + b'\n')


KINDS = [
    half_lines, drips, lines_without_an_end, floods_of_status, floods_without_reading, lists_of_subscribers,
    combining_marks, many_keys, deep_nesting, requests_for_checks, requests_to_reload, subscribers_that_never_read,
    comes_and_goes, goes_before_the_reply, huge_filters, replays_from_the_start, replays_without_reading,
    garbage_for_the_stream, garbage_behind_a_subscription, bytes_that_are_no_text,
]


def repeat(kind, events, control):
    kept = []
    counts[kind.__name__] = 0
    while not stop.is_set():
        try:
            kind(events, control, kept)
        except (OSError, TimeoutError):
            # Cut off, refused, or not read from: that is the agent's right.
            if kept:
                kept.pop().close()
        counts[kind.__name__] += 1


def become(user):
    os.setgroups([])
    os.setgid(0)
    os.setuid(user)


def idle(count, control, user):
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 64, count + 64))
    become(user)
    clients, refused = [], 0
    for _ in range(count):
        client = connect(control)
        client.setblocking(False)
        clients.append(client)
    # Whoever is refused is told so at once, and the last one after all others.
    try:
        clients[-1].settimeout(10)
        clients[-1].recv(1, socket.MSG_PEEK)
    except OSError:
        pass
    clients[-1].setblocking(False)
    for client in clients:
        try:
            refused += b'too_many_user_connections' in client.recv(1 << 16)
        except OSError:
            pass
    print(f'ready {count - refused} {refused}', flush=True)
    sys.stdin.readline()


def main():
    arguments = sys.argv[1:]
    if arguments[0] == '--idle':
        return idle(int(arguments[1]), arguments[2], int(arguments[3]))
    events, control = arguments[:2]
    if len(arguments) > 2:
        become(int(arguments[2]))
    threads = [threading.Thread(target=repeat, args=(kind, events, control), daemon=True) for kind in KINDS]
    for thread in threads:
        thread.start()
    # Their first round may take long: twenty reloads, one after the other, on a busy machine.
    for _ in threads:
        connected.acquire()
    print('ready', flush=True)
    sys.stdin.readline()
    stop.set()
    for thread in threads:
        thread.join(10)
    for name, count in counts.items():
        print(name, count, flush=True)
    os._exit(0)


main()
