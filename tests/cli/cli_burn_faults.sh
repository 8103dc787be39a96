# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of a card that burns, by the command line: each found, laid to its card, core
# and word, with the right verdict and exit code.  On the chip simulator where TTSIM_WH
# and TTSIM_BH name it (wrap_ttsim.c brings the fault), and on a fake chip.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/burn_lib.sh"
. "$top_srcdir/tests/rig/core_lib.sh"

# fault, workload, exit code, verdict, code of the reason, place
while IFS="|" read -r fault kinds code verdict why place; do
	lib "wh+$fault"
	TT_SMI_TTSIM_STILL=3 light --ttsim "wh+$fault.so" --workload "$kinds"
	rc_is "$code" "fake, $fault: exit code"
	verdict_is '0 0000:01:00.0 n150 L' "$verdict" "$why" "fake, $fault: $verdict, $why"
	out_has "$place" "fake, $fault: at $place"
done <<'TABLE'
wrong@1|conv|5|FAIL|wrong-words|core 4-5: conv2d, block 1, word 7 is
lie@0|conv|5|FAIL|wrong-words|core 4-5,
core@0|conv|5|FAIL|core-hung|4-5 after 0 blocks
core@1|conv|5|FAIL|core-hung|4-5 after 1 blocks
stuck|conv|5|FAIL|core-misled|tile 4-5: weights
nod@0|conv,memory|5|FAIL|judge-blind|(does not compare), the first 4-5
keeps@1|conv,memory|5|FAIL|wrong-words|core 4-5 read wrong words from 2 memory channels, which
rest@0|conv|0|PASS|null|PASS
mute@1|conv,memory|5|FAIL|channel-silent|channel 1
silence@1|conv,memory|5|FAIL|channel-silent|channel 1
twin|conv|5|FAIL|core-misled|4-4 and 4-5
unborn|conv|5|FAIL|core-hung|4-5 after 0 blocks
loose|conv|5|FAIL|core-misled|tile 4-5:
mover@0|conv,memory|5|FAIL|core-hung|4-5
spare|conv|5|FAIL|wrong-words|, written over network 0 by core 4-5, is 0x
stray|conv|5|FAIL|wrong-words|L1 of core 4-7 at
nod|conv|5|FAIL|judge-blind|does not compare), the first 4-5
ones@1|conv|5|FAIL|hung|tile 4-
TABLE
TT_SMI_TTSIM_STILL=3 burn cards --no-reset --ttsim 'wh+silence@1.so' --workload conv,memory --iterations 1
verdict_is '0 0000:01:00.0 n150 L' FAIL channel-silent "a channel that answers nobody is named, and waited for once"

# The rates of two cards are compared, and of the cores of each.
lib bh
lib bh+drag@0
lib bh+slow@0
# Long enough for telemetry to say the clock under load, of which the rate is made.
TT_SMI_TTSIM_TIMED=1 burn cards --no-reset --ttsim 'bh.so,bh+drag@0.so' --workload conv -dur 3
rc_is 0 "a card that is slower than another one of its kind is no failure"
out_has '  573.4 TFLOP/s of the matrix units, 74.1 % of the documented 774.1' "its rate is told beside the documented one"
out_has '  1.024 TFLOP/s a core, below 95 % of the 4.096 of cards of its kind' "but told"
json "the other one is not, and no core of either" \
	"[(x['slow_beside_others'], x['cores_slow'], x['mvmul_per_cycle']) for x in r['targets']] == [(False, 0, 1), (True, 0, 0.25)]"
TT_SMI_TTSIM_TIMED=1 burn cards --no-reset --ttsim 'bh.so,bh+slow@0.so' --workload conv -dur 3
rc_is 5 "a core at a quarter of the others' rate is a failure"
verdict_is '1 0000:02:00.0 p150a' FAIL core-slow "as slow"
out_has ' 4-5 makes 0.250 ' "laid to it"
verdict_is '0 0000:01:00.0 p150a' PASS null "the other card passes"

# A clock that stands nearly still gives more than one product a cycle: no rate, and nobody is slow.
lib bh+rush@0
TT_SMI_TTSIM_TIMED=1 burn cards --no-reset --ttsim 'bh+rush@0.so' --workload conv --iterations 1
rc_is 0 "a core whose clock cannot be true passes, and the others beside it"
out_has '  - MVMUL per cycle of 1 core: by their counters more than one, which cannot be' "its rate is not told, with the reason"
out_lacks 'TFLOP/s' "nor is one of the card made of it"
json "the report has none either" \
	"t['tflops'] is None and t['cores_without_true_rate'] == 1 and t['cores_slow'] == 0 and [(c['x'], c['y']) for c in t['cores'] if c['mvmul_per_cycle'] is None] == [(4, 5)]"

