# SPDX-License-Identifier: GPL-2.0-or-later
# Burns of cards, and tests of their memory, on the way that a real card takes: the
# driver's node, its windows, mappings, power states and messages (kmd_driver.c
# plays driver and card).  Each ends with its verdict, and with nothing left.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_SIM_LOG=$work/sim.log TT_SMI_SIM_SPEED=20

shim=$(shim kmd_shim)
if [ ! -x "$top_builddir/tests/rig/kmd_driver" ] || ! LD_PRELOAD=$shim tt-smi -v >/dev/null 2>&1; then
	skip "cards behind the driver's windows" "not this processor, or not with these libraries preloaded"
	done_testing
	exit
fi
driver='' machines=0
unplug() {
	[ -n "$driver" ] && kill "$driver" && wait "$driver" 2>/dev/null
	driver=''
}
trap 'unplug; remove_work' EXIT
plug() {	# board library words...: a machine with this card, in $root
	unplug
	machines=$((machines + 1))
	root=$work/m$machines
	mkdir "$root"
	cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/$2.so"
	board=$1 library=$work/$2.so
	shift 2
	: >sim.log
	"$top_builddir/tests/rig/kmd_driver" "$root" "$board" "$library" "$@" >driver.out 2>&1 &
	driver=$!
	for _ in $(seq 400); do
		[ -S "$root/socket" ] && return
		sleep 0.02
	done
	cat driver.out
}
smi() { KMD_ROOT=$root LD_PRELOAD=$shim run timeout 300 tt-smi "$@"; }
burn() {
	rm -f report.json
	smi -b 0 --no-reset --workload conv --timeout 10 --report report.json "$@"
}
json() {	# name expression of the first target t
	check "$1" python3 -c "import json; t = json.load(open('report.json'))['targets'][0]; assert $2, {k: t[k] for k in t if k != 'cores'}"
}
all_closed() { [ "$(grep -c ^open "$root/log")" = "$(grep -c ^close "$root/log")" ]; }
tidy() {	# name
	for _ in $(seq 400); do
		all_closed && break
		sleep 0.05
	done
	check "$1: no handle is left" all_closed
	check "$1: no power is asked for any more" [ "$(grep ^power "$root/log" | tail -n 1)" = "power 0x0" ]
	[ "${2:-}" = gone ] ||
		check "$1: no core runs" sh -c "! grep 'close active' '$root/log' | tail -n 1 | grep -v ' 0 cores run'"
	check "$1: nothing was done that must not be" [ ! -e "$root/wrong" ]
	[ -e "$root/wrong" ] && sort "$root/wrong" | uniq -c | sed 's/^/# /' | head -5
	[ -n "${2:-}" ] ||
		check "$1: every window was given back" sh -c "! grep -q 'close active, [1-9][0-9]* windows left' '$root/log'"
}

# Every core that lives, and no other, on both chips.
plug p100a bh off@15-2-16-11 off@18-21-18-23
burn -dur 2
rc_is 0 "a Blackhole passes"
json "all of its 120 cores" \
	"len(t['cores']) == 120 and all(c['x'] < 15 and c['blocks'] > 0 and c['blocks_by_host'] > 0 and c['errors'] == 0 for c in t['cores'])"
json "with its power raised" "t['power'] == 'raised by a power state'"
check "for which the highest clock was asked" grep -q '^power 0xf$' "$root/log"
check "which all multicasts reach, wherever the columns are in the network" \
	sh -c "! grep -q 'multicast leaves out' '$root/log'"
tidy "Blackhole"
plug n150 wh deaf@4-5
burn -dur 11
rc_is 0 "a core that no multicast reaches is told by itself that the host lives"
tidy "a core without multicasts"
plug n150 wh off@1-1-9-1
burn -dur 2
rc_is 0 "a Wormhole passes"
json "all of its 72 cores" \
	"len(t['cores']) == 72 and all(c['y'] != 1 and c['blocks'] > 0 and c['blocks_by_host'] > 0 for c in t['cores'])"
