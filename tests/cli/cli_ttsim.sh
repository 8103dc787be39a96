# SPDX-License-Identifier: GPL-2.0-or-later
# Chips of the simulator ttsim as cards, from outside: a library with its
# interface that fails on request, and the simulator itself where TTSIM_WH and
# TTSIM_BH name its libraries.
. "$top_srcdir/tests/rig/lib.sh"

lib() {	# name: a copy of the fake that does what the name says
	cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/$1.so"
}
none_left() {
	check "$1: no process is left" sh -c "! pgrep -f '[t]t-smi .*$work' >/dev/null"
}

lib wh
lib bh
run timeout 60 tt-smi -ls --ttsim wh.so,2*bh.so
rc_is 0 "libraries are listed as cards"
check "each is a row" [ "$(sed '/Boards that can/,$d' "$out" | grep -c '^│')" = 3 ]
out_has '0000:03:00.0' "with a PCI address"
err_has 'these boards are simulated' "and called simulated"
none_left 'list'

run timeout 60 tt-smi -s --ttsim wh.so,bh.so
rc_is 0 "a snapshot of them"
out_has '"asic_temperature": "40.0"' "has what the table says"
check "and nothing that a simulator has not" grep -q '"voltage": "N/A"' "$out"
TT_SMI_TTSIM=wh.so run timeout 60 tt-smi
out_has 'simulated' "the overview says simulated, by the variable too"
run timeout 60 tt-smi -s --ttsim wh.so --sim p150a
rc_is 2 "not together with --sim"

# spec, exit code, words
while IFS='|' read -r spec code words; do
	run timeout 60 tt-smi -ls --ttsim "$spec"
	rc_is "$code" "'$spec': exit code"
	err_has "$words" "'$spec': says '$words'"
	none_left "'$spec'"
done <<'TABLE'
,|2|a library is missing
wh.so,|2|a library is missing
2*|2|a library is missing
0*wh.so|2|there can be 1 to 32
33*wh.so|2|there can be 1 to 32
nowhere.so|1|nowhere.so: No such file or directory
.|2|is not a library
/dev/null|2|is not a library
TABLE
echo text >text.so
run timeout 60 tt-smi -ls --ttsim text.so
rc_is 1 "a file that is not a library"
err_code load-ended 'text.so' "is refused with the loader's words"

# One of two ends: the other is read, the reason is told.  What the first sample meets differs
# from what later ones know, so it is the dump and its second tick that say the reason.
while IFS='|' read -r name words; do
	lib "$name"
	run_partial "$name" timeout 60 tt-smi -ls --ttsim "$name.so,wh.so" --timeout 0.3
	check "$name: both are listed" [ "$(sed '/Boards that can/,$d' "$out" | grep -c '^│')" = 2 ]
	check "$name: the other is known" grep -Eq '^│ 1 .*0000:02:00\.0 .*n150' "$out"
	err_lacks 'Sanitizer' "$name: nothing of ours breaks"
	check "$name: says '$words'" grep -Eq "^0 0000:01:00\.0: .*$words" "$out"
	none_left "$name"
done <<'TABLE'
bh+exit@1|registers cannot be read
bh+silent@1|registers cannot be read
wh+abort@1|registers cannot be read
bh+hang@1|no answer within 0\.3 s
wh+junk@1|registers cannot be read
TABLE

# Ended at the second sample: the third knows why.
lib bh+exit@9
run timeout 60 tt-smi -d -i 0.1 -dur 6 -dir dump --ttsim 'bh+exit@9.so,wh.so'
check "a dump goes on with the other card" test "$(cat dump/*1*.csv 2>/dev/null | grep -c ',40')" -ge 10
check "and its index has the simulator's last words" \
	grep -rqF 'has ended: [28] ERROR: UnimplementedFunctionality: fake: offset=0x1234' dump

run timeout 60 tt-smi -r 0 -y --ttsim wh.so
rc_is 0 "a reset of a simulated chip"
out_has 'heartbeat, messages and PCIe link not checked: the simulator has none' "says what was not checked"
out_has '1 of 1 card recovered (simulated boards)' "and that it was simulated"
none_left 'reset'

# Killed outright: the simulators go with it.
lib bh+hang@3
tt-smi -d -i 0.2 -dur 60 -dir hung --ttsim 'bh+hang@3.so,2*wh.so' >/dev/null 2>&1 </dev/null &
pid=$!
all_run() { [ "$(pgrep -xc ttsim)" -ge 3 ]; }
await all_run
kill -9 $pid
wait $pid 2>/dev/null
await not pgrep -f "[t]t-smi .*bh+hang@3" >/dev/null
none_left 'kill -9'

real() {	# name library board
	if [ -z "$2" ]; then
		skip "the simulator itself: $1" "$1 does not name its library"
		return
	fi
	run timeout 120 tt-smi -ls --ttsim "$2"
	rc_is 0 "$1: listed"
	out_has " $3 " "$1: as $3"
	run timeout 120 tt-smi -s --ttsim "$2"
	rc_is 0 "$1: a snapshot"
	out_has '"dram_status": true' "$1: with memory trained"
	run timeout 120 tt-smi -d -i 0.1 -dur 1 -dir "real-$1" --ttsim "$2"
	rc_is 0 "$1: a dump"
	run timeout 120 tt-smi -r 0 -y --ttsim "$2"
	rc_is 0 "$1: a reset"
	# Counters that stand in the memory of one of its tiles are read over its network.
	for words in '25 100.0, 25.0, counters' '50:7-4 100.0, 50.0, counters' '0 0.0, 0.0, counters'; do
		cp "$top_builddir/tests/rig/wrap_ttsim.so" "$1+busy@${words%% *}.so"
		TTSIM_REAL=$2 run timeout 120 tt-smi --ttsim "$1+busy@${words%% *}.so" --busy \
			--query busy_percent,busy_cores_percent,busy_source --format csv,noheader,nounits
		check "$1: busy ${words%% *}" [ "$(cat "$out")" = "${words#* }" ]
	done
	run timeout 120 tt-smi --ttsim "$2" --busy --query busy_source --format csv,noheader
	check "$1: and none where the firmware has no room for them" [ "$(cat "$out")" = no-buffer ]
	none_left "$1"
}
real TTSIM_WH "${TTSIM_WH:-}" n150
real TTSIM_BH "${TTSIM_BH:-}" p150a
done_testing
