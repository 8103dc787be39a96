# SPDX-License-Identifier: GPL-2.0-or-later
# A thousand bits flipped from outside in a running burn, none missed; and an
# hour of all processors (BURN_SECONDS=3600).  make soak.
. "$top_srcdir/tests/rig/lib.sh"

BURN_FLIPS=1000
export BURN_FLIPS
if [ -x "$top_builddir/tests/unit/test_burn" ]; then
	CMOCKA_TEST_FILTER='a_bit_flipped*' run "$top_builddir/tests/unit/test_burn"
	rc_is 0 "a thousand flipped bits are found and named"
else
	skip "a thousand flipped bits are found and named" "make check builds the test"
fi
if [ -x "$top_builddir/tests/unit/test_burn_memory" ]; then
	CMOCKA_TEST_FILTER='bits_flipped*' run "$top_builddir/tests/unit/test_burn_memory"
	rc_is 0 "and a thousand of the memory under test"
else
	skip "and a thousand of the memory under test" "make check builds the test"
fi
run tt-smi -b host -dur "${BURN_SECONDS:-3600}" --report report.json
rc_is 0 "${BURN_SECONDS:-3600} s of all processors pass"
tail -n 7 "$out" | sed 's/^/# /'
done_testing
