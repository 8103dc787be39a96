#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of arrays without NumPy and torch, as those write them: make_tensors.py KIND FILE.
# "torch" uses torch itself: exit code 77 where it is not installed.
import collections
import io
import pickle
import random
import struct
import sys
import types
import zipfile

FORMATS = {"f4": "f", "f8": "d", "f2": "e", "i4": "i", "i8": "q", "u1": "B", "b1": "?"}
STORAGES = {"f4": "FloatStorage", "f8": "DoubleStorage", "f2": "HalfStorage", "i4": "IntStorage",
            "i8": "LongStorage", "u1": "ByteStorage", "bf": "BFloat16Storage"}


def values(n=8 * 64, seed=1):
    rng = random.Random(seed)
    return [struct.unpack("f", struct.pack("f", rng.gauss(0, 1)))[0] for _ in range(n)]


def npy(path, v, shape, kind="f4", descr=None, tail=b""):
    order = "|" if kind[1] == "1" else "<"
    head = f"{{'descr': '{descr or order + kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack(f"<{len(v)}{FORMATS[kind]}", *v) + tail)


# What torch.save() pickles, with classes of the same names.
torch = types.ModuleType("torch")
utils = types.ModuleType("torch._utils")
sys_modules = {"torch": torch, "torch._utils": utils}


def _rebuild_tensor_v2(*_):
    pass


_rebuild_tensor_v2.__module__ = "torch._utils"
_rebuild_tensor_v2.__qualname__ = "_rebuild_tensor_v2"
utils._rebuild_tensor_v2 = _rebuild_tensor_v2
for name in STORAGES.values():
    setattr(torch, name, type(name, (), {"__module__": "torch"}))


class Storage:
    def __init__(self, kind, key, v, numel=None):
        self.id = ("storage", getattr(torch, STORAGES[kind]), key, "cpu",
                   len(v) if numel is None else numel)
        if kind == "bf":
            self.bytes = b"".join(struct.pack("<f", x)[2:] for x in v)
        else:
            self.bytes = struct.pack(f"<{len(v)}{FORMATS[kind]}", *v)


class Tensor:
    def __init__(self, storage, shape, stride=None, offset=0):
        if stride is None:
            stride, n = [], 1
            for d in reversed(shape):
                stride.insert(0, n)
                n *= d
        self.args = (storage, offset, tuple(shape), tuple(stride), False,
                     collections.OrderedDict())

    def __reduce__(self):
        return _rebuild_tensor_v2, self.args


class Pickler(pickle._Pickler):
    def persistent_id(self, obj):
        return obj.id if isinstance(obj, Storage) else None


def dump(obj):
    sys.modules.update(sys_modules)
    to = io.BytesIO()
    Pickler(to, protocol=2).dump(obj)
    return to.getvalue()


class Stream(io.RawIOBase):
    """Not seekable: sizes stand after the data, as torch's writer has them."""
    def __init__(self, path):
        self.f = open(path, "wb")

    def writable(self):
        return True

    def write(self, b):
        return self.f.write(b)


def archive(path, program, storages, more=(), stream=True, folder="archive", method=0):
    with zipfile.ZipFile(Stream(path) if stream else path, "w", method) as z:
        def put(name, data, big=False):
            with z.open(zipfile.ZipInfo(f"{folder}/{name}"), "w", force_zip64=big) as f:
                f.write(data)
        z.compression = method
        if method:
            z.writestr(f"{folder}/data.pkl", program, method)
        else:
            put("data.pkl", program)
        put("byteorder", b"little")
        for s in storages:
            put(f"data/{s.id[2]}", s.bytes, big=not stream)
        put("version", b"3\n")
        for name, data in more:
            put(name, data)


def one(path, v, shape, kind="f4", **how):
    s = Storage(kind, "0", v)
    archive(path, dump(Tensor(s, shape)), [s], **how)


def patch(path, old, new, last=False):
    data = open(path, "rb").read()
    at = data.rfind(old) if last else data.find(old)
    assert at >= 0, old
    open(path, "wb").write(data[:at] + new + data[at + len(old):])


def evil(path):
    """A program that would run: the file it makes is what the test looks for."""
    program = b"cposix\nsystem\n(X\x0e\x00\x00\x00touch executedtR."
    archive(path, program, [])


V, SHAPE = values(), (8, 64)
HALF = Storage("f4", "0", V)


def changed(places, to):
    v = list(V)
    for i, at in enumerate(places):
        v[at] = to(v[at], i)
    return v


def state(path, names=("weight", "bias"), change=0.0):
    s = [Storage("f4", str(i), [x + change for x in values(12, i)]) for i in range(len(names))]
    d = collections.OrderedDict((n, Tensor(s[i], (3, 4))) for i, n in enumerate(names))
    d._metadata = collections.OrderedDict([("", {"version": 1})])
    archive(path, dump(d), s)


def views(path, n):
    s = Storage("f4", "0", values(25000))
    archive(path, dump({str(i): Tensor(s, (25000,)) for i in range(n)}), [s])


def bomb(path, shape, stride=None, numel=None):
    s = Storage("f4", "0", V, numel)
    archive(path, dump(Tensor(s, shape, stride)), [s])


def overlap(path):
    one(path, V, SHAPE, stream=False)
    data = bytearray(open(path, "rb").read())
    entries, at = [], data.find(b"PK\1\2")
    while data[at:at + 4] == b"PK\1\2":
        entries.append(at)
        n, x, c = struct.unpack_from("<3H", data, at + 28)
        at += 46 + n + x + c
    # The pickle becomes as long as all that follows it.
    struct.pack_into("<2I", data, entries[0] + 20, 400, 400)
    open(path, "wb").write(data)


