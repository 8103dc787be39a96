# SPDX-License-Identifier: GPL-2.0-or-later
# Every fault of the simulator while the screen runs: the card says so on its
# row, the others live on, keys answer, and the terminal is given back; a card
# that comes back is ok again, and one that appears gets a row.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"

u='LC_ALL=C.UTF-8 TERM=screen-256color'

# fault as in --sim, state on the row, what is said of it (a pattern), on which tab
faults() {
	cat <<-'TABLE'
	hang|FAILED|chip does not answer|1
	off|FAILED|off the PCI bus|1
	slow|FAILED|no answer within 0.3 s|1
	gone|GONE|not on the bus any more|1
	eio|FAILED|Input/output error|1
	reset|FAILED|being reset|1
	left|FAILED|left in a reset|1
	stuck|warn|firmware silent for|1
	dram|warn|memory channel 2 not trained|1
	eth|warn|ethernet channel 2 down|1
	ethstuck|ok||1
	retrain|ok||1
	hot|warn|throttle limit 90|1
	memhot|warn|memory at 95 °C|1
	fan|warn|fan stands|1
	overpower|warn|power of 187.0 W, limit 150|1
	cable|warn|power cable|1
	regulator|warn|reports a fault: voltage regulators|1
	bist|warn|failed the self-test|1
	wire|ok||1
	nopeer|ok||1
	garbage|warn|readings are impossible|1
	width|warn|PCIe link DOWNGRADED to Gen4 x8|1
	held|ok| 1 +p150a +1 |4
	bitflip|warn|corrected errors grow in memory module|1
	vfio|not-read|bound to vfio-pci|1
	nodeless|ok||1
	lane|warn|uncorrected errors in memory module 2;|1
	resetfail|ok||1
	late|FAILED|chip seems to hang|1
	job|ok||1
	runtime|ok||1
	exclusive|ok||1
	noreset|ok||1
	dmc|ok||1
	falsefail|ok||1
	eintr|ok||1
	vanish|ok||1
	unbound|ok||1
	renumber|ok||1
	narrow|ok||1
	deadbeat|ok||1
	mute|ok||1
	untrained|ok||1
	linklost|ok||1
	peerlost|ok||1
	exported|ok||1
	olddriver|ok||1
	TABLE
}

# The heartbeat on the page of a healthy card moves.
is_other() { line_with Heartbeat && [ "$line" != "$first" ]; }
beats() {
	line_with Heartbeat && first=$line && until_true is_other
}

# A card with the fault between two that are well.
lasting() {	# fault state words tab
	start 150 36 "$u" "--timeout 0.3 --sim 'p150a,p150a:$1@1-600,p150a'"
	check "$1: the row says $2" row " 1 p150a .* $2 "
	send "$4"
	[ -z "$3" ] || check "$1: and '$3'" row "$3"
	send 1
	check "$1: the card before it is ok" row ' 0 p150a .* ok '
	check "$1: and the one after it" row ' 2 p150a .* ok '
	send 2; check "$1: keys answer" sees Vcore
	send Home Enter; check "$1: a card's page opens" sees Heartbeat
	check "$1: and its values move" beats
	send Escape 1 q; check "$1: q ends it" ended
	check "$1: with success" code_is 0
	check "$1: and the terminal is given back" same_modes
}

# The same, and back again.
passing() {	# fault state
	start 150 36 "$u" "--timeout 0.3 --sim 'p150a,p150a:$1@3-11,p150a'"
	check "$1, for a while: ok at first" row ' 1 p150a .* ok '
	check "$1, for a while: then $2" row " 1 p150a .* $2 "
	check "$1, for a while: and ok again" row ' 1 p150a .* ok '
	check "$1, for a while: its neighbour still is" row ' 2 p150a .* ok '
	send q; check "$1, for a while: q ends it" ended
	check "$1, for a while: with success" code_is 0
}

# Our handle is closed when another program resets the card, and not opened until that is over.
opens() { grep -c '^open 0000:02:00.0' log; }
resetting() {	# interval
	start 150 36 "$u TT_SMI_SIM_LOG=$PWD/log" "-i $1 --sim 'p150a,p150a:reset@2-12'"
	check "every $1 s: the card can be read at first" row ' 1 p150a .* ok '
	check "every $1 s: it is being reset" row 'for [1-9].*being reset'
	n=$(opens)
	check "every $1 s: it was opened before that" test "$n" -gt 0
	check "every $1 s: the handle is closed by then" \
		sh -c "grep -E '^(open|close) 0000:02' log | tail -n 1 | grep -q ^close"
	check "every $1 s: the reset goes on" row 'for [4-9] s.*being reset'
	check "every $1 s: we did not open it meanwhile" test "$(opens)" -eq "$n"
	check "every $1 s: the reset is over" row ' 1 p150a .* ok '
	check "every $1 s: and the card is opened again" test "$(opens)" -gt "$n"
	check "every $1 s: no access through a stale handle" sh -c '! grep ^violation log'
	send q; check "every $1 s: q ends it" ended
}
advised() {	# the key of a reset stands in the footer where one can help
	start 150 36 "$u" "--sim p150a:hang"
	check "a card that hangs may be reset" sees 'x reset'
	send q; check "and q ends it" ended
	start 150 36 "$u" "--sim p150a:gone"
	check "one that is gone is said to be" row 'not on the bus any more'
	check "and its footer has no key for a reset" lacks 'x reset'
	send x; check "which says why" sees 'not on the bus any more; nothing was reset'
	check "and advises none" lacks 'tt-smi -wr'
	send q; check "and q ends that too" ended
}
failing_reset() {
	start 150 36 "$u" "--timeout 0.3 --sim 'p150a,p150a:reset@1-2:resetfail'"
	check "a reset that fails leaves the card failed" row ' 1 p150a .* FAILED '
	check "which says why" sees 'off the PCI bus'
	send q; check "and q ends it" ended
}

