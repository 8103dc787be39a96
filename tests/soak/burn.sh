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
run tt-smi -b host -dur "${BURN_SECONDS:-3600}" --report report.json
rc_is 0 "${BURN_SECONDS:-3600} s of all processors pass"
tail -n 7 "$out" | sed 's/^/# /'
done_testing