check "which were let go by a message" grep -q '^message .* 0xba' sim.log
check "and asked which of its rows live, whatever telemetry says" grep -q '^message .* 0x57' sim.log
check "and none was sent for what the driver does" sh -c "! grep '^message' sim.log | grep -qv ' 0x\\(ba\\|57\\) '"
tidy "Wormhole"


load=conv
while_it_burns() {	# command ...: run once $load has begun; what the burn says is kept
	rm -f report.json
	: >burn.out
	KMD_ROOT=$root LD_PRELOAD=$shim tt-smi -b 0 --no-reset --workload $load --timeout 10 -dur 1000 \
		--report report.json >burn.out 2>burn.err </dev/null &
	pid=$!
	for _ in $(seq 1200); do
		grep -Eq ' [1-9][0-9.]* (blocks|MiB of memory)' burn.out && break
		sleep 0.05
	done
	"$@"
	wait $pid
	rc=$?
	cp burn.out "$out" && cp burn.err "$err"
}

# Who computes watches: it is our own handle that keeps the clock up, and no job that ended.
check "while it burns it is read on" \
	[ "$(sed -n '/power 0xf/,/close active/p' "$root/log" | grep -c 'open passive')" -ge 3 ]

# Reference data, with resets and without.
plug n150 wh off@1-1-9-1
smi -b generate card --device 0 --no-reset --cases 8 --timeout 10
rc_is 0 "a Wormhole computes reference data"
check "of silicon, as far as can be told" grep -q '"simulator": null' card/system_info.json
check "on cores that live alone" sh -c "! grep -q '\"cores\":.*[1-9]-1[ \"]' card/system_info.json"
tidy "reference data of a Wormhole"
plug p100a bh off@15-2-16-11 off@18-21-18-23
smi -b generate resets --device 0 --cases 8 --timeout 10
rc_is 0 "a Blackhole does between two resets"
out_has 'reset after the burn: recovered' "of which the second is told"
tidy "reference data of a Blackhole"
smi -b compare card resets
rc_is 0 "both have computed"
check "the same bits" [ "$(grep -c ' pass: 32768 equal' "$out")" = 2 ]

# Operands that never come from the card's memory are missed.
plug n150 wh+dry off@1-1-9-1
burn -dur 1
rc_is 1 "a burn whose operands never came from the card's memory is no success"
out_has "INCOMPLETE: 0 of 72 cores had their operands from the card's memory" "and says so"
json "as its ledger does" "t['coverage']['reloads'] == {'asked': 72, 'done': 0} and t['coverage']['movers']['done'] == 72 and t['card_memory']['operands_loaded'] == 0"
tidy "no operands"

# A board's second chip is passed over, and does not keep the first from passing.
plug n300 wh
smi -b cards --no-reset --workload conv -dur 1 --report report.json
rc_is 0 "the first chip of an n300 passes"
out_has 'n300 L: PASS (--no-reset: no chip reset before and after); its second chip, 1 n300 R, was not burnt (reached only over ethernet)' \
	"beside what was not burnt"
json "as in the report" "t['second_chip_not_burnt'] == '1 n300 R' and t['coverage']['cores'] == {'asked': 64, 'done': 64}"
tidy "n300"

# What cannot be burnt is found before the card is taken or reset.
untouched() {	# name
	check "$1: the card was neither reset nor opened for more than a look" sh -c "! grep -Eq '^reset|open active' '$root/log'"
}
while IFS='|' read -r board lib code words args; do
	plug "$board" "$lib" off@18-21-18-23
	# shellcheck disable=SC2086
	smi -b 0 -dur 1 $args
	rc_is "$code" "$board $args: exit code"
	cat "$err" >>"$out"
	out_has "$words" "$board $args: says '$words'"
	untouched "$board $args"
done <<'TABLE'
n150|wh|2|--dtype: a card burns conv and matmul in bfloat16, not in float32|--dtype float32
p100a|bh|1|INCOMPLETE: memory channel 3 is switched off, or the card has none of this number|--workload conv,memory --channels 2,3
n150|wh|1|INCOMPLETE: memory channel 7 is switched off, or the card has none of this number|--workload memory --channels 7
TABLE

