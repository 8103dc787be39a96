# SPDX-License-Identifier: GPL-2.0-or-later
"""http_crowd.py PORT SECONDS IDLE SLOW: of 127.0.0.2 idle connections and slow requests, each opened
again as soon as it is closed, and a scrape of 127.0.0.1 each second.  Prints how many scrapes there
were, how many were answered, and the longest time in ms; fails if one was not answered."""
import selectors, socket, sys, time

port, seconds, idle, slow = (int(word) for word in sys.argv[1:5])
request = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
crowd = selectors.DefaultSelector()


def join(is_slow):
    one = socket.socket()
    one.setblocking(False)
    one.bind(("127.0.0.2", 0))
    try:
        one.connect(("127.0.0.1", port))
    except BlockingIOError:
        pass
    crowd.register(one, selectors.EVENT_READ, [is_slow, 0])


def go_on(until):
    while time.monotonic() < until:
        for key, _ in crowd.select(0.05):
            try:
                gone = not key.fileobj.recv(65536)
            except OSError:
                gone = True
            if gone:
                crowd.unregister(key.fileobj)
                key.fileobj.close()
                join(key.data[0])


def send_slowly():
    for key in list(crowd.get_map().values()):
        if key.data[0]:
            try:
                key.fileobj.send(request[key.data[1] % 30:][:1])
                key.data[1] += 1
            except OSError:
                pass


def scrape():
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), 5) as one:
        one.sendall(request)
        text = b""
        while True:
            part = one.recv(65536)
            if not part:
                break
            text += part
    return b"tt_smi_up" in text, (time.monotonic() - began) * 1000


for n in range(idle + slow):
    join(n >= idle)
times, answered = [], 0
for n in range(seconds):
    go_on(time.monotonic() + 1)
    send_slowly()
    try:
        good, ms = scrape()
        answered += good
        times.append(ms)
    except OSError as error:
        print("scrape %d: %s" % (n, error))
times.sort()
print("%d scrapes, %d answered, p99 %.1f ms" %
    (seconds, answered, times[len(times) * 99 // 100] if times else -1))
sys.exit(answered != seconds)
