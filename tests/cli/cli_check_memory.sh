# SPDX-License-Identifier: GPL-2.0-or-later
# --check-memory from outside: what it says of good cards and of one whose lane is
# late, that it writes nothing, leaves held cards and channels that are switched
# off alone, and does not wait for a card that hangs.
. "$top_srcdir/tests/rig/lib.sh"

lib() {	# name: a copy of the fake that does what the name says
	cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/$1.so"
}

export TT_SMI_SIM_LOG=$work/sim.log
run timeout 120 tt-smi --check-memory --sim p100a,n150
rc_is 0 "memory that agrees"
out_has '0 0000:01:00.0 p100a: agrees' "each card has a verdict"
check "a p100a has seven channels" test "$(sed '/^1 /,$d' "$out" | grep -c '^  channel')" = 7
out_has '  channel 7  agrees' "by their own numbers"
check "an n150 has six" test "$(sed '1,/^1 /d' "$out" | grep -c '^  channel')" = 6
out_has 'Agreement proves nothing' "and what that means is said"
err_has 'these boards are simulated' "simulated boards are called so"
check "nothing was written" sh -c '! grep -q "^write" sim.log'
check "and nothing was touched that must not be" sh -c '! grep -q "^violation" sim.log'

run timeout 120 tt-smi --check-memory 0 --channels 1,4-5 --size 128k --sim p100a --seed 9
out_has 'Read at the places of seed 9.' "the seed is said"
check "channels that are named" test "$(grep -c '^  channel [145]  agrees     128 KiB' "$out")" = 3
check "and no others" test "$(grep -c '^  channel' "$out")" = 3
run timeout 120 tt-smi --check-memory --json --size 64k --sim p150c
rc_is 0 "a card whose firmware names its endpoints"
err_code left-alone '' \
	"those of the controllers are left out, and that is said"
check "programs hear it, too" python3 -c "
import json, sys
c = json.load(open('$out'))['check_memory'][0]
assert c['endpoints_left_out'] == [
    dict(channel=k, endpoint=0 if 0 < k < 4 else 2) for k in range(8)]"
run timeout 120 tt-smi --check-memory --sim p100a --channels 3
rc_is 4 "a channel that is switched off is not checked"
out_has 'incomplete: memory channel 3 is switched off, or the card' "and that is said"
run timeout 120 tt-smi --check-memory --sim p100a,n150 --channels 3,7
rc_is 4 "beside one that the card has, too"
out_has '0 0000:01:00.0 p100a: incomplete: memory channel 3 is switched off, or the card' \
	"a Blackhole's is named"
out_has '1 0000:02:00.0 n150 L: incomplete: memory channel 7 is switched off, or the card' \
	"and a Wormhole's, which has six"
run timeout 120 tt-smi --check-memory --sim p100a:dram --channels 2,4
rc_is 4 "a channel that is not trained"
out_has 'incomplete: channel 2 is not trained and was left alone' "is no agreement"
out_has 'channel 4  agrees' "and the other one is checked"
run timeout 120 tt-smi --check-memory --sim p100a:dram --channels 2
rc_is 4 "none but that one"
out_has 'incomplete: none of these memory channels is in use' "says so"
run timeout 120 tt-smi --check-memory --size 64k --json --sim p150a:stuck
rc_is 4 "a card whose firmware has stopped does not agree"
check "its counters are old, and the step is a reset" python3 -c "
import json
c = json.load(open('$out'))['check_memory'][0]
assert (c['verdict'], c['code'], c['action'], c['next']) == (
    'incomplete', 'firmware-down', 'reset', 'tt-smi -wr 0'), c
assert all(x['verdict'] == 'agrees' and x['errors_after'] is None for x in c['channels']), c"
run timeout 120 tt-smi --check-memory --size 64k --sim n300
rc_is 0 "an n300: its first chip"
run timeout 120 tt-smi --check-memory 0 --sim e150
rc_is 4 "a chip whose memory is not known"
out_has 'how the memory of a Grayskull is reached is not known' "says so"

