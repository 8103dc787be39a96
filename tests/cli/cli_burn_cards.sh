# SPDX-License-Identifier: GPL-2.0-or-later
# --burnin of cards from outside: what is refused, resets around it, verdicts
# with the core that they are laid to, and that nothing burns on afterwards: on
# simulated boards, on a fake chip, and on the chip simulator where it is.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/burn_lib.sh"
export TT_SMI_BURNIN_DWELL=32	# how much the host computes is not what is tested here
export TT_SMI_SIM_SPEED=100

# These wait more than they work: until a board is hot, or has not answered for long enough.
aside hot timeout 400 tt-smi -b cards --sim p150a:hot@2,p100a -dur 20 --no-reset --report hot.json
aside hung timeout 400 tt-smi -b 0 --sim p150a:hang@2 -dur 20 --no-reset --report hung.json
lib wh+core@1
TT_SMI_TTSIM_STILL=3 aside core timeout 400 tt-smi -b cards --ttsim wh+core@1.so --iterations 1 --report core.json

# Refused while nothing has happened yet.
echo '{ "verdict": "PASS", "exit_code": 0 }' >report.json
burn all --sim p150a:held -dur 60
rc_is 6 "a card that a process holds is refused"
err_code held '0000:01:00.0' "which is named"
err_has 'nothing was burnt' "and nothing is burnt, the host neither"
check "the report says so, where an earlier one may have been a PASS" $py -c "import json
r = json.load(open('report.json'))
assert r['verdict'] == 'INCOMPLETE' and r['exit_code'] == 6 and len(r['targets']) == 2, r
assert all(t['reason'] == 'nothing was burnt' and t['errors'] is None for t in r['targets']), r"
run tt-smi --merge report.json
rc_is 4 "and is none in --merge"
out_has 'INCOMPLETE: nothing was burnt' "which says why"
echo '{ "verdict": "PASS", "exit_code": 0 }' >report.json
TT_VISIBLE_DEVICES=9 run tt-smi -b cards --sim p150a --report report.json
rc_is 3 "a selection without a card"
run tt-smi --merge report.json
rc_is 4 "leaves no earlier PASS either"
out_lacks 'and its exit code not' "its exit code is one of such a verdict"
TT_VISIBLE_DEVICES=1 run tt-smi -b cards --sim '2*p150a' --iterations 1 --no-reset --report report.json
json "cards that may not be seen are not among those of 'cards'" \
	"[x['target'][:1] for x in r['targets']] == ['1']"
burn 0 --sim p300a --iterations 1
rc_is 6 "half a board, whose reset would take the other half, is refused"
err_code other-half '0 and 1' "with what to name"
err_has '--no-reset' "and with the way to burn it without"
: >burn.out
tt-smi -b 0 --sim p150a -dur 1000 >burn.out 2>&1 </dev/null &
pid=$!
await has_text burn.out 'Burning'
burn cards --sim p150a --iterations 1
rc_is 6 "a card that burns is refused"
err_code held "$pid" "by the name of the one who burns it"
run timeout 60 tt-smi -wr 0 -y --sim p150a
rc_is 6 "a reset of it as well"
kill -TERM $pid
wait $pid
check "a burn of cards ends by a signal" [ $? = 4 ]
none_left "SIGTERM"

# Resets around it.
burn 0 --sim p150a --iterations 1
rc_is 4 "a simulated board is no success"
verdict_is '0 0000:01:00.0 p150a' INCOMPLETE simulated "and the verdict says why"
json "both resets stand in the report" \
	"t['reset_before']['verdict'] == 'recovered' and t['reset_after']['verdict'] == 'recovered' and r['verdict'] == 'INCOMPLETE'"
burn 0 --sim p150a --iterations 1 --no-reset
out_has '(--no-reset: no chip reset before and after)' "--no-reset is said in the verdict"
json "and in the report" "t['reset_before'] is None and t['reset_after'] is None and '--no-reset' in r['command']"
burn cards --sim p150a:resetfail,p100a --iterations 1
rc_is 5 "a card that does not come back from the reset before is a negative verdict"
verdict_is '0 0000:01:00.0 p150a' FAIL not-reset "laid to the reset"
out_lacks 'Burning 0 ' "it is not burnt"
out_has 'Burning 1 ' "the other one is"
burn cards --sim p150a:lane@2,p150a -dur 4 --no-reset
rc_is 5 "uncorrected errors of its memory during a burn fail a card"
verdict_is '0 0000:01:00.0 p150a' FAIL memory-wrong "and are the reason"
json "the report has the corrected ones, too" \
	"t['gddr_uncorrected_channels'] == 1 and t['gddr_corrected_errors'] > 0 and 'channel 2' in t['reason']"
