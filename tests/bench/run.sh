# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: what the tool costs, peers side by side in one run.
#   BENCH_RUNS=50 BENCH_ONLY=start make bench	(start, look, or NAME of a bench_NAME.sh)
# Nothing here passes or fails: figures belong to one machine and one run.  At the end stands a table
# of those that have a goal (goals.tsv), with what falls short and what other work made worthless.
set -u
bench=$top_builddir/tests/bench
runs=${BENCH_RUNS:-30}
only=${BENCH_ONLY:-}
trees=$top_srcdir/tests/fixtures/sysfs
FIGURES=$(mktemp) || exit 1
export FIGURES
trap 'rm -f "$FIGURES" "$FIGURES.times"' EXIT
unset TT_VISIBLE_DEVICES TT_SMI_SIM TT_SMI_ROOT TT_SMI_REPLAY TT_SMI_LOAD TT_SMI_VIRTUAL_TIME

wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }

echo "machine: $(uname -srm), $(nproc) processors,$(sed -n 's/^model name.*://p' /proc/cpuinfo | head -n 1)"
[ -z "${TT_SMI_CPU_LEVEL:-}" ] || echo "limited to: $TT_SMI_CPU_LEVEL, ours and the peers"
echo "tool: $("$TT_SMI" -v), medians of $runs runs"
echo

if wanted start; then
	echo "Whole processes (ratio: to /bin/true; peak: of the largest process)"
	{
		printf '/bin/true\t/bin/true\n'
		printf 'tt-smi -v\t%s -v\n' "$TT_SMI"
		for n in 1 8 32 128; do
			printf 'tt-smi -ls, %s boards\t%s -ls --sim %s*p150a\n' $n "$TT_SMI" $n
			printf 'tt-smi -s, %s boards\t%s -s -f - --sim %s*p150a\n' $n "$TT_SMI" $n
		done
		for tree in "$trees"/*; do
			[ -d "$tree" ] || continue
			printf 'tt-smi -ls, %s tree\t%s -ls --root %s\n' "${tree##*/}" "$TT_SMI" "$tree"
			printf 'tt-smi -s, %s tree\t%s -s -f - --root %s\n' "${tree##*/}" "$TT_SMI" "$tree"
		done
	} | "$bench/measure" "$runs"
	echo
fi

if wanted look; then
	echo "One card, one sample, no process around it: processor time in microseconds"
	printf '%-28s %6s %12s\n' "" chips "us"
	for spec in p150a n150 e150 '8*p150a' '32*p150a' '128*p150a'; do
		"$bench/bench_sample" 500 sim "$spec"
	done
	for tree in "$trees"/*; do
		[ ! -d "$tree" ] || "$bench/bench_sample" 500 root "$tree"
	done
	echo
fi

for t in "$top_srcdir"/tests/bench/bench_*.sh; do
	[ -f "$t" ] || continue
	name=${t##*/bench_}
	wanted "${name%.sh}" || continue
	echo "== ${name%.sh}"
	sh "$t"
	echo
done

echo "== goals"
awk -v kind="$("$bench/bench_burnin" kind)" -f "$top_srcdir/tests/bench/table.awk" \
	"$top_srcdir/tests/bench/goals.tsv" "$FIGURES"
