#!/usr/bin/env python3
# late_reader.py CODE WORDS COMMAND...: run a command whose output goes to a pipe that is full, and send
# it SIGINT once ./begun is there.  The pipe is read a second after ./report.json was written anew.  0:
# the command ended with CODE, and WORDS were in the output; 3: it ended before it had begun.
import os
import signal
import subprocess
import sys
import time

code, words, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]


def report():
    try:
        is_ = os.stat("report.json")
    except FileNotFoundError:
        return None
    return is_.st_ino, is_.st_mtime_ns


reader, writer = os.pipe()
os.set_blocking(writer, False)
try:
    while True:
        os.write(writer, b"x" * 512)
except BlockingIOError:
    pass
os.set_blocking(writer, True)
p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.DEVNULL)
os.close(writer)
while not os.path.exists("begun"):
    time.sleep(0.1)
before = report()
p.send_signal(signal.SIGINT)
while report() == before and p.poll() is None:
    time.sleep(0.1)
time.sleep(1)
text = os.fdopen(reader, "rb").read().lstrip(b"x").decode()
print(text)
ended = p.wait()
sys.exit(3 if report() == before or ended == 6 else ended != code or words not in text)
