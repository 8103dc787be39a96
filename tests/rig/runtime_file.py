# SPDX-License-Identifier: GPL-2.0-or-later
# runtime_file.py FOLDER VERSION NUMBER [PID=DRAM,L1,L1_SMALL,TRACE,CB@SECONDS...]: a file as the
# runtime publishes it in /dev/shm, below FOLDER.
import struct
import sys

folder, version, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3], 0)
data = bytearray(8576)
struct.pack_into("<I", data, 0, version)
struct.pack_into("<Q", data, 32, number)
if version >= 4:
    struct.pack_into("<I", data, 8536, 0x52454459)
for slot, entry in enumerate(sys.argv[4:]):
    pid, amounts = entry.split("=")
    amounts, seconds = amounts.split("@")
    struct.pack_into("<i4x6Q64s", data, 856 + 120 * slot, int(pid), *map(int, amounts.split(",")),
                     int(seconds) * 10**9, b"\x1b[2Jpython3")
with open(f"{folder}/tt_device_{number}_memory", "wb") as file:
    file.write(data)
