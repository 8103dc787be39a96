# SPDX-License-Identifier: GPL-2.0-or-later
"""http_get.py ADDRESS:PORT|PATH REQUEST-LINE: one request as it stands; prints all of the answer."""
import socket
import sys

where, line = sys.argv[1:]
if "/" in where:
    s = socket.socket(socket.AF_UNIX)
    s.connect(where)
else:
    host, port = where.rsplit(":", 1)
    s = socket.create_connection((host.strip("[]"), int(port)))
s.settimeout(60)
s.sendall((line + "\r\nHost: x\r\n\r\n").encode())
answer = b""
while True:
    part = s.recv(65536)
    if not part:
        break
    answer += part
sys.stdout.write(answer.decode().replace("\r", ""))