# Resets around it, as the driver does them.
for chip in 'n150 wh' 'p150a bh'; do
	plug $chip
	rm -f report.json
	smi -b 0 --workload conv -dur 1 --report report.json
	rc_is 0 "$chip: a burn between two resets passes"
	json "$chip: both brought the card back" \
		"t['reset_before']['verdict'] == 'recovered' and t['reset_after']['verdict'] == 'recovered'"
	check "$chip: by the driver, before its cores were touched and after they were held" \
		[ "$(grep -v passive "$root/log" | sed 's/,.*//; s/ 0x.*//' | uniq | tr '\n' ' ')" = \
		"reset 4 reset 6 open active power close active reset 4 reset 6 " ]
	tidy "$chip: with resets"
done

# What an older firmware has not, or an older driver takes and does nothing with.
for old in nopower driver@2.8.0; do
	plug n150 wh $old
	burn -dur 1
	rc_is 0 "$old: a Wormhole passes"
	json "$old: its power was raised otherwise, and that is said" \
		"t['power'] == 'raised by a message to the firmware'"
	check "$old: by a message that is taken back at the end" \
		[ "$(sed -n 's/^message [^ ]* \(0x5[24]\) .*/\1/p' sim.log | tr '\n' ' ')" = "0x52 0x54 " ]
	tidy "$old"
done
kill_child() {
	kill -KILL "$(for p in $(pgrep -P $pid -x tt-smi); do	# the one that beats is the one that runs
		echo "$(awk '{ print $14 + $15 }' /proc/$p/stat) $p"
	done | sort -n | tail -n 1 | cut -d' ' -f2)"
}
come_between() {
	smi -b 0 --workload memory
	rc_is 6 "a card that burns is not tested beside it"
	err_has 'another program has it: process' "and who has it is said"
	smi --check-memory 0
	rc_is 6 "nor is its memory compared"
	smi -b generate held --device 0 --no-reset --cases 8
	rc_is 6 "nor are reference data computed on it"
	err_has 'another program has it: process' "for the same reason"
	check "and no folder of them is left" [ ! -e held ]
	kill -TERM $pid
}
while_it_burns come_between
out_has 'INCOMPLETE: stopped before its end' "it burns on until it is told to stop"
while_it_burns kill_child
rc_is 1 "a process of a burn that is killed is no success"
check "what it has told the firmware is taken back all the same" \
	[ "$(sed -n 's/^message [^ ]* \(0x5[24]\) .*/\1/p' sim.log | tail -n 1)" = 0x54 ]
tidy "a killed child" killed
kill_all() { kill -KILL $pid; }
while_it_burns kill_all
tidy "kill -9" killed

# An index names the card that it named when it was listed, of this machine's own cards, too.
plug n150 wh
run_typed "env KMD_ROOT='$root' LD_PRELOAD='$shim' tt-smi -ls"
check "the machine's card is remembered with its serial" \
	grep -Eq '^0 0000:01:00.0 [0-9a-f]*[1-9a-f][0-9a-f]*$' "$TT_SMI_STATE_DIR/listed"
smi -wr 0 -y
rc_is 0 "and reset by its index"
plug p150a bh
for how in '-wr 0 -y' '-b 0'; do
	smi $how
	rc_is 6 "$how: another card in its place is left alone"
	err_has '0: was 0000:01:00.0 (serial ' "$how: it is said which card was meant"
	untouched "$how"
done
smi -wr 0 -y --force
rc_is 0 "--force goes through"
smi --check-memory 0 --size 64k
err_has 'when it was last listed, and is 0000:01:00.0 (serial ' "--check-memory reads it, and says so"
run tt-smi -wr 0 --dry-run --root "$root"
err_lacks 'when it was last listed' "a recorded tree has no part in that"
rm "$TT_SMI_STATE_DIR/listed"