: >sim.log
run timeout 120 tt-smi --check-memory --sim p150a,n150:held
rc_is 6 "a held card"
err_has 'process 1 ' "the process is named"
err_has '--force' "and what goes on nevertheless"
check "no card's memory was read" sh -c '! grep -q "open.*active" sim.log'
run timeout 120 tt-smi --check-memory --force --size 64k --sim p150a,n150:held
rc_is 0 "--force"
unset TT_SMI_SIM_LOG
run timeout 120 tt-smi --check-memory --force --size 256k --sim p150a:lane:held
rc_is 5 "a lane that is late is proof beside a program, too: none would write so"
run timeout 120 tt-smi --check-memory --force --json --channels 1,2 --size 100k --sim p150a:held
check "as JSON: who holds it, what was asked and done, and no two channels are the same" python3 - "$out" <<'PYTHON'
import json, sys
c = json.load(open(sys.argv[1]))["check_memory"][0]
assert c["held"] and c["same"] == [], c
assert c["coverage"] == {k: {"asked": n, "done": n} for k, n in
    (("channels", 2), ("endpoints", 6), ("bytes", 2 << 17))}, c["coverage"]
PYTHON

while read -r args; do
	run timeout 60 tt-smi --check-memory --sim p150a $args
	rc_is 2 "$args: is a usage error"
	err_code bad-value "${args% *}: '${args#* }'" "$args: and named"
done <<'TABLE'
--channels 8
--channels 3-1
--channels x
--channels 00000071
--size 50%
--size 1k
TABLE
run timeout 60 tt-smi --check-memory 7 --sim p150a
rc_is 3 "a card that is not there"

lib bh+late
lib wh+late
for chip in bh wh; do
	run timeout 120 tt-smi --check-memory --ttsim "$chip+late.so"
	rc_is 5 "$chip: a lane that is late is found"
	check "$chip: the card disagrees" grep -q '0000:01:00.0 .*: disagrees' "$out"
	check "$chip: channel, lane and kind" grep -q \
		'channel 3  disagrees .* differ in byte lane 2: late by 64 and 128 bytes in alternating' "$out"
	check "$chip: no other channel is blamed" test "$(grep -c '^  channel .*disagrees' "$out")" = 1
	out_has 'that is proof of a fault' "$chip: and what that means"
	check "$chip: its last line is card, channel and lane" sh -c \
		"tail -n 1 '$out' | grep -q '^0 0000:01:00.0 .*, channel 3, byte lane 2: disagrees$'"
done
run timeout 120 tt-smi --check-memory --json --ttsim bh+late.so
rc_is 5 "as JSON: exit code"
check "as JSON: all of it" python3 - "$out" <<'PYTHON'
import json, sys
doc = json.load(open(sys.argv[1]))
assert doc["source"] == "ttsim", doc["source"]
card = doc["check_memory"][0]
assert card["verdict"] == "disagrees", card
assert card["action"] == "reset" and card["next"].startswith("tt-smi -wr 0, then test"), card
assert [c["channel"] for c in card["channels"]] == list(range(8))
for c in card["channels"]:
    bad = c["channel"] == 3
    assert c["words"] == 1 << 18 and c["endpoint"] is None
    assert c["kind"] == ("shifted" if bad else None)
    assert c["late_bytes"] == ([64, 128] if bad else [])
    assert (c["wrong"] > 1000) == bad
    assert [n > 0 for n in c["lanes"]] == [False, False, bad, False]
PYTHON

