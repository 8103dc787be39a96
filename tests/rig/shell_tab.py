#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Types lines at a real shell on a terminal of its own, TAB and all.

    shell_tab.py SETUP SHELL ARG... <LINES

SETUP is a file of commands that the shell reads first; it has to define a function tt-smi that
writes its arguments into the file "got".  In LINES a TAB is the key.  Each line runs that function,
and its arguments are printed with "|" between them.  Exit 1 where none come within a minute.
"""
import os
import pty
import re
import select
import sys
import time

PATIENCE = 60
QUERY = re.compile(rb"\x1b\[0?c")	# fish 4 asks what kind of terminal this is, and waits


class Terminal:
    def __init__(self, argv):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(argv[0], argv)
        self.seen = b""

    def turn(self):
        """Take what the shell writes; False once it has ended."""
        if not select.select([self.fd], [], [], 0.02)[0]:
            return True
        try:
            new = os.read(self.fd, 65536)
        except OSError:
            return False
        for _ in QUERY.findall(new):
            os.write(self.fd, b"\x1b[?62c")
        self.seen = (self.seen + new)[-4000:]
        return bool(new)

    def send(self, text):
        os.write(self.fd, text.encode())

    def await_file(self, path):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not os.path.exists(path):
            if not self.turn():
                break
        return os.path.exists(path)


def main():
    setup, argv = sys.argv[1], sys.argv[2:]
    got = os.path.abspath("got")
    terminal = Terminal(argv)
    terminal.send(f". {os.path.abspath(setup)}\r")
    for line in ["tt-smi ready"] + [line.rstrip("\n") for line in sys.stdin]:
        terminal.send(line + "\r")
        if not terminal.await_file(got):
            print("the shell does not answer:", line, terminal.seen, sep="\n", file=sys.stderr)
            return 1
        with open(got, encoding="utf-8") as file:
            args = file.read().splitlines()
        os.remove(got)
        if line != "tt-smi ready":
            print("|".join(args), flush=True)
    terminal.send("exit\r")
    while terminal.turn():
        pass
    os.close(terminal.fd)
    os.waitpid(terminal.pid, 0)
    return 0


sys.exit(main())
