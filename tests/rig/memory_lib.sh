# SPDX-License-Identifier: GPL-2.0-or-later
# For cli_memory_faults.sh and cli_memory_cores.sh: the chip simulator itself with
# a fault of its memory between it and the tool (tests/rig/wrap_memory.c).
# TT_SMI_MEMORY_SEEDS: so many places of each fault (1).
if ! command -v python3 >/dev/null; then
	skip "faults of the memory" "no python3"
	done_testing
	exit
fi
seeds=${TT_SMI_MEMORY_SEEDS:-1}
export TT_SMI_TTSIM_PATIENCE=${TT_SMI_TTSIM_PATIENCE:-100} TT_SMI_TTSIM_STILL=600
wrapped() {	# library fault@seed command...
	TTSIM_REAL=$1 TTSIM_FAULT=$2 TTSIM_TOLD=$work/told
	export TTSIM_REAL TTSIM_FAULT TTSIM_TOLD
	shift 2
	rm -f told
	run timeout 500 "$@" --ttsim "$top_builddir/tests/rig/wrap_ttsim.so"
}
burn() { wrapped "$@" --report report.json; }
judge() {	# host or cores, fault: is the one finding that of the fault?
	check "$3: found and named" python3 "$top_srcdir/tests/rig/memory_judge.py" report.json "$1" "$2"
}
each_chip() {	# command: called with name and library
	for name in TTSIM_WH TTSIM_BH; do
		eval "library=\${$name:-}"
		if [ -n "$library" ]; then
			"$1" $name "$library"
		else
			skip "faults of a simulated card's memory: $name" "$name does not name its library"
		fi
	done
}
