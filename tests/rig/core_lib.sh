# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced after burn_lib.sh by tests that bring faults to the cores of the chip simulator.
#
#   strike NAME TILE BOARD SEED		each fault of wrap_ttsim.c, on this tile of TTSIM_REAL
wrap() { cp "$top_builddir/tests/rig/wrap_ttsim.so" "$work/$1.so"; }

# One core, then one column, then all: most faults are found in the column.
light() { burn cards --no-reset --first-light "$@"; }

strike() {	# name tile board seed
	while IFS='|' read -r fault kinds code words; do
		wrap "sim+$fault:$2"
		still=30 how='--first-light' mate=$2
		case $fault in
		lost* | astray*) mate=${2%-*}-$((${2#*-} - 1)) ;;	# or the core that writes there
		mover*) still=6 ;;	# all of it is waited for
		repeats*) how='--iterations 1 --block 20' ;;	# five of them, none of one step
		esac
		# shellcheck disable=SC2086
		TT_SMI_TTSIM_STILL=$still burn cards --no-reset $how --ttsim "sim+$fault:$2.so" \
			--workload "$kinds" --seed "$4"
		words=$(echo "$words" | sed "s/BEFORE/${2%-*}-$((${2#*-} - 1))/; s/COLUMN/${2%-*}/; s/TILE/$2/")
		rc_is "$code" "$1, $fault: exit code"
		out_has "0 0000:01:00.0 $3: $words" "$1, $fault: $words"
		case $fault in	# a word in a thousand may come out as it should
		repeats*) out_has "wrong words on 1 core; the first on core $2: matmul, block 0, word" "$1, $fault: on it" ;;
		esac
		json "$1, $fault: no other core is struck" \
			"all(c['state'] in ('well', 'nothing done') or '%d-%d' % (c['x'], c['y']) in ('$2', '$mate') for c in t['cores']) and len(t['cores']) > 10"
	done <<'TABLE'
golden@77|conv|5|FAIL: 1 wrong word on 1 core; the first on core TILE: conv2d, block 1, word 77 is
weights@200|conv|5|FAIL: 122 wrong words on 1 core; the first on core TILE: conv2d, block 0, word 1025 is
input@82|conv|5|FAIL: 63 wrong words on 1 core; the first on core TILE: conv2d, block 0, word 160 is
output@4001|conv|5|FAIL: 1 wrong word on 1 core; the first on core TILE: conv2d, block
judge@0|conv|5|FAIL: 1 core did not report a word that was wrong on purpose (does not compare), the first TILE
left@1|conv,memory|0|PASS
nod@0|conv,memory|5|FAIL: 1 core did not report a word that was wrong on purpose (does not compare), the first TILE
nod@1|conv,memory|5|FAIL: 1 core did not report a word that was wrong on purpose (does not compare), the first TILE
keeps@0|conv,memory|5|FAIL: 
misled@0|conv|5|FAIL: 2 wrong words in the L1 of 1 core; the first in L1 of core
stop@1|conv|5|FAIL: 1 core stood still, the first TILE after
image@0|conv|5|FAIL: tile TILE: program reads back otherwise than written
mute@2|conv,memory|5|FAIL: memory channel 2 gave 1 core no answer
double@0|conv|5|FAIL: the addresses of tiles BEFORE and TILE lead to one tile
unborn@0|conv|5|FAIL: tile TILE: its cores stay held when let go
loose@0|conv|5|FAIL: the cores cannot be held: tile TILE: its cores are not held when ordered
mover@0|conv,memory|5|FAIL: 1 core had a data mover that stood still or did too little, the first TILE
mover@2|conv,memory|5|FAIL: 1 core had a data mover that stood still or did too little, the first TILE
repeats@2|matmul|5|FAIL: 81
claim@3|conv|5|FAIL: 1 core ended before its time or left blocks out, the first TILE
vector@13|conv,vector|5|FAIL: 8192 wrong words on 1 core; the first on core TILE: conv2d, block 0, word 0 is
low@3072|conv|5|FAIL: 1 wrong word in the L1 of 1 core; the first in L1 of core TILE at 0xc00, written over network
high@3072|conv|5|FAIL: 1 wrong word in the L1 of 1 core; the first in L1 of core TILE at 0xc00, written over network
lost@3072|conv|5|FAIL: 32 wrong words in the L1 of 1 core; the first in L1 of core TILE at 0xc00, written over network 1 by core BEFORE,
astray@3072|conv|5|FAIL: 64 wrong words in the L1 of 1 core; the first in L1 of core TILE at 0xc00, written over network 1 by core BEFORE,
ones@1|conv|5|FAIL: tile COLUMN-
TABLE
	out_has 'answers all ones: the chip does not answer any more' "$1: a chip that has left the bus is called so"
}