# The whole program stands still for longer than the cores wait for a beat.
lib wh+desert@3
begin cards --no-reset --ttsim 'wh+desert@3.so' --workload conv -dur 1000
mapfile -t children < <(pgrep -P $pid)
kill -STOP $pid "${children[@]}"
sleep 9
kill -CONT "${children[@]}" $pid
# The burn goes on without them; that they have ended is told at its end.
mapfile -t said <burn.out
await_of $pid has_rows burn.out $((${#said[@]} + 3))
kill -TERM $pid
ended
rc_is 4 "a program that stood still is no success"
verdict_is '0 0000:01:00.0 n150 L' INCOMPLETE load-ended "its cores have ended by themselves"
none_left "a program that stood still"

compare() {	# name tile board cores resting
	wrap sim
	wrap "sim+throttle"
	wrap "sim+slow@0:$2"
	export TT_SMI_TTSIM_TIMED=1
	burn cards --no-reset --ttsim sim.so,sim+throttle.so --workload conv --iterations 1
	rc_is 0 "$1: a card that rests at its firmware's wish passes, and so does one beside it"
	json "$1: it is told how many rest, and no rate that by this clock cannot be true" \
		"[(x['cores_throttled'], x['blocks']) for x in r['targets']] == [(0, 2 * $4), ($5, 2 * $4)] and t['mvmul_per_cycle'] is None"
	burn cards --no-reset --ttsim sim.so,sim+slow@0:$2.so --workload conv --iterations 1
	rc_is 0 "$1: one core that rests is no failure"
	json "$1: and is told by its place" \
		"[[(c['x'], c['y']) for c in x['cores'] if c['throttled']] for x in r['targets']] == [[], [(${2%-*}, ${2#*-})]]"
	unset TT_SMI_TTSIM_TIMED
}

kills() {	# name library board
	begin cards --no-reset --first-light --workload conv --ttsim "$2"
	kill -STOP $pid
	sleep 5	# longer than the cores go on unwatched
	kill -CONT $pid
	ended
	rc_is 0 "$1: a program that was stopped goes on, and its card passes"
	begin cards --no-reset -dur 1000 --ttsim "$2"
	kill -KILL $pid
	wait $pid 2>/dev/null
	none_left "$1: kill -9"
	begin cards --no-reset -dur 1000 --ttsim "$2"
	kill -KILL "$(child_of $pid)"
	ended
	rc_is 4 "$1: a process that burns the card and is killed is no success"
	verdict_is 0 INCOMPLETE load-ended "$1: and the verdict says so"
	none_left "$1: a killed process"
	begin cards --no-reset --first-light --workload conv --ttsim "2*$2"
	kill -KILL "$(pgrep -x ttsim -P "$(pgrep -P $pid -x tt-smi | head -n 1)" | head -n 1)"
	ended
	rc_is 4 "$1: a simulator that is killed is no success"
	verdict_is "0 0000:01:00.0 $3" INCOMPLETE load-ended "$1: and no fault of the card"
	out_has "1 0000:02:00.0 $3: PASS" "$1: the other card passes"
	begin cards --no-reset -dur 1000 --ttsim "$2"
	kill -KILL "$(pgrep -P $pid -x tt-smi | head -n 1)"
	ended
	rc_is 4 "$1: nor is one whose keeper is killed"
	out_has "0 0000:01:00.0 $3: INCOMPLETE" "$1: which is no fault of the card either"
	none_left "$1: a killed keeper"
}

real() {	# name library tile board cores resting
	if [ -z "$2" ]; then
		skip "faults of the simulator's cores: $1" "$1 does not name its library"
		return
	fi
	export TTSIM_REAL="$2"
	strike "$1" "$3" "$4" 42
	compare "$1" "$3" "$4" "$5" "$6"
	kills "$1" "$2" "$4"
}
real TTSIM_WH "${TTSIM_WH:-}" 6-5 'n150 L' 80 32
real TTSIM_BH "${TTSIM_BH:-}" 10-5 p150a 140 56
done_testing