burn 0 --sim p150a:narrow@4 -dur 5
rc_is 5 "so is one that comes back from the reset after it with less than it had"
verdict_is '0 0000:01:00.0 p150a' FAIL not-reset "laid to that reset"

# What telemetry tells of a card ends its own burn; a simulated board takes the load.
came hot
mv hot.json report.json
verdict_is '0 0000:01:00.0 p150a' INCOMPLETE too-hot "a card that gets too hot is told with its temperature"
json "with the step of the finding that --health has for it" "'fans' in r['targets'][0]['next']"
verdict_is '1 0000:02:00.0 p100a' INCOMPLETE simulated "the other one burns on"
json "its power and temperature answer the load" \
	"(lambda x: x['power']['most'] > 100 and x['asic_temperature']['most'] > x['asic_temperature']['least'] + 8)(r['targets'][1]['telemetry'])"
json "the rules that were watched are told, and those that were not" \
	"{'rule': 'card 1 0000:02:00.0: ends its burn near its throttle temperature', 'applied': True} in r['stop_rules'] and any('limit is not published' in x['rule'] and not x['applied'] for x in r['stop_rules'])"
came hung
mv hung.json report.json
verdict_is '0 0000:01:00.0' FAIL hung "one that hangs is not burnt on, and fails"

burn cards --sim n300 --iterations 1
out_has 'n300 L: INCOMPLETE: the card is simulated and computes nothing; its second chip, 1 n300 R, was not burnt (reached only over ethernet)' \
	"the second chip of an n300 is passed over, and that is said"
json "in the report, too" "len(r['targets']) == 1 and t['second_chip_not_burnt'] == '1 n300 R'"
burn 01000146119ae6f0 --sim n300 --iterations 1
json "also where the board is named by its serial" "len(r['targets']) == 1 and t['second_chip_not_burnt'] == '1 n300 R'"
burn 0,1 --sim n300 --iterations 1
verdict_is '1 n300 R' INCOMPLETE second-chip "one that its own index asks for is a target"
json "which the other's line does not repeat" "[x['second_chip_not_burnt'] for x in r['targets']] == [None, None]"
burn cards --sim n300 --iterations 1 --local
out_lacks 'n300 R' "--local leaves it out without a word"
burn cards --sim '5*p150a,p150a:gone@1' -dur 3 --no-reset
check "of many cards details name their card" sh -c "grep -q '^0 p150a: ASIC' '$out' && ! grep -q '^  ASIC' '$out'"
check "and stand once for one reason" [ "$(grep -c '^[0-4] p150a: ASIC' "$out")" = 1 ]
burn cards --sim p150a,p150a:nodeless --iterations 1
verdict_is '1 0000:02:00.0 p150a' INCOMPLETE no-driver "a card without a node keeps no other from its burn"
check "nor from its reset" grep -q '^0 .*: reset before the burn: recovered' "$out"
burn cards --sim p300:off,p150a --iterations 1
verdict_is '1 0000:02:00.0 p300a' INCOMPLETE other-half "nor does half a board, whose other half is off"
check "so that the others burn" grep -q '^2 .*: reset before the burn: recovered' "$out"
burn cards --sim e150 --iterations 1
rc_is 4 "a Grayskull is not burnt"
verdict_is '0 0000:01:00.0 e150' INCOMPLETE unsupported "and the verdict says why"

for words in "cards --first-light -dur 3" "cards --phases 3" "cards --block 0" "list --held" "cards --resume x"; do
	run tt-smi -b $words --sim p150a
	rc_is 2 "usage: -b $words"
done
err_code conflict '--resume' "--resume says why"

# Killed while a process of it still acts on the card: that one has its lock, and keeps it locked
# until it ends.
: >burn.out
tt-smi -b 0 --sim p150a --no-reset -dur 1000 >burn.out 2>&1 </dev/null &
pid=$!
await has_text burn.out 'Burning'
await child_of $pid >/dev/null
child=$(child_of $pid)
kill -STOP "$child"
kill -KILL $pid
wait $pid 2>/dev/null
burn 0 --sim p150a --iterations 1 --no-reset
rc_is 6 "after kill -9 the card stays locked while its own process is there"
err_code powering-down '0000:01:00.0' "which says so"
err_lacks "process $pid" "and names no process that is dead"
run timeout 60 tt-smi -wr 0 -y --sim p150a
rc_is 6 "nor is it reset"
kill -CONT "$child"
none_left "once that one goes on"
burn 0 --sim p150a --iterations 1 --no-reset
rc_is 4 "and then the card is free"
verdict_is '0 0000:01:00.0 p150a' INCOMPLETE simulated "to be burnt"

