# SPDX-License-Identifier: GPL-2.0-or-later
"""A board-management host on loopback, which boots as its plan says.

mobo_server.py PLAN LOG: prints its port; PLAN holds lines "key value":
version, percent (so much more a question), exception (at this percentage), cut (close the
connection at this command), garbage, endless, mute, slow (2 s), fail (HTTP 500), redirect,
loris (a byte now and then), headers (without end), continue (100, without end), http2, huge (a length that is never
sent) at a command, escape (in the step's name), password."""
import base64
import json
import socketserver
import sys
import time
from http.server import BaseHTTPRequestHandler

plan_file, log_file = sys.argv[1:3]


def plan():
    with open(plan_file) as f:
        return dict(line.split(None, 1) for line in f.read().splitlines() if line.strip())


class Handler(BaseHTTPRequestHandler):
    percent = 0.0

    def log_message(self, *args):
        pass

    def answer(self, body, status=200):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_one(self, command, body):
        p = plan()
        with open(log_file, "a") as f:
            f.write(f"{self.command} {command} {body}\n")
        want = "admin:" + p.get("password", "admin")
        given = self.headers.get("Authorization", "")
        if given != "Basic " + base64.b64encode(want.encode()).decode():
            return self.answer({}, 401)
        if p.get("cut") == command:
            return self.connection.close()
        if p.get("mute") == command:
            return time.sleep(30)
        if p.get("slow") == command:
            time.sleep(2)
        if p.get("garbage") == command:
            return self.answer(b"\x00<html>{]\xff" * 50)
        if p.get("fail") == command:
            return self.answer({}, 500)
        if p.get("endless") == command:
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b'{"a":"' + b"x" * 4096)
        if p.get("redirect") == command:
            self.send_response(307)
            self.send_header("Location", "/elsewhere")
            return self.end_headers()
        if p.get("loris") == command:
            for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 1000:
                self.wfile.write(bytes([byte]))
                time.sleep(0.05)
        if p.get("headers") == command:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                self.wfile.write(b"X-Many: " + b"x" * 4000 + b"\r\n")
        if p.get("continue") == command:
            while True:
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if p.get("http2") == command:
            self.wfile.write(b"\0\0\x12\x04\0\0\0\0\0PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            return self.connection.close()
        if p.get("huge") == command:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{}")
            return time.sleep(30)
        if p.get("refuse") == command:
            return self.answer({"exception": "module 3 has no power\x1b[31m"})
        if command == "about":
            return self.answer({"version": p.get("version", "1.3.2")})
        if command == "boot":
            Handler.percent = 0.0
        if command == "boot/progress":
            Handler.percent = min(100.0, Handler.percent + float(p.get("percent", "50")))
            broken = Handler.percent >= float(p.get("exception", "1000"))
            step = "credo\x1b]0;owned\x07\u202e" if "escape" in p else "credo"
            return self.answer({"boot_percent": Handler.percent, "step": step,
                                "exception": "retimer 6:0 does not answer" if broken else None})
        return self.answer({"exception": None})

    def do_GET(self):
        self.handle_one(self.path[1:], "")

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        self.handle_one(self.path[1:], self.rfile.read(length).decode())


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True

    def handle_error(self, *args):
        pass


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
