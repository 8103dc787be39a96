# SPDX-License-Identifier: GPL-2.0-or-later
"""cost.py - what a hostile input costs: memory and processor time of a target of the fuzzer that
gets one file, four times as long in the second run.  A parser passes if memory grows by at most
MOST bytes for each byte of input, and time in proportion; twice that is left for noise,
where quadratic time would be four times that.

Usage: cost.py FOLDER-OF-TARGETS FOLDER-OF-CORPUS; prints TAP."""
import io
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zlib

MIB = 1 << 20
targets, corpus = sys.argv[1:]
with open(os.path.join(targets, "fuzz_load"), "rb") as program:
    # Around each block AddressSanitizer keeps as much again.
    MOST = 128 if b"__asan_init" in program.read() else 64


def repeat(head, unit, tail=b""):
    """Of this size: the unit again and again, with %d as its number."""
    def make(size):
        room = size - len(head) - len(tail)
        if b"%d" not in unit:
            return head + unit * (room // len(unit)) + tail
        parts, n = [], 0
        while room > 0:
            parts.append(unit.replace(b"%d", b"%d" % n))
            room -= len(parts[-1])
            n += 1
        return head + b"".join(parts[:-1]) + tail
    return make


def zip_of(files):
    body, directory = b"", b""
    for name, data in files:
        crc = zlib.crc32(data)
        head = struct.pack("<5H3I2H", 20, 0, 0, 0, 0, crc, len(data), len(data), len(name), 0)
        directory += b"PK\1\2\x14\0" + head + struct.pack("<3H2I", 0, 0, 0, 0, len(body)) + name
        body += b"PK\3\4" + head + name + data
    return body + directory + b"PK\5\6" + struct.pack("<4H2IH", 0, 0, len(files), len(files),
                                                      len(directory), len(body), 0)


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s


def pickle(unit, storage=4):
    """A list of what the unit pushes; memo 0 is a tensor of `storage` bytes."""
    tensor = (b"ctorch._utils\n_rebuild_tensor_v2\n((" + text(b"storage") + b"ctorch\nByteStorage\n"
              + text(b"0") + text(b"cpu") + b"J" + struct.pack("<i", storage) + b"tQK\0J"
              + struct.pack("<i", storage) + b"\x85K\1\x85\x89ccollections\nOrderedDict\n)RtRq\0")
    return repeat(b"\x80\2](" + tensor, unit, b"e.")


def tensors(make, storage=4):
    def both(size):
        return zip_of([(b"a/data.pkl", make(size - 400 - storage)), (b"a/data/0", bytes(storage))])
    return both


def views(size):
    """Half of it describes tensors, and each of them is all of the other half."""
    unit = (b"ctorch._utils\n_rebuild_tensor_v2\n((" + text(b"storage") + b"ctorch\nByteStorage\n"
            + text(b"0") + text(b"cpu") + b"J" + struct.pack("<i", size // 2) + b"tQK\0J"
            + struct.pack("<i", size // 2) + b"\x85K\1\x85\x89ccollections\nOrderedDict\n)RtR")
    return tensors(repeat(b"\x80\2](", unit, b"e."), size // 2)(size)


def npy(size):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': ("
    head = head.ljust(min(size, 60000), b" ") + b"1,), }\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head


def targets_of_report(size):
    with open(os.path.join(corpus, "report/pass.json"), encoding="utf-8") as f:
        report = json.load(f)
    unit = json.dumps(dict(report["targets"][0], target="%d"))
    head, tail = json.dumps(dict(report, targets=[0])).split('"targets": [0]')
    return repeat((head + '"targets": [' + unit).encode(), ("," + unit).encode(),
                  ("]" + tail).encode())(size)


def errors_of_checkpoint(size):
    with open(os.path.join(corpus, "checkpoint/lines"), "rb") as f:
        return repeat(f.read(), b"error 0 0 0 0 0 0 0 0 0;output;ramp;scalar\n")(size)


def members(size):
    one = io.BytesIO()
    with tarfile.open(fileobj=one, mode="w") as t:
        t.addfile(tarfile.TarInfo("name"))
    return repeat(b"", one.getvalue()[:512], bytes(1024))(size)


DEVICE = (b"tt-smi recording 1\ndevice 0 0000:01:00.0 1e52:b140 1e52:0040 00 node 0 numa -1 local -1 "
          b"trouble 0 \n")
INPUTS = [  # target, size of the first run, what it has many of, its maker
    ("load", MIB, "numbers", repeat(b'{"device_info":[],"x":[0', b",0", b"]}")),
    ("load", MIB, "names", repeat(b'{"device_info":[{"smbus_telem":{"":0', b',"":0', b"}}]}")),
    ("load", MIB, "processes", repeat(b'{"device_info":[{}],"processes":[{}',
                                      b',{"device":0,"pid":1}', b"]}")),
    ("load", MIB, "lines before the object", repeat(b"", b" \n", b'{"device_info":[]}')),
    ("device_json", MIB, "shapes", repeat(b'{"version":"1","arch":"a","grid_size":[1,1],"chip_ids":'
     b'[0],"compiled_graph_state":{"ordered_input_shapes":[[1]', b",[]", b"]}}")),
    ("archive", MIB, "members", members),
    ("report", MIB, "numbers", repeat(b"[0", b",0", b"]")),
    ("report", MIB, "targets", targets_of_report),
    ("replay", MIB, "samples", repeat(DEVICE, b"look 0\nend\n")),
    ("replay", MIB, "accesses", repeat(DEVICE + b"look 0\n", b"acquire =\n", b"end\n")),
    ("replay", MIB, "holders", repeat(DEVICE + b"holders 0 =", b" 1", b"\n")),
    ("tensors", MIB, "names of one tensor", tensors(pickle(b"h\0"))),
    ("tensors", MIB, "marks", tensors(repeat(b"\x80\2", b"(", b"."))),
    ("tensors", MIB, "tuples of one", tensors(repeat(b"\x80\2N", b"\x85", b"."))),
    ("tensors", MIB, "views of one storage", views),
    ("npy", MIB // 64, "blanks", npy),
    ("counters", MIB, "names", repeat(b"tt-smi counters 1 1\n", b"name 1 x\n", b"end 0\n")),
    ("counters", MIB, "records", repeat(b"tt-smi counters 1 1\n", b"at 1 1 -\nend 0\n")),
    ("roster", MIB, "chips", repeat(b"tt-smi roster 1\nhighest 1\n",
                                    b"0000:%d:00.0 0 a b c 0 0\n", b"end\n")),
    ("checkpoint", MIB, "errors", errors_of_checkpoint),
    ("kernel_log", MIB, "messages", repeat(b"", b"6,1,1,-;tenstorrent\n")),
    ("ipmi", MIB, "codes", repeat(b"\1Unable to send RAW command", b" rsp=0x")),
    ("cgroup", MIB, "lines", repeat(b"", b"0::/a/job_1/b\n")),
    ("conf", 16384, "keys", repeat(b"", b"k%d=1\n")),
    ("conf", 16384, "alerts", repeat(b"[alerts]\n", b"a%d=1\n")),
]


def cost(target, data):
    """Peak memory in bytes and processor time in s of one run; None if it fails."""
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        run = subprocess.run([os.path.join(targets, "fuzz_" + target), f.name],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    found = re.search(rb"# cost: (\d+) kB, (\d+) us", run.stdout)
    if run.returncode != 0 or not found:
        return None
    return int(found[1]) * 1024, int(found[2]) / 1e6


def main():
    for n, (target, size, what, make) in enumerate(INPUTS, 1):
        inputs = [make(size), make(4 * size)]
        nothing, once, four = cost(target, b"x"), cost(target, inputs[0]), cost(target, inputs[1])
        if not (nothing and once and four):
            print("not ok %d - %s: %s # it ended with an error" % (n, target, what))
            continue
        each = (four[0] - nothing[0]) / len(inputs[1])
        times = (four[1] - nothing[1]) / max(once[1] - nothing[1], 0.02)
        good = each <= MOST and times <= 8
        print("%sok %d - %s: %s # %.1f MB: %.0f bytes each (at most %d), %.2f s, %.1f times"
              % ("" if good else "not ", n, target, what, len(inputs[1]) / 1e6, each, MOST,
                 four[1], times), flush=True)
    print("1..%d" % len(INPUTS))


main()
