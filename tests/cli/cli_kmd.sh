# SPDX-License-Identifier: GPL-2.0-or-later
# Burns of cards, and tests of their memory, on the way that a real card takes: the
# driver's node, its windows, mappings, power states and messages (kmd_driver.c
# plays driver and card).  Each ends with its verdict, and with nothing left.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/kmd_lib.sh"

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
plug n150 wh off@1-1-4-1 off@6-1-9-1
burn -dur 2
rc_is 0 "a Wormhole passes"
json "all of its 72 cores" \
	"len(t['cores']) == 72 and all(c['y'] != 1 and c['blocks'] > 0 and c['blocks_by_host'] > 0 for c in t['cores'])"
check "which were let go by a message" grep -q '^message .* 0xba' sim.log
check "and asked which of its rows live, whatever telemetry says" grep -q '^message .* 0x57' sim.log
check "and none was sent for what the driver does" sh -c "! grep '^message' sim.log | grep -qv ' 0x\\(ba\\|57\\) '"
tidy "Wormhole"

# Who computes watches: it is our own handle that keeps the clock up, and no job that ended.
check "while it burns it is read on" \
	[ "$(sed -n '/power 0xf/,/close active/p' "$root/log" | grep -c 'open passive')" -ge 3 ]

# Reference data, with resets and without.
plug n150 wh off@1-1-4-1 off@6-1-9-1
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
rc_is 0 "both have computed, one in three phases and one in four"

# Operands that never come from the card's memory are missed.
plug n150 wh+dry off@1-1-4-1 off@6-1-9-1
burn -dur 1
rc_is 4 "a burn whose operands never came from the card's memory is no success"
verdict_is 0 INCOMPLETE not-covered "and says so"
json "as its ledger does" "t['coverage']['reloads'] == {'asked': 72, 'done': 0} and t['coverage']['movers']['done'] == 72 and t['card_memory']['operands_loaded'] == 0"
tidy "no operands"

# A channel that is not trained is a fault of the card; what its firmware does not tell is none.
plug n150:dram wh off@1-1-4-1 off@6-1-9-1
burn -dur 1
rc_is 4 "a burn whose operands came from five of six channels is no success"
verdict_is 0 INCOMPLETE channel-silent "and says so"
out_has 'channel 2' "and which channel it is"
plug p150a bh blank@55555555
burn -dur 1
rc_is 0 "a burn of a card whose channels in use are not known passes"
out_has "operands did not come from the card's memory: which memory channels are in use is not known" \
	"and says what was not done"
json "as in the report" \
	"'in use is not known' in t['card_memory']['operands_not_loaded'] and 'reloads' not in t['coverage']"
tidy "channels that are not known"

# A matrix unit is not trusted at the idle clock.
plug p150a bh rise@200
burn -dur 1
rc_is 0 "a burn whose clock rises late passes"
check "and no core was let go before" sh -c "! grep -q 'before the clock has risen' '$root/log'"
plug n150 wh rise@20000
burn -dur 1
rc_is 0 "a clock that is kept down does not keep the burn from its work"
check "which then goes on" grep -q 'before the clock has risen' "$root/log"
tidy "a clock that rises late"

# A board's second chip is passed over, and does not keep the first from passing.
plug n300 wh
smi -b cards --no-reset --workload conv --timeout 10 -dur 1 --report report.json
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
p100a|bh|4|INCOMPLETE: memory channel 3 is switched off, or the card has none of this number|--workload conv,memory --channels 2,3
n150|wh|4|INCOMPLETE: memory channel 7 is switched off, or the card has none of this number|--workload memory --channels 7
TABLE

