# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of the chip simulator's cores with three seeds, each on another tile: the right
# verdict and name.  And 20 burns of each chip without any, which all pass.  make soak.
# TT_SMI_CORE_SEEDS, TT_SMI_CORE_CLEAN: fewer of them.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/burn_lib.sh"
. "$top_srcdir/tests/rig/core_lib.sh"

soak() {	# name library board tiles of the column that a first light takes
	if [ -z "$2" ]; then
		skip "cores of $1" "$1 does not name its library"
		return
	fi
	export TTSIM_REAL="$2"
	chip=${1#TTSIM_} library=$2 board=$3 seed=0
	shift 3
	for tile in "$@"; do
		[ $seed -lt "${TT_SMI_CORE_SEEDS:-3}" ] || break
		seed=$((seed + 1))
		strike "$chip, seed $seed" "$tile" "$board" $seed
	done
	for seed in $(seq "${TT_SMI_CORE_CLEAN:-20}"); do
		light --ttsim "$library" --workload conv,memory,vector --seed "$seed"
		rc_is 0 "$chip: without a fault it passes, seed $seed"
	done
}
soak TTSIM_WH "${TTSIM_WH:-}" 'n150 L' 6-3 6-5 6-9
soak TTSIM_BH "${TTSIM_BH:-}" p150a 10-3 10-6 10-11
done_testing