# Two channels that lead to one memory.
for chip in bh wh; do
	lib $chip+shared
	run timeout 120 tt-smi --check-memory --size 128k --ttsim "$chip+shared.so"
	rc_is 4 "$chip: channels that show the same data are no agreement"
	out_has 'incomplete: channels 1 and 2 ' "$chip: both are named"
	out_lacks 'proof of a fault' "$chip: copies that a program made would look so, too"
	run timeout 120 tt-smi --check-memory --size 128k --json --ttsim "$chip+shared.so"
	out_has '"code": "memory-wrong"' "$chip: as JSON"
	run timeout 300 tt-smi -b 0 --workload memory --size 64k --iterations 1 --stop-on-error \
		--ttsim "$chip+shared.so"
	rc_is 5 "$chip: the test that writes tells them apart"
	out_has 'FAIL: memory channel 1: leads to one memory with channel 2' "$chip: and calls them one"
done

# A simulated board shows what the finding looks like.
run tt-smi -s --sim p150a:lane,n150:lane
check "a snapshot points to --check-memory where the firmware counts errors" \
	test "$(grep -A1 'uncorrected errors in memory module 2"' "$out" | grep -c '"tt-smi --check-memory 0;')" = 1
run timeout 120 tt-smi --check-memory --size 256k --sim p150a:lane,n150:lane,p150a
rc_is 5 "which finds the late lane"
check "of each board that has one" test "$(grep -c 'channel 2  disagrees .* differ in byte lane 3: late by 64 and 128 bytes in alternating' "$out")" = 2
check "and no other channel" test "$(grep -c '^  channel .*disagrees' "$out")" = 2
out_has '2 0000:03:00.0 p150a: agrees' "nor a board without"
out_has 'its own counters, before and after: corrected 255, 255 read' "with what the memory counted itself"

# Memory of zeros.
lib bh
run timeout 120 tt-smi --check-memory --ttsim bh.so --size 64k
rc_is 0 "memory that nobody has written agrees"
out_has 'for 28 of 28 pairs it is not known whether both channels lead to one memory: their data repeat' \
	"and what is not known of it is said"

# One that ends or hangs in the middle costs the other nothing.
lib bh+exit@600
run timeout 120 tt-smi --check-memory --ttsim 'bh+exit@600.so,bh.so' --size 64k
rc_is 4 "a card that is lost in the middle"
check "is incomplete, with the reason" grep -q '^0 .*: incomplete: .' "$out"
check "and the other has its verdict" grep -q '^1 .*: agrees' "$out"
lib bh+hang@600
TT_SMI_TTSIM_PATIENCE=1 run timeout 120 tt-smi --check-memory --ttsim 'bh+hang@600.so,bh.so' --size 64k
rc_is 5 "a card that hangs in the middle"
check "is given up, and fails" grep -q '^0 .*: failed: the card died during the memory check: .' "$out"
check "the other has its verdict" grep -q '^1 .*: agrees' "$out"
check "no process is left" sh -c "! pgrep -f '[t]t-smi .*$work' >/dev/null"

run timeout 60 tt-smi --check-memory 0 --size 256M --sim p150a:gone@0.1
rc_is 5 "a card that leaves the bus during the check fails it"
out_has 'the card died during the memory check: not on the bus any more' "and the cause is named"
out_lacks 'proof of a fault' "but its memory is not blamed"

# Nothing waits for a card that is dead: at 1 GiB a channel the check would take minutes.
while read -r fault words; do
	TT_SMI_SIM_SPEED=1 run timeout 60 tt-smi --check-memory 0 --size 1G --sim "p150a:$fault@0.3"
	rc_is 5 "$fault ends and fails the check"
	out_has "the card died during the memory check: $words" "$fault: the cause is named"
	out_lacks '  agrees' "$fault: what it returned agrees with nothing"
done <<'TABLE'
off off the PCI bus
hang chip does not answer
slow no answer within 1 s
TABLE
TT_SMI_SIM_SPEED=1 run timeout 200 tt-smi --check-memory 0 --size 32M --sim p150a:stuck@0.5
rc_is 5 "firmware that stops during the check fails it"
done_testing
