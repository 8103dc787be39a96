# SPDX-License-Identifier: GPL-2.0-or-later
# --eth_status: the ethernet cores are asked, on demand, where nobody holds the board; a simulated
# board ends the test where a tile that is not there is touched.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_SIM_SPEED=20
eth() { run tt-smi --eth_status "$@"; }
# The state of each port, as --links and as --eth_status have it.
ports() {
	python3 -c '
import json, subprocess, sys
cards = json.loads(subprocess.run(["tt-smi", "--links", "--json", *sys.argv[1:]],
	stdout=subprocess.PIPE).stdout)["cards"]
for c in cards:
	for p in c["ports"]:
		print(p["port"], p["state"].upper().replace("-", " "))
' "$@"
}

eth --sim p150a
rc_is 0 "a Blackhole"
err_empty "without a word more"
out_has "Device 0: Blackhole p150a  (0000:01:00.0)" "is named as the Python tool names it"
out_has "Link  0: UP      core 1-1    speed  400 Gbps target  400 Gbps" "has a line for each core"
out_has "Link 12: NO LINK core 7-1    speed    - Gbps target  400 Gbps" "without a speed where there is no link"
out_has "Link  5: UNUSED  core 14-1   speed    - Gbps target    - Gbps" "and for those that are off"
check "whose words are not read" [ "$(grep -c '    training' "$out")" = 12 ]
out_has "    training passed, retrains 0, CRC errors 0, corrected 0, uncorrected 0" "with what became of the link"
eth --sim p150a:eth
rc_is 0 "a link that is down is an answer"
out_has "Link  2: DOWN    core 2-1    speed    - Gbps target  400 Gbps" "which is said"
out_has "    firmware has stopped; training link timed out" "with the reason"
eth --sim p300a,tt-galaxy-bh
rc_is 0 "boards of several chips"
check "each with its cores" [ "$(grep -c '    training' "$out")" = $((34 * 12)) ]
eth --sim p150a,p300a
rc_is 0 "a board of two chips"
out_has "Link  3: UP      core 15-1   speed  400 Gbps target  400 Gbps to Device 2 Link 10" "its cores say which chip they lead to"
out_has "to Device 1 Link  3" "and so do those of the other"
check "each link from both ends, and nothing of cables" [ "$(grep -c 'to Device' "$out")" = 4 ]
eth --sim p100a
rc_is 0 "a board whose cores are all off"
check "has none that is touched" [ "$(grep -c ': UNUSED' "$out") $(grep -c training "$out")" = "14 0" ]
eth 1 --sim p150a,p150a
check "only those that are named" [ "$(grep -c '^Device' "$out")" = 1 ]
out_has "Device 1:" "by any of their names"
eth 7 --sim p150a
rc_is 3 "no such card"
eth --sim e75
rc_is 0 "a Grayskull"
out_has "it has no ports" "has nothing to ask"

# A Wormhole's cores report the same, and the other end by its coordinates
eth --sim n150
rc_is 0 "a Wormhole"
err_empty "without a word more"
out_has "Link  0: UP      core 9-0 " "has a line for each core"
out_has "    training passed, retrains 0, CRC errors 0, corrected 0, uncorrected 0" "with what became of the link"
out_has "Link 12: NO LINK core 7-6 " "also of a port without a cable"
out_has "    training no signal, " "which is no fault"
eth --sim n300
out_has "Link  8: UP      core 9-6    speed    - Gbps target    - Gbps to (1, 0, 0, 0) Link  0" "names the other end"
eth --sim n300:nopeer
out_has "Link  8: DOWN    core 9-6 " "a link that is wired and not there is down"
out_has "    training failed, " "with the result of its training"

# Both modes have one word for a state; firmware that reports no links leaves it to the cores.
for board in p150a p150a:eth p150c n150 n150:eth p300a p300a:wire n300-links n300-links:wire \
	tt-galaxy-bh tt-galaxy-bh:wire tt-galaxy-wh tt-galaxy-wh:wire; do
	ports --sim "$board" >links
	eth --sim "$board"
	sed -n 's/^  Link *\([0-9]*\): \(.*[A-Z]\)  *core .*/\1 \2/p' "$out" | sed 's/ *$//' >cores
	check "$board: the same words as --links" sh -c "test -s links && cmp -s links cores"
done

# Two looks at the heartbeats tell a core that stands, on both chips
for board in p150a n150; do
	eth --sim "$board:ethstuck"
	rc_is 0 "$board: a core that stands is an answer"
	check "$board: one of them" [ "$(grep -c ': DOWN' "$out") $(grep -c 'firmware has stopped' "$out")" = "1 1" ]
	out_has "Link  2: DOWN " "$board: the one that stands"
	out_lacks "not judged" "$board: all others move"
	eth --sim "$board:retrain"
	out_has "    training passed, retrains " "$board: a link with errors is up"
	check "$board: its counters are its own" [ "$(grep -cE 'retrains [1-9][0-9]*, CRC errors [1-9][0-9]*, corrected [1-9][0-9]*, uncorrected [1-9]' "$out")" = 1 ]
done

# Not where that could disturb, nor where it cannot be told what is where
eth --sim p150a:held
rc_is 6 "a board that a process holds"
out_has "not read: process 1 holds the board" "is left alone"
eth --sim p150a:held,p150a
rc_is 4 "a board that is held beside one that is not"
check "the other is read" [ "$(grep -c '    training' "$out")" = 12 ]
eth --sim p150a --passive
rc_is 6 "--passive"
out_has "not read: --passive" "opens no device"
eth --sim p150a --local
rc_is 0 "--local"
check "asks the cores of chips on PCIe" [ "$(grep -c '    training' "$out")" = 12 ]
eth --sim p150a,p150a:hang
rc_is 4 "a card that hangs"
out_has "chip does not answer" "says so"
eth --root "$top_srcdir/tests/fixtures/sysfs/blackhole"
rc_is 4 "a recorded tree"
check "has no cores to ask" [ "$(grep -c '  Link' "$out")" = 0 ]
eth --root "$work"
rc_is 3 "no driver: 3"
tt-smi -s --sim p150a --record snapshot.rec >snapshot.json
eth --load snapshot.json
rc_is 4 "a snapshot"
out_has "a snapshot does not have the state of ethernet cores: --links" "says what it lacks"
eth --replay snapshot.rec
rc_is 4 "a recording of another mode"
out_has "this recording does not have the state of ethernet cores: --eth_status --record" "says how to make one that has it"
run tt-smi --eth_status --sim p150a --record seen
rc_is 0 "it is recorded"
cp "$out" first
eth --replay seen
rc_is 0 "and played"
check "with the same words" cmp -s first "$out"
while IFS='|' read -r args words; do
	# shellcheck disable=SC2086
	run tt-smi $args
	rc_is 2 "$args is refused"
	err_has "$words" "with the reason"
done <<'TABLE'
--eth_status -s|cannot be used together with
--eth_status -ls|cannot be used together with
--eth_status -r 0|cannot be used together with
--eth_status --json|cannot be used together with
TABLE
run tt-smi -s --sim p150a
out_has '"train_speed_gbps": null' "a snapshot asks no core"
done_testing
