# SPDX-License-Identifier: GPL-2.0-or-later
# The burn-in's kernels beside OpenBLAS, BLIS and oneDNN where they are
# installed, on one thread and on all; stress-ng's matrix product beside.
# BENCH_PARTS="conv narrow flat square" (or "conv-f conv-b ..."), BENCH_K the largest K.
# Called by run.sh.
set -u
rounds=${BENCH_ROUNDS:-9}
missing=0
for lib in libopenblas.so.0 libblis.so.4 libdnnl.so.2; do
	ldconfig -p 2>/dev/null | grep -q "$lib" || { echo "skipped: $lib is not installed"; missing=$((missing + 1)); }
done
echo "peers missing: $missing of 3"
for threads in ${BENCH_THREADS:-1 $(nproc)}; do
	# shellcheck disable=SC2086
	"$top_builddir/tests/bench/bench_burnin" "$threads" "$rounds" ${BENCH_PARTS:-}
	echo
done
if command -v stress-ng >/dev/null 2>&1; then
	stress-ng --matrix 1 --matrix-method prod --matrix-size 256 --metrics-brief -t 4 2>&1 |
		awk '$4 == "matrix" && $5 + 0 > 0 && $6 + 0 > 0 { printf "stress-ng, 1 worker, matrix product of 256: %.2f GFLOP/s\n",
			$5 * 2 * 256 ^ 3 / $6 / 1e9 }'
else
	echo "skipped: stress-ng is not installed"
fi