# What the kernel has taken away it can give again: before anything is switched off.
plug n150 wh
touch "$root/unbind"
smi -wr 0 -y --forbid dmc
rc_is 5 "a card whose driver is unbound while it is in reset is lost"
out_has "try: echo 1 >/sys/bus/pci/devices/0000:01:00.0/remove; echo 1 >/sys/bus/pci/rescan; tt-smi -wr 0000:01:00.0" \
	"remove and rescan come first"
out_lacks "power the host off" "and nothing is switched off"
out_lacks "reboot" "nor booted"
rm -f "$TT_SMI_STATE_DIR/listed"

# Faults of the card: each found, and laid where it belongs.
plug n150 wh+miss@3 off@1-1-9-1
burn -dur 1
rc_is 0 "a multicast that a core has missed is sent to it again"
tidy "a lost word"
plug n150 wh+wrong@1
burn -dur 1
rc_is 5 "a wrong word is a negative verdict"
out_has 'FAIL: 1 wrong word on 1 core; the first on core 4-5: conv2d, block 1, word 7' "laid to its core"
tidy "a wrong word"

# file, exit code, words: what befalls the card while it burns, or while its memory is tested
while IFS='|' read -r what code words; do
	for load in conv memory; do
		plug n150 wh
		while_it_burns touch "$root/$what"
		rc_is "$code" "$load, $what: exit code"
		out_has "$words" "$load, $what: says '$words'"
		out_lacks ' wrong word' "$load, $what: nothing is made of what was not read"
		tidy "$load, $what" gone
	done
done <<'TABLE'
ones|5|it has left the bus: its config space is all ones
late|5|the chip does not answer
reset|1|another program has reset it, or the driver has let go of it
removed|1|another program has reset it, or the driver has let go of it
TABLE
load=conv

# words, exit code, words: what the driver has not
while IFS='|' read -r what code words; do
	plug n150 wh "$what"
	burn -dur 1
	rc_is "$code" "$what: exit code"
	out_has "$words" "$what: says '$words'"
	[ "$what" = windows@0 ] && check "$what: the card was left alone" sh -c '! grep -q ^message sim.log'
	tidy "$what"
done <<'TABLE'
windows@0|1|INCOMPLETE: all windows to the chip are taken by other programs
windows@1|0|PASS
mmap@0|1|INCOMPLETE: the cores cannot be held
TABLE

# The memory, by the same windows.
for chip in 'n150 wh' 'p100a bh'; do
	plug $chip off@18-21-18-23
	smi -b 0 --timeout 10 --workload memory --size 64k --channels 5 --iterations 1
	rc_is 0 "$chip: its memory passes"
	tidy "$chip: memory"
	smi --check-memory 0 --timeout 10 --size 64k --channels 5
	rc_is 0 "$chip: its memory agrees"
	tidy "$chip: memory that is only read"
done
plug p150a bh+late
smi -b 0 --timeout 10 --workload memory --size 64k --channels 3 --stop-on-error
rc_is 5 "a lane that is late fails"
out_has 'FAIL: memory channel 3: byte lane 2' "by its name"
tidy "a late lane"
# Beside a program that has the card open and changes words, differences are no proof.
plug p150a bh+toggle
KMD_ROOT=$root LD_PRELOAD=$shim python3 -c \
	'import os, time; os.open("/dev/tenstorrent/0", os.O_RDWR); open("held", "w"); time.sleep(600)' &
holder=$!
for _ in $(seq 200); do
	[ -e held ] && break
	sleep 0.05
done
smi --check-memory 0 --channels 2,3
rc_is 6 "a card that a program has open is not checked"
err_has 'has it open' "and the program is named"
smi --check-memory 0 --channels 2,3 --size 256k --force
rc_is 1 "with --force it is, and words that the program toggles are no agreement"
out_has 'differences in channel 3 were seen while another program holds the card: not proof, since it may write there' "nor proof"
out_lacks 'disagrees' "no channel is blamed"
kill $holder
wait $holder 2>/dev/null
plug p150a bh+late
touch "$root/ones"
smi --check-memory 0 --size 64k
out_lacks 'disagree' "a card that is off the bus is not called wrong"
unplug
done_testing
