# SPDX-License-Identifier: GPL-2.0-or-later
# The live display leaves a Wormhole free to power down (tests/cli/cli_power.sh has
# the other modes): its intervals × a job that just ended, one that ends, one that
# runs, an idle board, on the simulated driver, which waits 5 s before it powers a board down.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"

u='LC_ALL=C.UTF-8 TERM=screen-256color'

logged() { grep -c "^$1 " log; }
live() {	# interval board
	start 150 36 "$u TT_SMI_SIM_LOG=$PWD/log" "-i $1 --sim $2"
	check "every $1 s, $2: the board is there" row ' 0 +n150 .* ok '
	send 2
}
over() {	# interval board
	send q; check "every $1 s, $2: q ends it" ended
	check "every $1 s, $2: no power-down was cancelled" test "$(logged cancelled)" -eq 0
	check "every $1 s, $2: no power was asked for" sh -c '! grep -Eq "^(power|open .* active)" log'
	check "every $1 s, $2: the node was opened in the end" test "$(logged open)" -gt 0
}

ended_or_ends() {	# interval board
	live "$1" "$2"
	check "every $1 s, $2: at full clock at first" row ' 0 +n150 .* 1000 '
	check "every $1 s, $2: and idle when the driver has powered it down" row ' 0 +n150 .* 500 '
	opens=$(logged open)
	check "every $1 s, $2: after which the node is opened again" reopened
	over "$1" "$2"
}
reopened() { until_true sh -c "grep -E '^(open|close)' log | tail -n 1 | grep -q ^open ||
	test \$(grep -c '^open ' log) -gt $opens"; }

running() {	# interval
	live "$1" n150:job
	check "every $1 s: a job keeps its clock" row ' 0 +n150 .* 1000 '
	over "$1" n150:job
}
idle() {	# interval
	live "$1" n150:job@9999
	check "every $1 s: an idle board stays idle" row ' 0 +n150 .* 500 '
	over "$1" n150:job@9999
}

n=0
for every in 0.05 0.1 0.5 2; do
	n=$((n + 1))
	in_parallel "ended-$n" ended_or_ends $every n150:job@0-0.000001	# before anybody looked
	in_parallel "ends-$n" ended_or_ends $every n150:job@0-2		# while it is looked at
	in_parallel "running-$n" running $every
	in_parallel "idle-$n" idle $every
done
collect
done_testing
