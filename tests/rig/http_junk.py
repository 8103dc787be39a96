# SPDX-License-Identifier: GPL-2.0-or-later
"""http_junk.py PORT COUNT: what a port meets in the wild, then a good request that must be answered.

COUNT requests of random bytes, 200 that send a byte now and then, some that are closed half way,
one with a megabyte of header.  Fails where the good ones between them are not served.

http_junk.py PORT COUNT INTERVAL: the same against the clock, for make soak.  The slow ones send a
byte a second, and beside them all a good scraper asks 20 times a second.  Prints how long it
waited, and by how much the samples, one each INTERVAL seconds, were late at worst.
"""
import random
import re
import socket
import sys
import threading
import time

SLOW = 200
port, count = map(int, sys.argv[1:3])
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
    return answer


def junk(i):
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


def long_header():
    s = connect()
    send(s, b"GET /metrics HTTP/1.1\r\nX: " + b"x" * (1 << 20) + b"\r\n\r\n")
    answer = rest(s)
    assert b" 200 " not in answer[:20], answer[:200]


def be_slow(over):
    """A byte a second on each; one that was ended begins again."""
    slow = [connect() for _ in range(SLOW)]
    while not over.wait(1):
        for i, s in enumerate(slow):
            try:
                s.sendall(b"G")
            except OSError:
                s.close()
                slow[i] = connect()


def be_good(over, waits, stamps):
    while not over.wait(0.05):
        began = time.monotonic()
        answer = good()
        waits.append(time.monotonic() - began)
        found = re.search(rb"\ntt_smi_sample_timestamp_seconds (\S+)", answer)
        stamps.append(float(found[1]))


def storm(interval):
    over, waits, stamps = threading.Event(), [], []
    threads = [threading.Thread(target=be_slow, args=(over,)),
               threading.Thread(target=be_good, args=(over, waits, stamps))]
    for t in threads:
        t.start()
    for i in range(count):
        junk(i)
        if i % 1000 == 0:
            long_header()
    time.sleep(max(0, 12 - len(stamps) * 0.05))  # longer than a connection may live
    over.set()
    for t in threads:
        t.join()
    ticks = sorted(set(stamps))
    late = [(t - ticks[0]) % interval for t in ticks]
    late = [min(x, interval - x) for x in late]
    waits.sort()
    print(f"good {len(waits)} p50_ms {waits[len(waits) // 2] * 1e3:.2f} "
          f"p99_ms {waits[int(len(waits) * 0.99)] * 1e3:.2f} max_ms {waits[-1] * 1e3:.2f} "
          f"ticks {len(ticks)} of {round((ticks[-1] - ticks[0]) / interval) + 1} "
          f"late_ms {max(late) * 1e3:.1f}")


if len(sys.argv) > 3:
    storm(float(sys.argv[3]))
else:
    slow = [connect() for _ in range(SLOW)]
    for i in range(count):
        junk(i)
        if i % 10 == 0:
            send(slow[i // 10 % SLOW], b"G")
        if i % 100 == 0:
            good()
    long_header()
good()
