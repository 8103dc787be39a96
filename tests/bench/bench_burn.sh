# SPDX-License-Identifier: GPL-2.0-or-later
# The burn: how much of the multiply-adds that registers allow, sampled in the
# same run, the load reaches with every result verified.  BENCH_SECONDS=60.
# Called by run.sh.
set -u
. "$top_srcdir/tests/bench/lib.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# burn FIGURE OPTION...: the end of a burn in words; its report is for the table.
burn() {
	bench_watch "$work/then"
	"$TT_SMI" -b host -dur "$seconds" --report "$work/report" "$@" | sed -n '/GFLOP.*blocks/,$p; /^  memory/p'
	bench_seen "$work/then"
}
# figure FIGURE KEY: the first of this name in the report, or why there is none.
figure() {
	value=$(sed -n "s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$work/report" | head -n 1)
	why=$(sed -n 's/^ *"\(peak\|ceiling\)_unknown": "\(.*\)",*$/\2/p' "$work/report" | head -n 1)
	[ -n "$value" ] || world=${why:-not in the report}
	bench_figure "$1" "$value" "$world"
}
seconds=${BENCH_SECONDS:-60}
for dtype in float32 bfloat16; do
	for kind in conv matmul; do
		echo "$kind, $dtype, $seconds s, all processors"
		burn --workload "$kind" --dtype "$dtype"
		figure "burn.$kind.$dtype" peak_percent
	done
done
# Memory: ours beside the least that can be done, sampled in the same run, and two testers.
size=${BENCH_MIB:-1024}
echo "memory, $size MiB, $seconds s, all processors"
burn --workload memory --size "${size}M"
figure burn.memory ceiling_percent
figure burn.memory.random random_ceiling_percent
if command -v stressapptest >/dev/null 2>&1; then
	stressapptest -M "$size" -m "$(nproc)" -s "$seconds" -W |
		awk '/Stats: Completed/ { printf "stressapptest: %.2f GB/s verified (half of its own count: %s)\n",
			$3 / ($5 + 0) / 1000 / 2, $0 }'
else
	echo "skipped: stressapptest is not installed"
fi
if command -v memtester >/dev/null 2>&1; then
	# A loop of it writes and compares some hundred times: counted is one random test.
	begin=$(date +%s.%N)
	MEMTESTER_TEST_MASK=1 memtester "${size}M" 1 >/dev/null 2>&1
	awk -v b="$begin" -v e="$(date +%s.%N)" -v mib="$size" 'BEGIN {
		printf "memtester, one process, its address test and random values: %.2f s for %d MiB\n", e - b, mib }'
else
	echo "skipped: memtester is not installed"
fi
if command -v stress-ng >/dev/null 2>&1; then
	stress-ng --matrix "$(nproc)" --matrix-method prod --matrix-size 256 --metrics-brief -t "$seconds" 2>&1 |
		awk '$4 == "matrix" && $5 + 0 > 0 && $6 + 0 > 0 { printf "stress-ng, all processors, matrix product of 256: %.2f GFLOP/s\n",
			$5 * 2 * 256 ^ 3 / $6 / 1e9 }'
else
	echo "skipped: stress-ng is not installed"
fi
