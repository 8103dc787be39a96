# SPDX-License-Identifier: GPL-2.0-or-later
# What the test of a card's memory costs the host, beside memcpy() of the same memory.
# Called by run.sh.
set -u
"$top_builddir/tests/bench/bench_memory" "${BENCH_MIB:-64}"
