# SPDX-License-Identifier: GPL-2.0-or-later
# Recorded machines in the live display, the mouse, messages of libraries, and
# signals while a dump runs or its workbook is made.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"

u='LC_ALL=C.UTF-8 TERM=screen-256color'

loaded() {
	start 120 36 "$u" "--load '$top_srcdir/tests/fixtures/snapshots/n300-tt_smi-5.3.0.json'"
	check "--load shows the cards of the file" row 'n300'
	check "--load says that it is a snapshot, and of when" sees 'snapshot of 2026-07-16T23:43:03'
	send x; check "--load: x says why nothing is reset" sees '--load shows a saved file'
	send 2; check "--load: telemetry" sees Vcore
	send Enter; check "--load: a chip's page" sees Heartbeat
	send Escape 5; check "--load: one moment is no history" sees 'has no history'
	send 4; check "--load: processes" sees Command
	send s; check "--load: s saves a snapshot" sees 'snapshot saved'
	check "--load: which is there" sh -c 'ls tt-smi-logs/tt-smi-snapshot_* >/dev/null'
	send d; check "--load: d says why there is nothing to dump" sees 'nothing to record'
	check "--load: and makes none" sh -c '! ls -d tt-smi-logs/tt-smi-dump_* 2>/dev/null'
	send B; check "--load: B says that there is no more" sees 'nothing more can be read'
	send Escape R; check "--load: R too" sees 'nothing more can be read'
	send q; check "--load: q ends it" ended
	check "--load: with success" code_is 0
	check "--load: the terminal is given back" same_modes
}

replayed() {
	"$TT_SMI" -d --ndjson -i 0.2 -dur 2 --sim p150a,n150 --record rec >/dev/null 2>&1 </dev/null
	start 120 36 "$u" "--replay rec"
	check "--replay shows the cards of the recording" row '1 n150'
	send x; check "--replay: x says why nothing is reset" sees '--replay plays a recording'
	send 2; check "--replay: telemetry" sees Vcore
	send Enter; check "--replay: a chip's page" sees Heartbeat
	send Escape 5; check "--replay: history" sees 'Core Temp'
	send s; check "--replay: s saves a snapshot" sees 'snapshot saved'
	send d; check "--replay: d dumps" sees '● dump'
	send d; check "--replay: and stops" gone '● dump'
	check "--replay: where it is over, the row says so" sees 'the recording is over'
	check "--replay: and no firmware is called silent" gone 'firmware silent'
	send q; check "--replay: q ends it" ended
	check "--replay: with success" code_is 0
	check "--replay: the terminal is given back" same_modes
}

