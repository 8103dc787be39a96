#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Reference data in the eyes of others: NumPy (arrays), SciPy (scipy), PyTorch (draws, torch-dir,
# torch-dir-plain).
# Exit code 0: agrees; 1: does not, and says where; 77: the library is missing or cannot do it, and
# says why.
import glob
import hashlib
import json
import os
import sys

def give_up(why):
    print(why)
    sys.exit(77)


try:
    import numpy as np
except ImportError:
    give_up("no python3-numpy")

TENSORS = {"conv2d": ["input", "weight", "bias"], "matmul": ["A", "B"]}


def sha(a):
    return hashlib.sha256(np.ascontiguousarray(a, "<f4").tobytes()).hexdigest()


def cases(top):
    for path in sorted(glob.glob(os.path.join(top, "*", "k*_metadata.json"))):
        stem = path[:-len("_metadata.json")]
        with open(path) as f:
            meta = json.load(f)
        data = {op: {n: np.load(f"{stem}_{op}_{n}.npy") for n in names + ["output"]}
                for op, names in TENSORS.items()}
        yield stem, meta, data


def convolve(x, w, b):
    """Padding, unfolding and a product in float64."""
    x = np.pad(x[0].astype("f8"), ((0, 0), (1, 1), (1, 1)))
    h, v = x.shape[1] - 2, x.shape[2] - 2
    rows = np.stack([x[:, i:i + h, j:j + v] for i in range(3) for j in range(3)], axis=1)
    out = w.astype("f8").reshape(w.shape[0], -1) @ rows.reshape(-1, h * v)
    return (out + b.astype("f8")[:, None]).reshape(1, w.shape[0], h, v)


def step(x, dtype):
    """The distance between neighbours of the type around x."""
    exponent = np.floor(np.log2(np.maximum(np.abs(x), 1e-30)))
    return 2.0 ** (exponent - (7 if dtype == "bfloat16" else 23))


def held_to(stem, op, got, exact, dtype):
    """Rounded once: half a step away at most, but for the order of the sum in float64."""
    terms = np.abs(exact).max() * 1e-13 * exact.size ** 0.5
    far = np.abs(got.astype("f8") - exact) - 0.5 * step(exact, dtype) - terms
    if far.max() > 0:
        sys.exit(f"{stem} {op}: {np.count_nonzero(far > 0)} results are not rounded to nearest")


def arrays(top, conv=convolve):
    n = 0
    for stem, meta, data in cases(top):
        dtype = os.path.basename(os.path.dirname(stem))
        for op, names in TENSORS.items():
            for name, a in data[op].items():
                if a.dtype != np.float32 or list(a.shape) != meta["shapes"][op][name]:
                    sys.exit(f"{stem} {op} {name}: {a.dtype} {a.shape}")
                if dtype == "bfloat16" and np.any(a.view(np.uint32) & 0xffff):
                    sys.exit(f"{stem} {op} {name}: not all of it is bfloat16")
            for name in names:
                if sha(data[op][name]) != meta["input_hashes"][op][name]:
                    sys.exit(f"{stem} {op} {name}: hash")
        c, m = data["conv2d"], data["matmul"]
        held_to(stem, "matmul", m["output"], m["A"].astype("f8") @ m["B"].astype("f8"), dtype)
        held_to(stem, "conv2d", c["output"], conv(c["input"], c["weight"], c["bias"]), dtype)
        n += 1
    print(n, "cases agree")
    return n == 0


def scipy(top):
    from scipy.signal import correlate

    def conv(x, w, b):
        x = np.pad(x[0].astype("f8"), ((0, 0), (1, 1), (1, 1)))
        return np.stack([correlate(x, f.astype("f8"), "valid", "direct")[0] + o
                         for f, o in zip(w, b.astype("f8"))])[None]
    return arrays(top, conv)


def drawn(ic):
    import torch
    k = ic * 9
    torch.manual_seed(42)
    return {"conv2d": {"input": torch.randn(1, ic, 32, 32), "weight": torch.randn(32, ic, 3, 3),
                       "bias": torch.randn(32)},
            "matmul": {"A": torch.randn(1024, k), "B": torch.randn(k, 32)}}


def draws(*lines):
    """Lines "float32 8 conv2d input HASH" on stdin are what PyTorch draws."""
    import torch
    if "NO AVX" in torch.__config__.show():
        give_up("PyTorch draws other bits without AVX2")
    n, have, ic = 0, None, 0
    for line in sys.stdin:
        dtype, channels, op, name, digest = line.split()
        if int(channels) != ic:
            ic = int(channels)
            have = drawn(ic)
        t = have[op][name]
        if dtype == "bfloat16":
            t = t.to(torch.bfloat16).float()
        if sha(t.numpy()) != digest:
            sys.exit("PyTorch draws something else: " + line)
        n += 1
    print(n, "tensors are equal")
    return n == 0


def torch_dir(top, *channels):
    """What a PyTorch script writes: its own outputs, the guide's files, no word of our rules."""
    import torch
    try:
        one = torch.ones(1, 16, 32, 32, dtype=torch.bfloat16)
        torch.nn.functional.conv2d(one, one[:, :, :3, :3].contiguous(), padding=1)
    except RuntimeError:
        give_up("ONEDNN_MAX_CPU_ISA keeps PyTorch from computing in bfloat16")
    for dtype in torch.float32, torch.bfloat16:
        folder = os.path.join(top, str(dtype)[6:])
        os.makedirs(folder)
        for ic in map(int, channels):
            t = {op: {n: x.to(dtype) for n, x in d.items()} for op, d in drawn(ic).items()}
            t["conv2d"]["output"] = torch.nn.functional.conv2d(
                t["conv2d"]["input"], t["conv2d"]["weight"], t["conv2d"]["bias"], padding=1)
            t["matmul"]["output"] = t["matmul"]["A"] @ t["matmul"]["B"]
            meta = {"shapes": {}, "dtypes": {}, "input_hashes": {}}
            stem = f"{folder}/k{ic * 9:04d}_ic{ic:03d}"
            for op in t:
                values = {n: x.float().numpy() for n, x in t[op].items()}
                for n, a in values.items():
                    np.save(f"{stem}_{op}_{n}.npy", a)
                meta["shapes"][op] = {n: list(a.shape) for n, a in values.items()}
                meta["dtypes"][op] = {n: str(x.dtype) for n, x in t[op].items()}
                meta["input_hashes"][op] = {n: sha(values[n]) for n in TENSORS[op]}
            with open(stem + "_metadata.json", "w") as f:
                json.dump(meta, f)
    return 0


def torch_dir_plain(top, *channels):
    """The same without oneDNN, as on a processor without AVX-512."""
    import torch
    with torch.backends.mkldnn.flags(enabled=False):
        return torch_dir(top, *channels)


def noise(path, out, sigma, factor="1"):
    """A result with noise or a factor."""
    a = np.load(path)
    r = np.random.default_rng(1).standard_normal(a.shape) * float(sigma) * a.std()
    np.save(out, (a * float(factor) + r).astype("f4"))
    return 0


try:
    sys.exit(globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:]))
except ImportError as missing:
    give_up(f"no python3-{missing.name}")