absent_at_first() {
	start 150 36 "$u" "--sim 'p150a,p150a:gone@0-11'"
	check "a card that is absent at first says so" row ' 1 p150a .* GONE '
	check "and is ok when it has come" row ' 1 p150a .* ok '
	send q; check "and q ends that" ended
}

# A recorded tree, in which no reading ever changes: nothing but the clock asks for pictures.
clock_moves() {	# times
	for _ in $(seq "$1"); do
		last=$(grep -m 1 -oE '[0-9]{2}:[0-9]{2}:[0-9]{2}' "$out") && until_true lacks "$last" || return 1
	done
}
still() {
	start 120 36 "$u" "-i 0.5 --root '$top_srcdir/tests/fixtures/sysfs/blackhole'"
	check "a card that stands still is shown" sees 0000:01:00.0
	check "and the clock goes on" clock_moves 6
	send x; check "and x says why nothing is reset" sees '--root reads a recorded tree'
	send q; check "and q ends that, too" ended
}

# A recorded tree to which cards are added while it is shown, and while it is dumped.
plugged_in() {
	cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree && chmod -R u+w tree
	mv tree/sys/bus/pci/devices/0000:01:00.0 away
	mv tree/sys/class/tenstorrent away-class && mkdir tree/sys/class/tenstorrent
	start 150 36 "$u" "--root '$PWD/tree'"
	check "a machine without a card has a screen" sees Compatibility
	mv away tree/sys/bus/pci/devices/0000:01:00.0
	rmdir tree/sys/class/tenstorrent && mv away-class tree/sys/class/tenstorrent
	check "a card that is plugged in gets a row" sees 0000:01:00.0
	send d; check "which is dumped" row '● dump .* [1-9][0-9]* rows'
	cp -r tree/sys/bus/pci/devices/0000:01:00.0 tree/sys/bus/pci/devices/0000:02:00.0
	check "a card that comes beside the dump gets a row" sees 0000:02:00.0
	check "and a file with its rows" until_true \
		sh -c 'test "$(cat tt-smi-logs/*/1_*0000-02-00.0.csv 2>/dev/null | wc -l)" -gt 1'
	send q; check "and q ends it then" ended
}

# What the runtime says of a process's memory comes and goes while it is shown.
memory_published() {
	cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree && chmod -R u+w tree
	mkdir -p tree/dev/shm tree/proc/4711
	echo 4711 >tree/proc/driver/tenstorrent/0/pids
	printf 'btime 1700000000\n' >tree/proc/stat
	printf 'Name:\tx\nUid:\t0\t0\t0\t0\n' >tree/proc/4711/status
	printf 'python3\0run.py\0' >tree/proc/4711/cmdline
	echo "4711 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0" >tree/proc/4711/stat
	start 150 36 "$u" "--root '$PWD/tree'"
	send 4; check "a process that holds a card is shown" row ' 4711 .*python3 run.py'
	check "without a column for memory" lacks ' DRAM '
	python3 "$top_srcdir/tests/rig/runtime_file.py" tree/dev/shm 4 0x0011223344556601 \
		4711=12884901888,4096,0,0,0@1700000200
	check "which is there when the runtime says it" row ' DRAM +L1 '
	check "with the amount" row ' 4711 .* 12.0 GiB +4 KiB .*python3 run.py'
	rm tree/dev/shm/*
	check "and goes with it" gone ' DRAM '
	send q; check "and q ends that" ended
}

few_descriptors() {
	printf '#!/bin/sh\nulimit -n 16\nexec "%s" "$@"\n' "$TT_SMI" >few
	chmod +x few
	TT_SMI=$PWD/few
	start 150 80 "$u" "-i 0.5 --sim '32*p150a:slow,p150a'"
	check "16 descriptors: the good card is ok" row ' 32 p150a .* ok '
	check "16 descriptors: the hung ones say why" row ' 31 p150a .* FAILED '
	check "16 descriptors: no card wants for one" lacks 'Too many'
	send End Enter; check "16 descriptors: its page opens" sees Heartbeat
	check "16 descriptors: and its values move" beats
	send Escape q; check "16 descriptors: q ends it" ended
	check "16 descriptors: with success" code_is 0
}

every_fault_stands_in faults

while IFS='|' read -r fault state words tab; do
	in_parallel "lasting-$fault" lasting "$fault" "$state" "$words" "$tab"
done <<TABLE
$(faults)
TABLE
for fault in hang off slow eio reset stuck gone; do
	in_parallel "passing-$fault" passing "$fault" "$(faults | sed -n "s/^$fault|\([^|]*\).*/\1/p")"
done
in_parallel resetting-closed resetting 0.5
in_parallel resetting-kept resetting 0.1
in_parallel failing_reset failing_reset
in_parallel advised advised
in_parallel absent_at_first absent_at_first
in_parallel plugged_in plugged_in
in_parallel still still
if command -v python3 >/dev/null; then
	in_parallel memory_published memory_published
else
	skip "memory of processes" "no python3"
fi
collect
in_parallel few_descriptors few_descriptors
collect
done_testing