# A fake chip whose cores do as they are told, but for one.
lib wh
burn cards --ttsim wh.so --iterations 1 --seed 4711
rc_is 0 "healthy cores pass"
verdict_is '0 0000:01:00.0 n150 L' PASS null "by the name of their card"
out_has 'not yet run on silicon' "with what is not known of the kernel"
out_has '  row  1  ++++ ++++' "and a map of the cores"
check "under a legend of its letters" has_line "$out" '^  cores, columns [0-9]+ to [0-9]+: '
json "each core is in the report, with what it did" \
	"len(t['cores']) == 80 and all(c['blocks'] == 4 and c['errors'] == 0 and c['blocks_by_host'] == 2 and c['state'] == 'well' for c in t['cores'])"
json "and what is needed to run it again" \
	"t['card_settings']['seed'] == hex(4711) and t['card_settings']['phases'] == 4 and '--seed 4711' in r['command'] and t['kernel_status'] == 'simulator-verified; not yet run on silicon'"
json "and which bits of its data were both 0 and 1" \
	"[v['width'] for v in t['bits_toggled'].values()] == [16, 16, 32] and all(bin(int(v['never'], 16)).count('1') + v['toggled'] == v['width'] for v in t['bits_toggled'].values()) and t['bits_toggled']['weights']['toggled'] >= 8"
check "as the end of the burn says" has_line "$out" '^  bits toggled: weights [0-9]+ of 16.*, results [0-9]+ of 32'
json "a simulator's clock is told as no rate" "t['mvmul_per_cycle'] is None and t['tflops'] is None"
burn host cards --ttsim 2*wh.so --iterations 1 --threads 1 --workload matmul
rc_is 0 "the host and two cards burn together"
json "each with its telemetry" "all(x['telemetry']['asic_temperature']['most'] == 40 for x in r['targets'][1:])"
json "each with its verdict" "[x['verdict'] for x in r['targets']] == ['PASS'] * 3 and t['target'] == 'host' and t['words_verified'] > 0"

lib wh+wrong@1
burn cards --ttsim wh+wrong@1.so,wh.so --iterations 1 --workload conv --seed 42
rc_is 5 "a wrong word is a negative verdict"
out_has '0 0000:01:00.0 n150 L: FAIL: 2 wrong words on 1 core; the first on core 4-5: conv2d, block 1, word 7' "laid to card, core, operation, block and word"
verdict_is '0 0000:01:00.0 n150 L' FAIL wrong-words "which the report says"
verdict_is '1 0000:02:00.0 n150 L' PASS null "the other card passes"
check "a table at the end has the worst first" grep -q '^0  0000:01:00.0  n150 L  FAIL ' "$out"
check "the reason is said once, in full" \
	[ "$(grep -c '2 wrong words on 1 core; the first on core 4-5.* not 0x' "$out")" = 1 ]
check "the verdict of all is its first line" grep -Eq '^Burn-in of 2 cards, [0-9:]{8} +FAIL \(exit code 5\)$' "$out"
check "before all details" sh -c "sed -n '/^Burn-in of/,\$p' '$out' | grep -q '^0 n150 L: '"
check "and its last one" test "$(tail -n 1 "$out")" = '1 FAIL, 1 PASS: FAIL'
check "a pipe gets no colour" sh -c "! grep -q '$(printf '\033')' '$out'"
out_has '  row  5  +++X ++++' "the map shows it"
json "with both values and the operands' seed" \
	"r['errors'] == 2 and [(c['x'], c['y'], c['mismatches'][0]['xor'], c['mismatches'][0]['seed']) for c in t['cores'] if c['errors']] == [(4, 5, '0x2000', '0x2a')]"
out_has 'wrong again on 1 of 1 core, and on 0 others' "the round is tried again with its seed"
json "and the report says so" \
	"t['retry'] == {'result': 'repeats', 'seed': '0x2a', 'cores_wrong': 1, 'cores_wrong_again': 1, 'other_cores_wrong': 0} and t['found_before'] == []"