# A click on the first place where a text stands, as xterm reports it (SGR, from 1).
click() {	# text
	screen >"$out"
	at=$(grep -nF -m 1 -e "$1" "$out") || return 1
	line=${at%%:*}
	before_it=${at#*:}
	before_it=${before_it%%"$1"*}
	column=$(($(printf %s "$before_it" | wc -m) + 2))
	send -l "$(printf '\033[<0;%d;%dM' "$column" "$line")"
	send -l "$(printf '\033[<0;%d;%dm' "$column" "$line")"
}
# Where no text stands: the frame, the empty part of the table, below the picture.
click_at() { send -l "$(printf '\033[<0;%d;%dM\033[<0;%d;%dm' "$1" "$2" "$1" "$2")"; }
wheel() { send -l "$(printf '\033[<%d;50;10M' "$1")"; }	# 64 up, 65 down

# The words of the question alone: the side panel says what x resets, too.
asks() { sees 'by ASIC_RESET? y: reset'; }

mouse() {
	start 120 36 'LC_ALL=C.UTF-8 TERM=xterm-256color' "--sim 'p150a,n150,p100a'"
	check "there before the mouse" row 'p100a .* ok '
	click Telemetry; check "a click on a tab opens it" sees Vcore
	click Devices; check "and on another one" sees 'Bus ID'
	check "the first row is selected" row '▸ +0 p150a'
	click n150; check "a click on a row selects it" row '▸ +1 n150'
	wheel 65; check "the wheel goes down" row '▸ +2 p100a'
	wheel 64; check "and up" row '▸ +1 n150'
	click n150; check "a click on the selected row opens it" sees Heartbeat
	send Escape; check "Escape leaves it" sees 'Bus ID'
	click Board; check "a click on a heading sorts" row 'Board *[▲▼^v]|[▲▼]'
	click help; check "a click on a shortcut is its key" sees 'this page'
	send Escape; check "which Escape closes" gone 'this page'
	for at in '1 1' '60 20' '1 35' '120 36'; do
		types x; check "a question" asks
		# shellcheck disable=SC2086
		click_at $at; check "is withdrawn by a click at $at" sees 'nothing was reset'
	done
	types x; check "a question" asks
	wheel 65; check "is withdrawn by the wheel" sees 'nothing was reset'
	send y; check "and a y behind it resets nothing" gone 'nothing was reset'
	check "the line of keys comes back" sees quit
	click quit; check "and on quit quits" ended
	check "after the mouse the terminal is given back" same_modes
}

# Workers and the process that makes the workbook end with us.
no_children() {
	tm list-panes -t "=$pane:" -F '#{pane_tty}' >tty
	read -r tty <tty
	! ps -t "${tty#/dev/}" -o comm= 2>/dev/null | grep -q tt-smi
}

dumping() {	# signal
	start 120 36 "$u" "--sim '4*p150a' -i 0.05"
	check "SIG$1: there before the dump" row 'p150a .* ok '
	send d; check "SIG$1: it dumps" row '● dump .* [1-9][0-9]* rows'
	kill -"$1" "$(pid)"
	check "SIG$1 ends display and dump" ended
	check "SIG$1 gives the terminal back" same_modes
	check "SIG$1: the parent sees the signal" code_is "$2"
	dir=$(ls -d "$PWD"/tt-smi-logs/tt-smi-dump_*)
	check "SIG$1: says what makes the workbook" grep -q "tt-smi --finish .*tt-smi-dump_.* makes it" err.live
	check "SIG$1: no workbook is half made" sh -c "! ls '$dir'/*.xlsx* 2>/dev/null"
	check "SIG$1: the index is whole" sh -c "for j in '$dir'/*.json; do jq -e . \"\$j\" >/dev/null || exit 1; done"
	check "SIG$1: --finish makes it" sh -c "'$TT_SMI' --finish '$dir' 2>/dev/null"
	check "SIG$1: there it is" sh -c "ls '$dir'/*.xlsx >/dev/null"
	check "SIG$1: no child is left" no_children
}

# The deadlines of its rows are the display's, whenever the key comes.
between() {
	start 120 36 "$u" "--sim p150a -i 1"
	check "there before the dump" row 'p150a .* ok '
	nap 0.6
	send d; check "a dump begun between two samples" row '● dump .* [2-9] rows'
	send q; check "ends with the display" ended
	check "and calls no row late for that" sh -c \
		'sed 1d tt-smi-logs/tt-smi-dump_*/0_*.csv | grep -qv "; late"'
}

# Ended while the workbook of a dump that was stopped is being made, or just after.
packing() {
	start 120 36 "$u" "--sim '32*p150a' -i 0.01"
	check "there before the workbook" row 'p150a.* ok '
	send d; check "a dump of many rows" row '● dump .* [1-9][0-9][0-9][0-9]+ rows'
	send d
	kill -TERM "$(pid)"
	check "SIGTERM does not wait for the workbook" ended
	check "and the modes are back after it" same_modes
	check "and the code tells of the signal" code_is 143
	check "the workbook is whole or not there" sh -c "ls tt-smi-logs/*/*.xlsx >/dev/null 2>&1 || grep -q -e --finish err.live"
	check "no child is left after it" no_children
}

# Without a card the display stays up, and its exit code is that of -s.
cardless() {
	mkdir -p empty
	start 100 24 "$u" "--root empty"
	check "without a card it stays up and says why" sees 'no Tenstorrent device and no driver'
	send 2
	check "and takes keys" sees Telemetry
	send q
	check "without a card: it ends" ended
	check "without a card: exit code 3" code_is 3
}

# A sync takes a minute: whatever waited for one would miss the deadlines below.
slow_disk() {
	shim=$(shim eio_shim)
	if ! LD_PRELOAD=$shim "$TT_SMI" -v >/dev/null 2>&1; then
		skip "a slow disk" "preloading does not work here (sanitizers?)"
		return
	fi
	start 120 36 "$u LD_PRELOAD='$shim' SLOW_SYNCS=60" "--sim p150a -i 0.1"
	check "there before the slow disk" row 'p150a .* ok '
	send s; send 2; check "a snapshot on a slow disk stops no key" sees Vcore
	send s; check "and no second one is begun" sees 'the last one is being written'
	send 1; send d; check "a dump runs on a slow disk" row '● dump .* [1-9][0-9]* rows'
	send d; check "it is stopped" sees 'the disk takes its last rows'
	send 2; check "and keys work" sees Vcore
	send 1; check "and go on working" sees 'Bus ID'
	send d; check "no further dump begins before that is over" sees "the disk still takes"
	kill -TERM "$(pid)"
	check "SIGTERM does not wait for the disk" ended
	check "it gives the terminal back" same_modes
	check "and names what makes the workbook" grep -q -e '--finish .*tt-smi-dump_' err.live
	check "nothing temporary stays" sh -c '! ls -R tt-smi-logs | grep -q tmp'
	check "every row is in the file" sh -c \
		'test "$(wc -l <"$(ls tt-smi-logs/tt-smi-dump_*/0_*.csv)")" -gt 1'
}

# A file that goes away ends the dump; the picture stays, and says it.
removed() {
	start 120 36 "$u" "--sim p150a -i 0.05"
	check "there before the file goes" row 'p150a .* ok '
	send d; check "it dumps before the file goes" row '● dump .* [1-9][0-9]* rows'
	rm tt-smi-logs/tt-smi-dump_*/0_*.csv
	check "a dump whose file is removed stops, and says so" sees 'was removed while'
	check "the mark is gone with it" gone '● dump'
	send q; check "and q ends the display" ended
	check "which says it again" grep -q 'dump stopped: .* was removed while' err.live
	check "and has failed" code_is 1
	rm -r tt-smi-logs
	: >tt-smi-logs
	start 120 36 "$u" "--sim p150a"
	check "there before the snapshot" row 'p150a .* ok '
	send s; check "a snapshot that cannot be saved is said" sees 'snapshot: ./tt-smi-logs'
	send q; check "the display ends after it" ended
	check "and says it again" grep -q 'snapshot: .*tt-smi-logs' err.live
	check "the snapshot's failure is the display's" code_is 1
}

# stderr is the terminal here: what a library writes comes to the log, not over the picture.
messages() {
	tm kill-session -t "=$pane"
	printf '#include <stdio.h>\n#include <unistd.h>\n#include <pthread.h>\n' >noise.c
	cat >>noise.c <<-'C'
		static void *late(void *p)
		{
			sleep(2);
			fprintf(stderr, "noise from a library\033[3A\n");
			return p;
		}
		__attribute__((constructor)) static void begin(void)
		{
			pthread_t t;
			pthread_create(&t, 0, late, 0);
		}
	C
	if ! ${CC:-cc} -shared -fPIC -o noise.so noise.c -lpthread 2>/dev/null; then
		skip "a library that writes to stderr" "no C compiler"
		return
	fi
	tm new -d -s "$pane" -x 120 -y 36 "cd '$PWD'; stty -g >before; env $u LD_PRELOAD='$PWD/noise.so' \
		'$TT_SMI' --sim p150a; echo \$? >code; stty -g >after; echo ALL-OVER; cat"
	check "there before the noise" row 'p150a .* ok '
	check "a message is told of in the footer" sees 'new message'
	send l; check "and shown by l" sees 'noise from a library'
	send l; check "and is gone from the screen after that" gone 'noise from a library'
	send q; check "q ends it" ended
	check "what came is printed below the screen" sees 'noise from a library\x1b[3A'
	check "and the modes are as before" same_modes
}

# What ends it must be said, also where the descriptor that would keep stderr is missing
few_descriptors() {
	for n in 5 6 7 8 9 10 12; do
		tm kill-session -t "=$pane"
		tm new -d -s "$pane" -x 120 -y 36 "cd '$PWD'; (exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; \
			ulimit -n $n; env $u '$TT_SMI' --sim p150a); echo ALL-OVER; cat"
		check "it starts, or says why not" row ' ok |Too many open files'
		send q; check "and ends" ended
	done
}

in_parallel loaded loaded
in_parallel few-descriptors few_descriptors
in_parallel replayed replayed
in_parallel mouse mouse
in_parallel messages messages
in_parallel cardless cardless
collect
in_parallel dump-term dumping TERM 143
in_parallel dump-hup dumping HUP 129
in_parallel packing packing
in_parallel between between
in_parallel slow-disk slow_disk
in_parallel removed removed
collect
done_testing