def real(path):
    try:
        sys.modules.pop("torch", None)
        import torch as real_torch
    except ImportError:
        sys.exit(77)
    real_torch.save({"a": real_torch.arange(12.).reshape(3, 4).t(),
                     "b": real_torch.ones(5, dtype=real_torch.bfloat16)}, path)


def row_lost(p):
    npy(p, changed(range(3 * 64, 4 * 64), lambda x, i: 0.0), SHAPE)


KINDS = {
    "npy": lambda p: npy(p, V, SHAPE),
    "npy-noise": lambda p: npy(p, [x * (1 + 1e-6) for x in V], SHAPE),
    "npy-garbage": lambda p: npy(p, changed(range(7, 512, 8), lambda x, i: x + 0.1 + 0.001 * i),
                                 SHAPE),
    "npy-row": row_lost,
    "npy-sign": lambda p: npy(p, changed([100], lambda x, i: -x), SHAPE),
    "npy-tiny-sign": lambda p: npy(p, changed([100], lambda x, i: 1e-4), SHAPE),
    "npy-tiny-noise": lambda p: npy(p, [x * (1 + 1e-7 * (i % 7)) * (-1 if i == 100 else 1)
        for i, x in enumerate(changed([100], lambda x, i: 1e-4))], SHAPE),
    "npy-tiny": lambda p: npy(p, changed([100], lambda x, i: -1e-4), SHAPE),
    "npy-nan": lambda p: npy(p, changed([5], lambda x, i: float("nan")), SHAPE),
    "npy-shape": lambda p: npy(p, V, (64, 8)),
    "npy-f8": lambda p: npy(p, V, SHAPE, "f8"),
    "npy-f2": lambda p: npy(p, V, SHAPE, "f2"),
    "npy-i8": lambda p: npy(p, list(range(512)), SHAPE, "i8"),
    "npy-i8-huge": lambda p: npy(p, [2 ** 53 + 1] * 512, SHAPE, "i8"),
    "npy-empty": lambda p: npy(p, [], (0, 4)),
    "npy-object": lambda p: npy(p, V, SHAPE, descr="|O"),
    "npy-long": lambda p: npy(p, V, SHAPE, tail=b"x"),
    "pt": lambda p: one(p, V, SHAPE),
    "pt-seekable": lambda p: one(p, V, SHAPE, stream=False, folder="my model"),
    "pt-bf16": lambda p: one(p, V, SHAPE, "bf"),
    "pt-transposed": lambda p: archive(p, dump(Tensor(
        Storage("f4", "0", [V[r * 64 + c] for c in range(64) for r in range(8)]), SHAPE, (1, 8))),
        [Storage("f4", "0", [V[r * 64 + c] for c in range(64) for r in range(8)])]),
    "pt-slice": lambda p: archive(p, dump(Tensor(Storage("f4", "0", [9.0] * 16 + V), SHAPE,
                                                 offset=16)), [Storage("f4", "0", [9.0] * 16 + V)]),
    "pt-state": state,
    "pt-state-off": lambda p: state(p, change=0.5),
    "pt-state-other": lambda p: state(p, ("weight", "gain")),
    "pt-list": lambda p: archive(p, dump([Tensor(HALF, SHAPE), Tensor(HALF, SHAPE)]), [HALF]),
    "pt-tied": lambda p: views(p, 50),
    "pt-views": lambda p: views(p, 1000),
    "pt-repeated": lambda p: archive(p, dump([Tensor(HALF, SHAPE)] * 9000), [HALF]),
    "pt-number": lambda p: archive(p, dump({"epoch": 3, "w": Tensor(HALF, SHAPE)}), [HALF]),
    "pt-evil": evil,
    "pt-protocol": lambda p: archive(p, pickle.dumps([1], 4), []),
    "pt-cut": lambda p: archive(p, dump(Tensor(HALF, SHAPE))[:-20], [HALF]),
    "pt-missing": lambda p: archive(p, dump(Tensor(HALF, SHAPE)), []),
    "pt-short": lambda p: archive(p, dump(Tensor(HALF, SHAPE)), [Storage("f4", "0", V[:-1])]),
    "pt-outside": lambda p: bomb(p, (9, 64)),
    "pt-expanded": lambda p: bomb(p, (1 << 40, 512), (0, 1)),
    "pt-wrap": lambda p: bomb(p, (1 << 33, 1 << 33), (1 << 33, 1 << 33)),
    "pt-path": lambda p: archive(p, dump(Tensor(Storage("f4", "../../../etc/passwd", V), SHAPE)),
                                 []),
    "pt-deflated": lambda p: one(p, V, SHAPE, stream=False, method=zipfile.ZIP_DEFLATED),
    "pt-twice": lambda p: archive(p, dump(Tensor(HALF, SHAPE)), [HALF, HALF]),
    "pt-overlap": overlap,
    "pt-big-endian": lambda p: (one(p, V, SHAPE), patch(p, b"little", b"big   ")),
    "pt-moved": lambda p: (one(p, V, SHAPE), patch(p, b"archive/data/0", b"archive/data/1")),
    "pt-tail": lambda p: (one(p, V, SHAPE), open(p, "ab").write(b"x")),
    "zip": lambda p: zipfile.ZipFile(p, "w").writestr("a.npy", "x"),
    "torch": real,
}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