lib wh+once@1
burn cards --ttsim wh+once@1.so --iterations 1 --workload conv
rc_is 5 "a word that is wrong once fails the card as well"
out_has 'core 4-5: 2 wrong words in 1 earlier burn, last at 20' "a burn begins with what was found before"
out_has 'no core was wrong: it does not repeat' "a fault that does not come again is told as such"
lib wh+wander@1
burn cards --ttsim wh+wander@1.so --iterations 1 --workload conv
json "one that moves, too" "t['retry']['result'] == 'repeats-elsewhere' and t['retry']['other_cores_wrong'] == 1"
burn cards --ttsim wh.so --iterations 1 --workload conv
rc_is 0 "a burn that finds nothing"
json "is counted with the finds" \
	"sorted((f['x'], f['y'], f['burns_with_faults'], f['burns_without_since']) for f in t['found_before']) == [(4, 5, 3, 0), (6, 5, 1, 0)]"
burn cards --ttsim wh.so --iterations 1 --workload conv
json "by the next one" "[f['burns_without_since'] for f in t['found_before']] == [1, 1]"
echo torn >"$TT_SMI_STATE_DIR/finds-ttsim"
burn cards --ttsim wh.so --iterations 1 --workload conv
rc_is 0 "a torn file of finds changes no verdict"
check "it is said that it was torn" grep -q 'finds-ttsim: torn or not ours: what burns find is noted anew' "$err"
printf 'tt-smi finds 1\n%s 4 5 999999999999999999 999999999 0 1 0\nend\n' 0000:01:00.0 >"$TT_SMI_STATE_DIR/finds-ttsim"
burn cards --ttsim wh+wrong@1.so --iterations 1 --workload conv
burn cards --ttsim wh+wrong@1.so --iterations 1 --workload conv
out_has 'core 4-5: 999999999999999999 wrong words in 999999999 earlier burns' "numbers that cannot grow stay"
burn cards --ttsim wh+wrong@1.so -dur 1000 --stop-on-error
rc_is 5 "--stop-on-error ends it there"
lib bh+lie@0
burn cards --ttsim bh+lie@0.so --iterations 1
rc_is 5 "a word that only the host finds wrong is one, too"
lib bh+stuck
burn cards --ttsim bh+stuck.so --iterations 1
rc_is 5 "memory that cannot be set is a negative verdict"
out_has 'tile 4-5: ' "laid to its core"
verdict_is '0 0000:01:00.0 p150a' FAIL core-misled "which keeps other words than it is given"
came core
mv core.json report.json
rc_is 5 "a core that stands still is a negative verdict"
verdict_is '0 0000:01:00.0 n150 L' FAIL core-hung "as hung"
out_has ' 4-5 ' "by its name"
lib bh+exit@3000
burn cards --ttsim bh+exit@3000.so -dur 1000
rc_is 4 "a simulator that ends is none of the card's faults"
verdict_is '0 0000:01:00.0 p150a' INCOMPLETE load-ended "the verdict is"
out_has 'bh+exit@3000.so has ended: [28] ERROR' "and its words are told"

lib bh+memory@0
burn cards --ttsim bh+memory@0.so --iterations 1 --workload conv,memory,vector
rc_is 5 "a wrong word in the card's memory is a negative verdict"
verdict_is '0 0000:01:00.0 p150a' FAIL memory-wrong "of its memory"
out_has 'channel 1 at 0x1000080, read by core 4-5' "laid to its channel"
out_has 'by the host; 1 word wrong in all' "and counted among all wrong words"
json "and told by channel" \
	"[(c['channel'], c['bits']) for c in t['card_memory']['channels'] if c['errors']] == [(1, '0x4')] and t['card_memory']['operands_loaded'] > 0 and t['card_memory']['first_wrong']['address'] == '0x1000080'"

# However it ends, nothing burns on.
for signal in INT TERM; do
	begin cards --ttsim wh.so -dur 1000
	kill -$signal $pid
	ended
	rc_is 4 "SIG$signal ends it"
	verdict_is '0 0000:01:00.0 n150 L' INCOMPLETE stopped "with its reason"
	json "and a report of what was done" "t['verdict'] == 'INCOMPLETE' and t['blocks'] > 0 and t['reset_after']['verdict'] == 'recovered'"
	none_left "SIG$signal"
done
begin cards --ttsim wh.so -dur 1000
kill -KILL $pid
wait $pid 2>/dev/null
none_left "kill -9"
begin cards --ttsim wh.so -dur 1000
kill -KILL "$(child_of $pid)"
ended
rc_is 4 "a process of it that is killed is no success"
verdict_is '0 0000:01:00.0 n150 L' INCOMPLETE load-ended "and the verdict says so"
none_left "a killed child"

