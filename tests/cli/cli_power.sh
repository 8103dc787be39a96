# SPDX-License-Identifier: GPL-2.0-or-later
# Reading must leave the card as it was: every mode × a job that just ended, one
# that runs, an idle board; and a program that wants a card alone gets it in the end.
# The simulated driver waits 5 s before it powers a Wormhole down, and any open
# within that time cancels it for good.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "power after each mode" "jq is not installed"; done_testing; exit; }

ended=n150:job@0-0.000001	# before the first sample
running=n150:job
idle=n150:job@9999
export TT_SMI_SIM_LOG="$PWD/log"

logged() { grep -c "^$1 " log; }
one_shot() {	# name, arguments of tt-smi
	mode=$1; shift
	for board in $ended $running $idle; do
		: >log
		run tt-smi "$@" --sim "$board"
		rc_is 0 "$mode of $board: succeeds"
		check "$mode of $board: no power-down was cancelled" [ "$(logged cancelled)" = 0 ]
		check "$mode of $board: no power was asked for" sh -c '! grep -Eq "^(power|open .* active)" log'
		if [ "$board" = $ended ]; then
			check "$mode of $board: the node was not opened" [ "$(logged open)" = 0 ]
		else
			check "$mode of $board: the node was opened" [ "$(logged open)" -gt 0 ]
		fi
	done
}

one_shot -s -s
one_shot -ls -ls
one_shot "-s --remote" -s --remote

# What is known from sysfs alone says so
run tt-smi -s --sim $ended
check "the clock is that of a board about to power down" \
	jq -e '.device_info[0].readings.aiclk | .value == 1000 and .state == "ok"' "$out"
check "its health is not in doubt for that" jq -e '.device_info[0].health.state == "ok"' "$out"
out_has "keep it from powering down" "and the snapshot says why the node was not opened"
run tt-smi -s --sim $idle
check "an idle board is read through its node" \
	jq -e '.device_info[0].readings.aiclk.value == 500 and .device_info[0].health.note == null' "$out"
run tt-smi -s --sim p150a:job@0-0.000001
check "a Blackhole powers down at once" jq -e '.device_info[0].readings.aiclk.value == 800' "$out"

# A dump over the driver's time: virtual, so the test does not wait
for every in 0.01 0.1 0.5 1 3; do
	: >log
	run env TT_SMI_VIRTUAL_TIME=1763716364 tt-smi -d --ndjson -dur 16 -i $every \
		--fields aiclk --sim n150:job@0-2
	rc_is 0 "a dump every $every s: succeeds"
	check "a dump every $every s: cancelled no power-down" [ "$(logged cancelled)" = 0 ]
	check "a dump every $every s: the board was at full clock first" \
		sh -c "grep -m 1 '\"aiclk\": [0-9]' '$out' | grep -q '\"aiclk\": 1000'"
	check "a dump every $every s: and idle at last" \
		sh -c "tail -n 1 '$out' | grep -q '\"aiclk\": 500'"
	check "a dump every $every s: with the node open again" [ "$(logged open)" -gt 1 ]
done

# Tries to open the card alone, 100 a second: those that met our handle
for every in 0.01 0.05 0.1 0.2; do
	: >log
	run env TT_SMI_VIRTUAL_TIME=1763716364 tt-smi -d --ndjson -dur 10 -i $every \
		--fields aiclk --sim p150a:exclusive
	rc_is 0 "an exclusive opener, a dump every $every s: succeeds"
	refused=$(sed -n 's/^refused [^ ]* //p' log | awk '{ n += $1 } END { print n + 0 }')
	case $every in
	0.01|0.05)
		check "every $every s: the card is let go of at least once a second" \
			[ "$(logged close)" -ge 9 ] ;;
	*)
		check "every $every s: fewer than half of 1000 tries are refused ($refused)" \
			[ "$refused" -lt 500 ] ;;
	esac
done

# A dump that a person has stopped (Ctrl-Z) holds no card that another program wants alone
is_open() { [ "$(logged open)" -gt "$(logged close)" ]; }
is_let_go() { ! is_open; }
: >log
tt-smi -d --ndjson -dur 60 -i 0.05 --fields aiclk --sim p150a >/dev/null 2>&1 &
pid=$!
check "a dump every 0.05 s: keeps the node open" await is_open
kill -STOP $pid
check "a dump that is stopped lets go of it" await is_let_go
kill -CONT $pid
check "and opens it again when it goes on" await is_open
kill $pid
wait $pid

# An act waits until such a board is at rest, says so, and is stopped meanwhile like any other.
for signal in INT TERM; do
	: >"$err"
	tt-smi --check-memory 0 --size 64k --sim $ended >"$out" 2>"$err" &
	pid=$!
	await grep -q '0 0000:01:00.0: a job has just ended on it: waiting 10 s at most' "$err"
	kill -$signal $pid
	wait $pid
	rc=$?
	rc_is 6 "SIG$signal while an act waits for a board to power down"
	err_code stopped '' "SIG$signal: and it says that nothing was done"
done
done_testing
