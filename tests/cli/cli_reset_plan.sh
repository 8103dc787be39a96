# SPDX-License-Identifier: GPL-2.0-or-later
# A plan whose exit code is 0 is one that the same command carries out: each fault x the ways to ask
# for a reset.  Cards with the same plan, refusal or result share a line.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_SIM_SPEED=1000 TT_SMI_CODES=

faults=$(tt-smi -s --sim 'p150a:?' 2>&1 | sed -n "s/.*'?': none of //p")
check "the program names its faults" test "$(wc -w <<<"$faults")" -ge 40

# Each fault, to begin with: the exit code of a plan, and of the act.
pair() {	# spec, options
	timeout 60 tt-smi --sim "$1" $2 --dry-run >plan 2>plan.err </dev/null
	planned=$?
	timeout 60 tt-smi --sim "$1" $2 >"$out" 2>"$err" </dev/null
	rc=$?
}
wrong=0 carried=0
for board in p150a n300 p300a; do
	for fault in $faults; do
		for options in -r '-wr all -y' '-wr all -y --dmc' '-wr all -y --force'; do
			case $board,$options in *--dmc) [ $board = p300a ] || continue ;; esac
			pair "$board:$fault" "$options"
			# Only the driver knows that it will refuse, and nobody asks it before.
			[ "$fault" = exported ] && continue
			[ $planned != 0 ] || carried=$((carried + 1))
			if [ $planned = 0 ] && [ $rc = 6 ] || { [ $planned = 6 ] && [ $rc = 0 ]; }; then
				echo "# $board:$fault $options: planned $planned, done $rc"
				wrong=$((wrong + 1))
			fi
		done
	done
done
check "what is planned is not refused, and the other way round" test $wrong = 0
check "most faults have a plan" test $carried -gt 300

pair p300a:gone -r
check "a plan does not promise a half that is gone" test $planned = 6
check "it prints the reason in its place" grep -q '^0 .* cannot be reset: not on the bus any more' plan
check "and the plan of the other half" grep -q '^1 .*: ASIC_RESET$' plan
rc_is 5 "-r tries every card"
pair p300a:off '-wr all -y --dmc'
check "an order of the other half may bring back a half that is off" test $planned$rc = 00

run tt-smi -r --dry-run --sim '3*p150a,n150'
out_has 'cards 0-2 p150a: ASIC_RESET' "three cards with the same plan share a line"
run tt-smi -wr all -y --sim '3*p150a:off,n150'
err_has 'cards 0-2: cannot be reset: off the PCI bus' "and those with the same reason against it"
check "which says it once" test "$(grep -c 'off the PCI bus' "$err")" = 1
rc_is 5 "with all, they keep no other card from its reset"
out_has '1 of 4 cards recovered, 3 refused' "and are counted"
run tt-smi -wr 0 3 -y --sim '3*p150a:off,n150'
rc_is 6 "named by itself, one does"
run tt-smi -wr all -y --report half.json --sim 'p300,p300:nodeless'
rc_is 5 "a board of two halves is left out whole, and the other board is reset"
check "the report says why" jq -e '[.cards[] | [.index, .verdict, .code]] ==
	[[0, "recovered", null], [1, "recovered", null], [2, "refused", "no-driver"], [3, "refused", "other-half"]]' half.json
run tt-smi -wr all -y --report more.json --sim 'p300:vfio,e75,p150a,p300:hang:nodeless,p300:hang'
rc_is 5 "what the plan refuses is left out, too"
check "and all that may be on the board of a card that is" jq -e '[.cards[] | [.index, .code]] ==
	[[1, "other-half"], [2, "driver-old"], [3, null], [4, "other-half"], [5, "other-half"], [6, "other-half"], [7, "other-half"]]' more.json
run tt-smi -wr all --dry-run --sim 'p150a:off,p150a,e75'
rc_is 6 "a dry run says so"
out_has '0 0000:01:00.0 p150a: cannot be reset: off the PCI bus' "with the reasons"
out_has '2 0000:03:00.0 e75: cannot be reset: driver' "of each"
out_has '1 0000:02:00.0 p150a: ASIC_RESET' "and the plan of the others"
TT_SMI_SIM_SPEED=1 tt-smi -wr all -y --report killed.json --sim 'p150a:late,p150a:nodeless' >/dev/null 2>&1 &
tool=$!
await [ -s killed.json ]
kill -9 $tool
wait $tool 2>/dev/null
check "the report of a reset that is killed has them" jq -e '[.cards[].verdict] == ["pending", "refused"]' killed.json
run tt-smi -wr all -y --report none.json --sim '2*p150a:nodeless,p150a:off'
check "the report of none has no card" jq -e '.cards == [] and (.preflight | length) == 3' none.json
rc_is 6 "if no card is left, nothing is reset"

done_testing
