# SPDX-License-Identifier: GPL-2.0-or-later
# make bench's table by canned samples: goals stand beside figures, what falls short is marked, and
# what was sampled on a busy machine is not printed.
. "$top_srcdir/tests/rig/lib.sh"

has() { check "$2" grep -qE -e "$1" "$out"; }	# by a regular expression
quiet='cpus=2 wall=10.00 own=19.500 busy=19.90 steal=0.00 waited=0.300'
table() {	# kind name: of the figures in the file
	run awk -v kind="$1" -f "$top_srcdir/tests/bench/table.awk" "$top_srcdir/tests/bench/goals.tsv" figures
	rc_is 0 "a table is made: $2"
}

printf 'conv-f.1.mean\t1.50\t%s\nconv-f.1.least\t1.17\t%s\nnvtop.s\t0.92\t%s\n' "$quiet" "$quiet" "$quiet" >figures
table half "of a quiet machine"
has '^conv2d float32, one thread, over the best peer  *1\.50 x  *>= 1\.15$' "a figure and its goal"
has '^-s of two recorded boards, .*  *0\.92 x  *<= 1\.00$' "less is better where the goal says so"
out_lacks 'SHORT' "nothing falls short"
out_has '0 short of the goal, 0 not known' "and the last line counts"

printf 'conv-f.1.mean\t1.20\t%s\nnvtop.s\t1.32\t%s\nburn.conv.float32\t96.5\t%s\n' "$quiet" "$quiet" "$quiet" >figures
table halves "of what is slow"
has 'over the best peer  *1\.20 x  *>= 1\.25  SHORT$' "less than the goal of this kind of processor is marked"
has '1\.32 x  *<= 1\.00  SHORT$' "so is more than it"
has 'conv2d float32, all verified, of the peak  *96\.5 %  *>= 97  SHORT$' "and a share"
out_has '3 short of the goal' "and counted"
printf 'conv-f.1.mean\t1.20\t%s\n' "$quiet" >figures
table half "of the same on another kind"
out_lacks 'SHORT' "another kind of processor has another goal"
printf 'conv-f.1.mean\t0.20\t%s\n' "$quiet" >figures
table unheard-of "of an unknown kind"
has '0\.20 x  *-$' "a kind that nobody has measured has none"

busy() {	# world reason
	printf 'conv-f.1.mean\t1.50\t%s\n' "$1" >figures
	table half "of a busy machine: $2"
	has "over the best peer  *- x  *>= 1\\.15  $2\$" "no ratio, and why: $2"
	out_lacks '1\.50' "the ratio is nowhere: $2"
	out_has '0 short of the goal, 1 not known' "it is not called short: $2"
}
busy 'cpus=2 wall=10.00 own=9.900 busy=19.90 steal=0.00 waited=0.300' 'busy: others had 50 % of the processors'
busy 'cpus=2 wall=10.00 own=9.900 busy=9.90 steal=1.00 waited=0.300' 'busy: the hypervisor took 5 % of the processors'
busy 'cpus=2 wall=10.00 own=9.900 busy=9.90 steal=0.00 waited=4.000' 'busy: work waited for a processor 40 % of the time'
busy 'nobody looked' 'it is not known what else ran'

# Samples that were judged one by one are no worse for what else ran.
printf 'conv-f.1.mean\t1.50\tjudged, 15 rows of 15\nconv-b.1.least\t1.05\tjudged, 12 rows of 15\n' >figures
table tiles "of samples that were judged"
has 'over the best peer  *1\.50 x  *>= 1\.15$' "a ratio of all rows"
has 'bfloat16, one thread: the least case  *1\.05 x  *>= 1\.10  SHORT, 12 rows of 15$' "rows that are missing are said"

printf 'nvtop.s\t-\tno nvtop\n' >figures
table half "without a peer"
has '  *- x  *<= 1\.00  no nvtop$' "a peer that is missing is the reason"

# What lib.sh writes is what the table reads, on any machine.
run sh -c 'FIGURES=$PWD/own; . "$top_srcdir/tests/bench/lib.sh"; bench_watch then
	sh -c "i=0; while [ \$i -lt 200000 ]; do i=\$((i + 1)); done"
	bench_seen then; echo "$world"; bench_figure nvtop.s 0.5 "$world"; bench_figure reset.1 "" "no cards"'
has '^cpus=[0-9]* wall=[0-9.]* own=[0-9.]* busy=[0-9.]* steal=[0-9.]* waited=[0-9.]*$' "the world of a sample"
has ' own=([1-9]|0\.0[1-9]|0\.[1-9])' "with the processor time of what was measured"
mv own figures
table half "of that"
has '  *- ms  *<= 50  no cards$' "a figure that could not be had"
check "each goal has a number in each column, or none" \
	awk -F'\t' '!/^#/ { for (i = 3; i <= 8; i++) if ($i !~ /^([<>]=[0-9.]+|-)$/) exit 1 } !/^#/ && NF != 9 { exit 1 }' \
	"$top_srcdir/tests/bench/goals.tsv"

done_testing
