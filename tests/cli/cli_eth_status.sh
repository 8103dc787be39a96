# SPDX-License-Identifier: GPL-2.0-or-later
# --eth_status: the ethernet cores of a Blackhole are asked, on demand, where nobody holds the board;
# a simulated board ends the test where a tile that is not there is touched.
. "$top_srcdir/tests/rig/lib.sh"
eth() { run tt-smi --eth_status "$@"; }

eth --sim p150a
rc_is 0 "a Blackhole"
err_empty "without a word more"
out_has "Device 0: Blackhole p150a  (0000:01:00.0)" "is named as the Python tool names it"
out_has "Link  0: UP      core 1-1    speed  400 Gbps target  400 Gbps" "has a line for each core"
out_has "Link 12: UNUSED  core 7-1    speed    - Gbps target  400 Gbps" "without a speed where there is no link"
check "but for those that are off" [ "$(grep -c '  Link' "$out")" = 12 ]
check "by the numbers that --links has" sh -c '! grep -qE "Link +(5|8):" "$1"' - "$out"
eth --sim p150a:eth
rc_is 0 "a link that is down is an answer"
out_has "Link  2: DOWN    core 2-1    speed    - Gbps target  400 Gbps" "which is said"
eth --sim p300a,tt-galaxy-bh
rc_is 0 "boards of several chips"
check "each with its cores" [ "$(grep -c '  Link' "$out")" = $((34 * 12)) ]
eth --sim p150a,p300a
rc_is 0 "a board of two chips"
out_has "Link 10: UP      core 6-1    speed  400 Gbps target  400 Gbps to Device 2 Link 10" "its cores say which chip they lead to"
out_has "to Device 1 Link 11" "and so do those of the other"
check "each link from both ends, and nothing of cables" [ "$(grep -c 'to Device' "$out")" = 4 ]
eth --sim p100a
rc_is 0 "a board whose cores are all off"
out_has "it has no ethernet cores" "has none that is touched"
eth 1 --sim p150a,p150a
check "only those that are named" [ "$(grep -c '^Device' "$out")" = 1 ]
out_has "Device 1:" "by any of their names"
eth 7 --sim p150a
rc_is 3 "no such card"
eth --sim n300
rc_is 0 "a Wormhole"
out_has "Ethernet link status not supported on Wormhole: --links has what its telemetry says." "cannot be asked, and what can is named"

# Not where that could disturb, nor where it cannot be told what is where
eth --sim p150a:held
rc_is 6 "a board that a process holds"
out_has "not read: process 1 holds the board" "is left alone"
eth --sim p150a:held,p150a
rc_is 4 "a board that is held beside one that is not"
check "the other is read" [ "$(grep -c '  Link' "$out")" = 12 ]
eth --sim p150a --passive
rc_is 6 "--passive"
out_has "not read: --passive" "opens no device"
eth --sim p150a --local
rc_is 0 "--local"
check "asks the cores of chips on PCIe" [ "$(grep -c '  Link' "$out")" = 12 ]
eth --sim p150a,p150a:hang
rc_is 4 "a card that hangs"
out_has "chip does not answer" "says so"
eth --root "$top_srcdir/tests/fixtures/sysfs/blackhole"
rc_is 4 "a recorded tree"
check "has no cores to ask" [ "$(grep -c '  Link' "$out")" = 0 ]
eth --root "$work"
rc_is 3 "no driver: 3"
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
