# SPDX-License-Identifier: GPL-2.0-or-later
# card_bound.py DIR CHANNELS PART: every result of a card, in bfloat16, is off by at most this part
# of the sum of its terms' magnitudes and half an ULP, as its metadata say.  Without NumPy.
import array
import math
import sys

folder, channels, part = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
terms = 9 * channels
assert 'at most %s of' % sys.argv[3] in open(folder + '/config.json').read()


def load(name):
    path = '%s/bfloat16/k%04d_ic%03d_%s.npy' % (folder, terms, channels, name)
    data = open(path, 'rb').read()
    values = array.array('f')
    values.frombytes(data[10 + int.from_bytes(data[8:10], 'little'):])
    return values


def check(got, row, column, bias):
    products = [x * y for x, y in zip(row, column)] + [bias]
    true, size = math.fsum(products), sum(map(abs, products))
    ulp = math.ldexp(1, math.frexp(got)[1] - 8)
    assert abs(got - true) <= part * size + ulp / 2, (got, true, size)


a, b, out = load('matmul_A'), load('matmul_B'), load('matmul_output')
columns = [b[j::32] for j in range(32)]
for i in range(0, 1024, 3):
    for j in range(32):
        check(out[32 * i + j], a[terms * i:terms * i + terms], columns[j], 0)

x, w, bias, out = (load('conv2d_' + n) for n in ('input', 'weight', 'bias', 'output'))
for p in range(0, 1024, 3):
    seen = [x[1024 * c + 32 * v + u] if 0 <= v < 32 and 0 <= u < 32 else 0 for c in range(channels)
            for v in range(p // 32 - 1, p // 32 + 2) for u in range(p % 32 - 1, p % 32 + 2)]
    for f in range(32):
        check(out[1024 * f + p], seen, w[terms * f:terms * f + terms], bias[f])
