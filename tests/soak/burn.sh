# SPDX-License-Identifier: GPL-2.0-or-later
# A thousand bits (BURN_FLIPS) flipped in each part of a running burn that the unit tests can
# reach: none is missed, and the counts by outcome are printed.  Then an hour of all processors
# (BURN_SECONDS=3600).  make soak.
. "$top_srcdir/tests/rig/lib.sh"

BURN_FLIPS=${BURN_FLIPS:-1000}
export BURN_FLIPS
flips() {	# program name
	if [ ! -x "$top_builddir/tests/unit/$1" ]; then
		skip "$2" "tests/unit/$1 is not built here"
		return
	fi
	run "$top_builddir/tests/unit/$1"
	rc_is 0 "$2"
	grep -E '^# [0-9]+ flips|# SKIP' "$out"
}
flips test_burn "$BURN_FLIPS flipped bits of the load's data are found and named"
flips test_burn_memory "and $BURN_FLIPS of the memory under test"
flips test_burn_flips "$BURN_FLIPS anywhere in the load and what it shares, and $BURN_FLIPS in the tool, pass no wrong result"
# The one bit that says that a load was started: what nobody judged has not passed.
forgotten() {	# function, expression, words of the burn...
	in=$1 bit=$2
	shift 2
	tt-smi -b "$@" >burn.out 2>&1 </dev/null &
	pid=$!
	timeout 60 gdb -q -batch -p "$pid" -ex "break $in" -ex continue -ex "set var $bit = 0" \
		-ex delete -ex detach >gdb.out 2>&1
	wait "$pid"
	rc=$?
	cp burn.out "$out"
	rc_is 1 "$*: a load that the tool has forgotten is no PASS"
	out_has 'INCOMPLETE: nothing of it was judged' "$*: and that is said"
}
if command -v gdb >/dev/null 2>&1; then
	forgotten burn_watch '((struct burnin_run *)((char *)b - (long)&((struct burnin_run *)0)->burn))->burns' \
		host -dur 4 --threads 1
	forgotten burnin_cards_watch 'r->facts.targets[0].card->started' \
		0 -dur 4 --no-reset --sim p150a
else
	skip "a load that the tool has forgotten" "gdb is not installed"
fi
run tt-smi -b host -dur "${BURN_SECONDS:-3600}" --report report.json
rc_is 0 "${BURN_SECONDS:-3600} s of all processors pass"
tail -n 7 "$out" | sed 's/^/# /'
done_testing
