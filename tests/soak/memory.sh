# SPDX-License-Identifier: GPL-2.0-or-later
# Every fault of a card's memory, found and named: a hundred times in the tests' own memory, and
# at three places of each simulated chip (TTSIM_WH, TTSIM_BH); and ten clean tests of each, which
# pass without a finding.  TT_SMI_MEMORY_SEEDS, TT_SMI_MEMORY_CLEAN: others than 3 and 10.
. "$top_srcdir/tests/rig/lib.sh"

export CARD_MEMORY_SEEDS="${CARD_MEMORY_SEEDS:-100}"
run "$top_builddir/tests/unit/test_card_memory"
rc_is 0 "$CARD_MEMORY_SEEDS of each fault of the tests' own memory get their name"
if [ -z "${TTSIM_WH:-}${TTSIM_BH:-}" ]; then
	skip "faults of a simulated card's memory" "TTSIM_WH and TTSIM_BH name no library"
	done_testing
	exit
fi
TT_SMI_MEMORY_SEEDS=${TT_SMI_MEMORY_SEEDS:-3} run bash "$top_srcdir/tests/cli/cli_memory_faults.sh"
rc_is 0 "every fault is found and named"
sed -n 's/^not ok/# not ok/p' "$out"
for library in ${TTSIM_WH:-} ${TTSIM_BH:-}; do
	for seed in $(seq "${TT_SMI_MEMORY_CLEAN:-10}"); do
		run timeout 500 tt-smi -b 0 --workload memory --size 64k --iterations 1 --seed $seed \
			--ttsim "$library" --report report.json
		rc_is 0 "${library##*/}, seed $seed: a clean card passes"
		check "and nothing was found" grep -q '"findings": *\[\]' report.json
	done
done
done_testing