# Resets around it, as the driver does them.
for chip in 'n150 wh' 'p150a bh'; do
	plug $chip
	rm -f report.json
	smi -b 0 --workload conv --timeout 10 -dur 1 --report report.json
	rc_is 0 "$chip: a burn between two resets passes"
	json "$chip: both brought the card back" \
		"t['reset_before']['verdict'] == 'recovered' and t['reset_after']['verdict'] == 'recovered'"
	check "$chip: by the driver, before its cores were touched and after they were held" \
		[ "$(grep -Ev 'passive|exclusive|busy' "$root/log" | sed 's/,.*//; s/ 0x.*//' | uniq | tr '\n' ' ')" = \
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
kill_child() { kill -KILL "$(pgrep -n -P $pid -x 'tt-smi card')"; }
come_between() {
	smi -b 0 --workload memory
	rc_is 6 "a card that burns is not tested beside it"
	err_code held ' process ' "and who has it is said"
	smi --check-memory 0
	rc_is 6 "nor is its memory compared"
	smi -b generate held --device 0 --no-reset --cases 8
	rc_is 6 "nor are reference data computed on it"
	err_code held ' process ' "for the same reason"
	check "and no folder of them is left" [ ! -e held ]
	kill -TERM $pid
}
while_it_burns come_between
verdict_is 0 INCOMPLETE stopped "it burns on until it is told to stop"
while_it_burns kill_child
rc_is 4 "a process of a burn that is killed is no success"
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
	err_code moved-index '0000:01:00.0' "$how: it is said which card was meant"
	untouched "$how"
done
smi -wr 0 -y --force
rc_is 0 "--force goes through"
smi --check-memory 0 --size 64k
err_code moved-index '0000:01:00.0' "--check-memory reads it, and says so"
run tt-smi -wr 0 --dry-run --root "$root"
err_lacks 'when it was last listed' "a recorded tree has no part in that"
rm "$TT_SMI_STATE_DIR/listed"

# A driver that is busy for a moment does not leave the card in its reset.
for n in 3 9; do
	plug p150a bh again@$n
	smi -wr 0 -y
	rc_is 0 "the end of a reset is refused $n times with EAGAIN: recovered"
	check "and was asked for $((n + 1)) times" test "$(grep -c '^reset 6' "$root/log")" = $((n + 1))
done

# The firmware is sent one message after a reset, through the driver.
plug p150a bh
smi -wr 0 -y
out_lacks "was not sent a message" "its firmware answers"
plug n150 wh nopower
smi -wr 0 -y
rc_is 0 "firmware without power states is no reason to doubt it"
out_has "was not sent a message: its firmware has no power states" "but it was not asked"

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
plug n150 wh
ln -s ../../../../bus/pci/drivers/vfio-pci "$root/sys/bus/pci/devices/0000:01:00.0/driver"
touch "$root/unbind"
smi -wr 0 -y --forbid dmc
rc_is 5 "so is one that another driver takes meanwhile"
out_has "unbind it there to see it here" "which is the step"
out_lacks "rescan" "and no rescan helps"
rm -f "$TT_SMI_STATE_DIR/listed"
unplug
# The errors of its links that the kernel counts while a command runs are in the receipt, and in the sum.
plug n150 wh
bdf=0000:01:00.0 port=$root/sys/devices/pci0000:00/0000:00:04.0
mkdir -p "$port"
kill -STOP $driver	# it would make the folder anew in between
mv "$root/sys/bus/pci/devices/$bdf" "$port/$bdf"
ln -s "$port/$bdf" "$root/sys/bus/pci/devices/$bdf"
kill -CONT $driver
ln -s "$port" "$root/sys/bus/pci/devices/${port##*/}"
put() {	# folder correctable fatal
	printf 'Undefined 0\nTOTAL_ERR_COR %d\n' "$2" >"$1/aer_dev_correctable"
	printf 'Undefined 0\nTOTAL_ERR_NONFATAL 0\n' >"$1/aer_dev_nonfatal"
	printf 'Undefined 0\nTOTAL_ERR_FATAL %d\n' "$3" >"$1/aer_dev_fatal"
}
counted() {	# a command that made 7 errors of the card and one of the bridge
	jq -e '[.cards[0], .sum] | all(.pcie_errors == {correctable: 7, nonfatal: 0, fatal: 0} and
		.pcie_bridge_errors == {correctable: 0, nonfatal: 0, fatal: 1})' "$err"
}
export -f put
export root bdf port
for wait in 0.3 1 10; do	# until the first sample is before them
	put "$port/$bdf" 2 0
	put "$port" 5 5
	smi --during --json -- bash -c "sleep $wait; put $port/$bdf 9 0; put $port 5 6"
	counted >counts && break
done
check "the errors of a command's time are in its receipt, and in the sum" counted
done_testing
