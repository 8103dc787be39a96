# SPDX-License-Identifier: GPL-2.0-or-later
# uninterruptible.py: a process in state D, as one that waits in the kernel for a card that does not answer.
import ctypes
import time

# The parent of a vfork() is kept by the kernel until the child, which shares its memory, ends.
if ctypes.CDLL(None).vfork() == 0:
    while True:
        time.sleep(1000)
