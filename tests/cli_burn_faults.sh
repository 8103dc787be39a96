# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of a card that burns, by the command line: each found, laid to its card, core
# and word, with the right verdict and exit code.  On the chip simulator where TTSIM_WH
# and TTSIM_BH name it (wrap_ttsim.c brings the fault), and on a fake chip.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/burn_lib.sh"

# One core, then one column, then all: most faults are found in the column.
light() { burn cards --no-reset --first-light "$@"; }

# fault, workload, exit code, verdict
while IFS="|" read -r fault kinds code words; do
	lib "wh+$fault"
	TT_SMI_TTSIM_PATIENCE=0.5 light --ttsim "wh+$fault.so" --workload "$kinds"
	rc_is "$code" "fake, $fault: exit code"
	out_has "0 0000:01:00.0 n150 L: $words" "fake, $fault: $words"
done <<'TABLE'
wrong@1|conv|5|FAIL: 1 wrong word on 1 core; the first on core 4-5: conv2d, block 1, word 7 is
lie@0|conv|5|FAIL: the host finds 1 wrong words, the first on core 4-5, where the core found none
core@1|conv|5|FAIL: 1 core stood still, the first 4-5 after 1 blocks
stuck|conv|5|FAIL: tile 4-5: weights reads back otherwise than written
rest@0|conv|0|PASS
mute@1|conv,memory|5|FAIL: memory channel 1 gave 1 core no answer
silence@1|conv,memory|5|FAIL: memory channel 1 gave 1 core no answer
TABLE
TT_SMI_TTSIM_PATIENCE=0.5 burn cards --no-reset --ttsim 'wh+silence@1.so' --workload conv,memory --iterations 1
out_has 'FAIL: memory channel 1 gave 80 cores no answer' "a channel that answers nobody is named, and waited for once"
done_testing
