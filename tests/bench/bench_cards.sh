# SPDX-License-Identifier: GPL-2.0-or-later
# What the burn of cards costs the host: processor time of all processes of the tool,
# but for the simulators, while simulated Blackholes burn on all of their cores.
# BENCH_CARDS="1 8 32" BENCH_SECONDS=20.  Called by run.sh.
set -u
seconds=${BENCH_SECONDS:-20}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/bh+calm@500.so" || exit 1

# Those that descend from process $1, and what each has used so far, in clock ticks.
processes() {
	ps -e -o pid=,ppid=,comm= | awk -v top="$1" '
		{ parent[$1] = $2; name[$1] = $3 }
		END {
			for (p in parent) {
				for (q = p; q in parent && q != top; q = parent[q])
					;
				if (q == top && name[p] != "ttsim")
					print p
			}
		}'
}
used() {
	for p in $(processes "$1"); do
		sed 's/.*) //' "/proc/$p/stat" 2>/dev/null
	done | awk '{ n += $12 + $13 } END { print n + 0 }'
}
ticks=$(getconf CLK_TCK)
for n in ${BENCH_CARDS:-1 8 32}; do
	"$TT_SMI" -b cards --ttsim "$n*$work/bh+calm@500.so" --no-reset --workload conv \
		-dur 3600 >"$work/out" 2>&1 </dev/null &
	pid=$!
	# Until all of them compute.
	until grep -q "^ *[0-9]* s .* $n card" "$work/out" && ! tail -n 1 "$work/out" | grep -q 'being loaded'; do
		kill -0 $pid 2>/dev/null || { cat "$work/out"; exit 1; }
		sleep 1
	done
	before=$(used $pid)
	sleep "$seconds"
	after=$(used $pid)
	kill -TERM $pid
	wait $pid
	awk -v n="$n" -v t=$((after - before)) -v hz="$ticks" -v s="$seconds" 'BEGIN {
		printf "%d cards of 140 cores: %.2f %% of a processor, %.3f %% a card\n",
			n, 100 * t / hz / s, 100 * t / hz / s / n }'
done
