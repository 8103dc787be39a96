# SPDX-License-Identifier: GPL-2.0-or-later
# during_tty.py CASE COMMAND...: run a command as a terminal or another program would, and do
# to it what the case says.  What the command printed goes to stdout, and "code N" after it.
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

DEADLINE = 60


def read_until(fd, words, text=b""):
    """All that comes until one of the words is there."""
    end = time.monotonic() + DEADLINE
    while not any(w in text for w in words):
        if not select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit("no %r in %r" % (words, text))
        try:
            more = os.read(fd, 4096)
        except OSError:     # a terminal that was hung up
            more = b""
        if not more:
            return text
        text += more
    return text


def to_one(command, name):
    """A signal to the process alone, in a session of its own."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             start_new_session=True)
    text = read_until(child.stdout.fileno(), [b"ready"])
    child.send_signal(getattr(signal, "SIG" + name))
    text += child.stdout.read()
    report(text, child.wait())


def report(text, code):
    sys.stdout.buffer.write(text.replace(b"\r", b""))
    print("\ncode %d" % code)


def on_terminal(command, keys):
    """Keys of a terminal, once the command is ready; the shell is the terminal's."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["PS1"] = "shell> "
        os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
    text = read_until(fd, [b"shell> "])
    os.write(fd, (command + "; echo code $?\n").encode())
    text = read_until(fd, [b"\nready", b"\rready"])
    for key, word in keys:
        os.write(fd, key)
        text += read_until(fd, [word])
    os.write(fd, b"exit\n")
    sys.stdout.buffer.write(re.sub(b"\r", b"", text))
    os.waitpid(pid, 0)


case, words = sys.argv[1], sys.argv[2:]
if case == "interrupt":
    on_terminal(words[0], [(b"\x03", b"code ")])
elif case == "suspend":
    on_terminal(words[0], [(b"\x1a", b"Stopped"), (b"fg\n", b"went on"), (b"\n", b"code ")])
elif case == "type":
    on_terminal(words[0], [(b"typed\n", b"got typed"), (b"\n", b"code ")])
else:
    to_one(words, case)
