# SPDX-License-Identifier: GPL-2.0-or-later
"""http_junk.py PORT COUNT: what a port meets in the wild, then a good request that must be answered.

COUNT requests of random bytes, 200 that send a byte now and then, some that are closed half way,
one with a megabyte of header.  Fails where the good ones between them are not served.
"""
import random
import socket
import sys

port, count = map(int, sys.argv[1:])
rng = random.Random(27)


def connect():
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(60)
    return s


def rest(s):
    """All that still comes; a connection that is reset has ended as well."""
    answer = b""
    try:
        while part := s.recv(65536):
            answer += part
    except ConnectionError:
        pass
    s.close()
    return answer


def send(s, data):
    try:
        s.sendall(data)
    except ConnectionError:
        pass


def good():
    s = connect()
    send(s, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = rest(s)
    assert answer.startswith(b"HTTP/1.1 200 ") and b"tt_smi_up" in answer, answer[:200]


slow = [connect() for _ in range(200)]
for i in range(count):
    s = connect()
    kind = i % 4
    if kind == 0:
        send(s, rng.randbytes(rng.randrange(1, 400)))
    elif kind == 1:
        send(s, b"GET " + rng.randbytes(40).hex().encode() + b" HTTP/1.1\r\n\r\n")
    elif kind == 2:
        send(s, b"POST /metrics HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n" + bytes(100))
    else:
        send(s, b"GET /metrics HTTP/1.1\r\n")
    if kind == 3 or rng.randrange(2):
        s.shutdown(socket.SHUT_WR)
    s.close()
    if i % 10 == 0:
        send(slow[i // 10 % 200], b"G")
    if i % 100 == 0:
        good()
s = connect()
send(s, b"GET /metrics HTTP/1.1\r\nX: " + b"x" * (1 << 20) + b"\r\n\r\n")
answer = rest(s)
assert b" 200 " not in answer[:20], answer[:200]
good()
