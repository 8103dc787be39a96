# SPDX-License-Identifier: GPL-2.0-or-later
# The burn: how much of the multiply-adds that registers allow, sampled in the
# same run, the load reaches with every result verified.  BENCH_SECONDS=60.
# Called by run.sh.
set -u
seconds=${BENCH_SECONDS:-60}
for dtype in float32 bfloat16; do
	for work in conv matmul; do
		echo "$work, $dtype, $seconds s, all processors"
		"$TT_SMI" -b host -dur "$seconds" --workload $work --dtype $dtype | tail -n 4
	done
done
if command -v stress-ng >/dev/null 2>&1; then
	stress-ng --matrix "$(nproc)" --matrix-method prod --matrix-size 256 --metrics-brief -t "$seconds" 2>&1 |
		awk '$4 == "matrix" && $5 + 0 > 0 && $6 + 0 > 0 { printf "stress-ng, all processors, matrix product of 256: %.2f GFLOP/s\n",
			$5 * 2 * 256 ^ 3 / $6 / 1e9 }'
else
	echo "skipped: stress-ng is not installed"
fi
