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
PROMPT = b"shell> "


class Reader:
    """What comes from a descriptor; each word is looked for behind the last one found."""

    def __init__(self, fd):
        self.fd = fd
        self.text = b""
        self.seen = 0

    def until(self, *words):
        """All that comes until one of the words is there."""
        end = time.monotonic() + DEADLINE
        while not self.find(words):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                sys.exit("no %r in %r" % (words, self.text[self.seen:]))
            try:
                more = os.read(self.fd, 4096)
            except OSError:     # a terminal that was hung up
                more = b""
            if not more:
                return
            self.text += more

    def find(self, words):
        ends = [at + len(w) for w in words if (at := self.text.find(w, self.seen)) >= 0]
        self.seen = min(ends, default=self.seen)
        return bool(ends)


def to_one(command, name):
    """A signal to the process alone, in a session of its own."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             start_new_session=True)
    out = Reader(child.stdout.fileno())
    out.until(b"ready")
    child.send_signal(getattr(signal, "SIG" + name))
    report(out.text + child.stdout.read(), child.wait())


def report(text, code):
    sys.stdout.buffer.write(text.replace(b"\r", b""))
    print("\ncode %d" % code)


def on_terminal(command, keys):
    """Keys of a terminal, once the command is ready; the shell is the terminal's."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["PS1"] = PROMPT.decode()
        os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
    out = Reader(fd)
    out.until(PROMPT)
    shown = out.seen
    os.write(fd, (command + "; echo code $?\n").encode())
    out.until(b"\nready", b"\rready")
    for key, word in keys:
        os.write(fd, key)
        out.until(word)
    os.write(fd, b"exit\n")
    sys.stdout.buffer.write(re.sub(b"\r", b"", out.text[shown:]))
    os.waitpid(pid, 0)


case, words = sys.argv[1], sys.argv[2:]
if case == "interrupt":
    on_terminal(words[0], [(b"\x03", PROMPT)])
elif case == "suspend":
    on_terminal(words[0], [(b"\x1a", PROMPT), (b"fg; echo code $?\n", PROMPT)])
elif case == "type":
    on_terminal(words[0], [(b"typed\n", PROMPT)])
else:
    to_one(words, case)