# Each mode on all cores: exact, as many products as it has, and pulses that begin together.
modes() {	# name library cores
	burn cards --no-reset --ttsim "$2" --iterations 1 --workload conv --held --phases 1
	rc_is 0 "$1: held operands at one phase pass"
	json "$1: with their products" \
		"len(t['cores']) == $3 and {c['mvmul'] for c in t['cores']} == {2 * 9 * 1 * 32} and t['card_settings']['held_operands']"
	burn cards --no-reset --ttsim "$2" --iterations 1 --workload matmul --phases 2 --block 27
	rc_is 0 "$1: a block of another length at two phases passes"
	json "$1: with its products" \
		"len(t['cores']) == $3 and {c['mvmul'] for c in t['cores']} == {2 * 20 * 2 * 32} and t['card_settings']['pulse_cycles'] is None"
	burn cards --no-reset --ttsim "$2" --iterations 1 --workload matmul,memory --pattern pulse --phases 2 --block 27
	rc_is 0 "$1: pulses pass"
	# Columns were started one after the other; without pulses they end all over this range.
	json "$1: passes end the same time after a multiple of the clock" \
		"(lambda p, ends: len(ends) == $3 and max(e % p for e in ends) - min(e % p for e in ends) < p / 8 and len(set(e // p for e in ends)) > 1)(t['card_settings']['pulse_cycles'], [c['clock'] for c in t['cores']])"
	burn cards --no-reset --ttsim "$2" --iterations 1 --workload matmul --pattern ramp --block 27
	rc_is 0 "$1: ramps pass"
	json "$1: of several windows each" \
		"len(t['cores']) == $3 and t['card_settings']['ramp_cycles'] == 8 * t['card_settings']['pulse_cycles'] > 0 and r['settings']['pattern'] == 'ramp'"
}
real() {	# name library cores
	if [ -z "$2" ]; then
		skip "cores of the simulator itself: $1" "$1 does not name its library"
		return
	fi
	burn cards --ttsim "$2" --iterations 1 --workload conv,memory,vector
	rc_is 0 "$1: every core passes beside its vector unit and the card's memory"
	json "$1: which all of them read" \
		"t['card_memory']['operands_loaded'] > 0 and all(c['words'] > 0 for c in t['card_memory']['channels'])"
	burn cards --ttsim "$2" --iterations 1
	rc_is 0 "$1: every core of the simulated chip passes"
	json "$1: all $3 of them, conv2d and matmul" \
		"len(t['cores']) == $3 and all(c['blocks'] == 4 and c['blocks_by_host'] == 2 and c['mvmul'] > 0 for c in t['cores']) and r['errors'] == 0"
	modes "$1" "$2" "$3"
	none_left "$1"
}
real TTSIM_WH "${TTSIM_WH:-}" 80
real TTSIM_BH "${TTSIM_BH:-}" 140

# A card that dies fails the burn: in its last second, before any rule could end it, and also a card
# that is back at the end.
while read -r time fault action words; do
	TT_SMI_SIM_SPEED=20 run timeout 60 tt-smi -b 0 --no-reset --sim "p150a:$fault" \
		--duration $time --report died.json
	rc_is 5 "$fault, of $time s, fails the burn"
	out_has "FAIL: the card died during the burn of cards: $words" "$fault: the cause is named"
	check "$fault: the step is $action" python3 -c "
import json
t = json.load(open('died.json'))['targets'][0]
assert t['action'] == '$action' and t['next'], t"
done <<'TABLE'
5 off@4.9 power-cycle off the PCI bus
5 gone@4.9 rescan not on the bus any more
5 hang@4.9 reset chip does not answer
5 stuck@4.9 reset firmware silent
5 eio@4.9 reset registers cannot be read
25 hang@5-15 reset chip does not answer
TABLE
python3 -c "
import json
r = json.load(open('died.json'))
for t in r['targets']:
    del t['next'], t['action']
json.dump(r, open('older.json', 'w'))"
run tt-smi --merge died.json
cp "$out" merged
run tt-smi --merge older.json
rc_is 5 "a report without a step, of an earlier version, is read"
check "as one with it" diff merged "$out"
run timeout 60 tt-smi -b 0 --no-reset --sim p150a:stuck --duration 2
rc_is 4 "a card whose firmware has stopped does not burn without a reset"
out_has "INCOMPLETE: firmware silent" "and that is the reason"
out_has " -> tt-smi -wr 0" "with the step"
done_testing
