# SPDX-License-Identifier: GPL-2.0-or-later
# Dumps: rows a second, lateness beside the bare timer, processor time.
# Called by run.sh; BENCH_SECONDS for each run of the clock.
set -u
bench=$top_builddir/tests/bench/bench_dump
seconds=${BENCH_SECONDS:-5}
dir=$(mktemp -d ./bench-dump.XXXXXX) || exit 1
trap 'rm -rf "$dir"' EXIT
file=0_p150a_0000-01-00.0.csv

"$bench" rows "$dir/rows" 100000 2>&1
"$bench" book "$dir/rows" 2>&1
rm -rf "$dir/rows"
echo
printf '%-36s %10s %10s %10s %6s\n' "lateness in microseconds" p50 p99 max lost
for hz in 100 1000; do
	printf '%-36s ' "$hz Hz, clock_nanosleep alone"
	"$bench" timer $hz "$seconds"
	for n in 1 8 32; do
		printf '%-36s ' "$hz Hz, tt-smi -d, $n boards"
		"$TT_SMI" -d -dir "$dir/$hz-$n" -i "$(echo $hz | sed 's/^1000$/0.001/; s/^100$/0.01/')" \
			-dur "$seconds" --sim "$n*p150a" </dev/null 2>"$dir/err"
		"$bench" late "$dir/$hz-$n/$file" $hz
		sed -n 's/^tt-smi: \([0-9]* samples.*\) in [^,]*\(, .*\)/    \1\2/p' "$dir/err"
	done
done
echo
# A good card beside hung ones and the timer alone, in turn: medians of the rounds.
rounds=${BENCH_ROUNDS:-3}
hung() {	# hung cards: a round; an empty number is the timer
	if [ -z "$1" ]; then
		"$bench" timer 100 "$seconds" >>"$dir/of-timer"
		return
	fi
	rm -rf "$dir/hung"
	"$TT_SMI" -d -dir "$dir/hung" -i 0.01 -dur "$seconds" \
		--sim "p150a$([ "$1" = 0 ] || echo ",$1*p150a:slow")" </dev/null >/dev/null 2>&1
	"$bench" late "$dir/hung/$file" 100 >>"$dir/of-$1"
}
for _ in $(seq "$rounds"); do
	for n in "" 0 1 8 32; do
		hung "$n"
	done
done
medians() {	# file: of each column
	for column in 1 2 3 4; do
		awk -v c=$column '{ print $c }' "$1" | sort -n |
			awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
	done
}
printf '%-36s %10s %10s %10s %6s\n' "the same, in turn, $rounds rounds" p50 p99 max lost
for n in timer 0 1 8 32; do
	# shellcheck disable=SC2046
	printf '%-36s %10s %10s %10s %6s\n' \
		"100 Hz, $([ $n = timer ] && echo the timer alone || echo "a card beside $n hung ones")" \
		$(medians "$dir/of-$n")
done
echo
# The worker is killed at the end and never waited for: both are looked at while they live.
"$TT_SMI" -d --ndjson -i 0.1 -dur $((seconds + 1)) --sim '32*p150a' </dev/null >/dev/null 2>&1 &
pid=$!
sleep "$seconds"
ticks=0
for p in $pid $(cat /proc/$pid/task/$pid/children); do
	ticks=$((ticks + $(awk '{ print $14 + $15 }' "/proc/$p/stat")))
done
wait $pid
printf '%-36s %10s\n' "10 Hz, 32 boards: processor time" \
	"$(echo "$ticks $(getconf CLK_TCK) $seconds" | awk '{ printf "%.1f %%", 100 * $1 / $2 / $3 }')"
