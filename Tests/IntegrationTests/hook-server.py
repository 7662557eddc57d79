#!/usr/bin/env python3
"""A server for webhooks: prints 'ready', then one JSON object a line for each request that it is sent.

    hook-server.py PORT SECRET STATUS...

It answers with each STATUS once, in their order, and with the last one from then on; 302 leads to /elsewhere. 'signed' tells
whether the signature is right by the Standard Webhooks specification: an HMAC-SHA256 of id, time and body.
"""
import base64
import hashlib
import hmac
import http.server
import json
import sys
import threading
import time

PORT, SECRET, STATUSES = int(sys.argv[1]), sys.argv[2].encode(), [int(word) for word in sys.argv[3:]]
TURN = threading.Lock()


def is_signed(headers, body):
    identity, when = headers.get('webhook-id', ''), headers.get('webhook-timestamp', '')
    content = f'{identity}.{when}.'.encode() + body
    wanted = 'v1,' + base64.b64encode(hmac.new(SECRET, content, hashlib.sha256).digest()).decode()
    return hmac.compare_digest(wanted, headers.get('webhook-signature', '')) and abs(time.time() - int(when)) < 60


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get('content-length', 0)))
        # One at a time: print writes a line and its end apart, and requests come at once.
        with TURN:
            status = STATUSES.pop(0) if len(STATUSES) > 1 else STATUSES[0]
            request = {
                'method': self.command, 'path': self.path, 'status': status, 'body': body.decode(),
                'headers': {name.lower(): value for name, value in self.headers.items()},
                'signed': is_signed(self.headers, body),
            }
            print(json.dumps(request), flush=True)
        self.send_response(status)
        if status == 302:
            self.send_header('Location', '/elsewhere')
        self.send_header('Content-Length', '0')
        self.end_headers()

    do_POST = do_PUT = do_GET = answer

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(('', PORT), Handler)
print('ready', flush=True)
server.serve_forever()
