# SPDX-License-Identifier: GPL-2.0-or-later
# A reset from the live display: asked for, confirmed, watched; the display and
# its dump go on beside it.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"
. "$top_srcdir/tests/rig/killed_lib.sh"

u='LC_ALL=C.UTF-8 TERM=screen-256color TT_SMI_SIM_SPEED=4'
last_verdict() { tail -n 1 "$TT_SMI_STATE_DIR/reset.log" | jq -r .verdict; }

confirmed() {
	start 120 36 "$u TT_SMI_STATE_DIR=$work/good" "-i 0.1 --sim 'p150a,n150'"
	check "x: there" row 'p150a .* ok '
	types x; check "x asks" sees 'Reset 0 0000:01:00.0 (p150a) by ASIC_RESET? y: reset'
	send n; check "any other key leaves the card alone" sees 'nothing was reset'
	check "and nothing is in the log" sh -c "! grep -q fire '$work/good/reset.log'"
	types 2 x; check "x means nothing in another tab" sees Vcore
	check "nor asks there" lacks 'y: reset'
	types 1 d; check "a dump is begun" sees '● dump'
	types x; check "x asks again" sees 'y: reset'
	types y; check "its row says what is done with it" row 'is being reset: .* for [0-9]+ s of [0-9]+ s, '
	check "y resets" sees '0 0000:01:00.0: recovered in'
	check "and its row no longer says so" gone 'is being reset'
	check "and others may have the card again" until_true flock -n "$work/good/sim-0000:01:00.0.lock" true
	check "the card is read again" row '0 p150a .* ok '
	check "the other one was never lost" row '1 n150 .* ok '
	check "the dump goes on" grep -q fire "$work/good/reset.log"
	send d; check "and ends" gone '● dump'
	send q; check "x: q ends it" ended
	check "x: with success" code_is 0
	check "x: the verdict is not lost with the display" grep -q 'recovered in' err.live
	check "x: the dump has rows of both cards from after the reset" sh -c '
		awk -F, "NR > 1 { n[\$2]++ } END { exit !(length(n) >= 2) }" tt-smi-logs/*/*.csv'
	check "x: the terminal is given back" same_modes
}

lost() {
	start 120 36 "$u TT_SMI_STATE_DIR=$work/lost" "-i 0.1 --sim 'n150:stuck,p300,n150:off'"
	check "lost: there" row 'p300'
	types x; check "lost: asks" sees 'y: reset'
	types y; check "lost: is said, with what to do" sees '0 0000:01:00.0: lost in'
	check "lost: what to do" sees 'power the host off and on'
	types Down x; check "a board of two functions is named whole" \
		sees 'Reset 1 0000:02:00.0,0000:03:00.0'
	types y; check "lost: both are in the log" until_true both_recovered
	# The footer has the last message alone, which may be that of either.
	types l; check "and reset whole" sees '1 0000:02:00.0: recovered in'
	check "both of them" sees '2 0000:03:00.0: recovered in'
	send l; check "l closes the messages" gone '2 0000:03:00.0: recovered in'
	types Down Down x; check "a card off the bus is not reset" sees 'cannot be reset: off the PCI bus'
	send q; check "lost: q ends it" ended
}
both_recovered() { [ "$(grep -c '"verdict": "recovered"' "$work/lost/reset.log")" = 2 ]; }

refused() {
	start 120 36 "$u TT_SMI_STATE_DIR=$work/refused" "-i 0.1 --sim p150a:held"
	check "held: there" row 'p150a'
	# Its holders are known some samples after the card: until then x says just that.
	asks_in_vain() { send x; has 'another program has it: process 1 (' && lacks 'not reset: '; }
	check "a card that is held is not reset, in the words of every act" until_true asks_in_vain
	send y; check "and y means nothing then" lacks 'recovered'
	send q; check "held: q ends it" ended
	check "held: nothing was fired" sh -c "! grep -qs fire '$work/refused/reset.log'"
}

# Anybody can lock what all can open: x says how root gets the card nevertheless.
locked() {
	mkdir -p "$work/strange"
	: >"$work/strange/sim-0000:01:00.0.lock"
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		flock -F /proc/self/fd/9 sleep 600 9<"$work/strange/sim-0000:01:00.0.lock" &
	start 160 36 "$u TT_SMI_STATE_DIR=$work/strange" "-i 0.1 --sim p150a"
	check "locked: there" row 'p150a .* ok '
	types x; check "locked: asks" sees 'y: reset'
	types y; check "another user's lock: its process is named, and the way out" sees \
		"process $! of another user has locked it: end that process; a reset alone passes it: tt-smi -wr 0000:01:00.0 --force"
	send q; check "locked: q ends it" ended
	check "locked: nothing was fired" sh -c "! grep -qs fire '$work/strange/reset.log'"
	kill $!
	wait $! 2>/dev/null
}

# What may not be seen may be the other half of the board.
hidden() {
	start 120 36 "$u TT_VISIBLE_DEVICES=0 TT_SMI_STATE_DIR=$work/hidden" "-i 0.1 --sim p300"
	check "hidden: there" row 'p300a'
	check "hidden: what hides the rest is said" sees 'TT_VISIBLE_DEVICES=0'
	types x; check "half a board is not reset" sees 'may be on the same board'
	send y; check "and y means nothing then" lacks 'recovered'
	send q; check "hidden: q ends it" ended
	check "hidden: nothing was fired" sh -c "! grep -qs fire '$work/hidden/reset.log'"
}

# A driver that sits on a card for 12 s, and a verdict that says more than the footer can.
slow() {
	start 120 36 "LC_ALL=C.UTF-8 TERM=screen-256color TT_SMI_SIM_SPEED=2 \
		TT_SMI_STATE_DIR=$work/slow" "-i 0.1 --sim 'n150:stuck,n300'"
	check "slow: there" row 'n300'
	check "slow: x asks" until_true asks
	types y; check "slow: what goes on is said" row '0 0000:01:00.0: fire for [1-9][0-9]* s of 20 s, ASIC_RESET'
	check "slow: all the while" row 'fire for ([4-9]|1[0-9]) s of 20 s, ASIC_'
	check "slow: the end, and what to do before why" \
		row '0 0000:01:00.0: lost in .* s; power the host off and on; if the card stays away'
	send Down; check "slow: an n300 asks" until_true asks
	types y; check "slow: that its second chip is not verified is said here, too" \
		sees 'second chip (2): not verified'
	send q; check "slow: q ends it" ended
	check "slow: the whole advice is left behind" \
		grep -q 'power the host off and on; if the card stays away, reseat it' err.live
}

# Who holds a card is known some samples after it is seen; until then x says that.
asks() {
	has 'y: reset' && return 0
	send x
	sleep 0.5
	return 1
}

# -wr at its prompt: what is in use is said, and who mistypes is asked again.
prompt() {
	start 120 36 "$u TT_SMI_STATE_DIR=$work/prompt" "-wr --sim 'p150a,n150:held'"
	check "prompt: the cards" row '0 +0000:01:00.0 +/dev/tenstorrent/0 +p150a +ok'
	check "prompt: who holds one" row '1 +0000:02:00.0 .* in use \(held by process 1, '
	types 9 Enter; check "prompt: a card that is not there" until_true asked_twice
	types 0 Enter; check "prompt: asked again, it resets" sees '1 of 1 card recovered'
	check "prompt: and ends" ended
	check "prompt: with success" code_is 0
	check "prompt: why was said" grep -q '9: no such chip' err.live
	check "prompt: nothing else was fired" \
		sh -c "[ \$(grep -c '\"fire\"' '$work/prompt/reset.log') = 1 ]"
}
asked_twice() { [ "$(grep -c 'Cards to reset' "$out")" = 2 ]; }

# One that quits in the middle is warned; the card, whose reset takes its whole limit of 10 s, is
# brought to the end of it.
quits() {
	TT_SMI_STATE_DIR=$work/quits
	start 120 36 "LC_ALL=C.UTF-8 TERM=screen TT_SMI_SIM_SPEED=1 \
		TT_SMI_STATE_DIR=$TT_SMI_STATE_DIR" "-i 0.1 --sim p150a:noreset"
	check "quit: there" row 'p150a .* ok '
	types x; check "quit: asks" sees 'y: reset'
	types y; check "quit: under way" sees 'fire 0.0 s: done'
	send q; check "q warns while a reset is under way" sees 'q again leaves'
	send q; check "the second one leaves" ended
	check "and says that it goes on" grep -q 'goes on without us' err.live
	ends "quit"
	check "quit: the terminal is given back" same_modes
}

# A warning is for one reset: who was warned in an earlier one is warned again.
warned() {
	start 120 36 "$u TT_SMI_SIM_SPEED=1 TT_SMI_STATE_DIR=$work/warned" "-i 0.1 --sim p150a:noreset"
	check "warned: there" row 'p150a .* ok '
	for time in first second; do
		types x; check "warned: asks, the $time time" sees 'y: reset'
		types y; check "warned: under way" sees 'fire 0.0 s: done'
		send q; check "warned: q warns in the $time reset" sees 'q again leaves'
		check "warned: and the reset comes to its end" sees '0 0000:01:00.0: lost in'
	done
	send q; check "warned: q ends it" ended
}

# While programs are told of it nothing was done, and q may leave.
unfired() {
	TT_SMI_STATE_DIR=$work/unfired
	python3 - "$TT_SMI_STATE_DIR/tmp/tt_umd_listeners" 2>/dev/null <<'E2' &
import os, socket, sys, time
os.makedirs(sys.argv[1])
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1] + "/client_1.sock")
time.sleep(600)
E2
	listener=$!
	start 120 36 "LC_ALL=C.UTF-8 TERM=screen TT_SMI_SIM_SPEED=1 \
		TT_SMI_STATE_DIR=$TT_SMI_STATE_DIR" "-i 0.1 --sim p150a"
	check "unfired: there" row 'p150a .* ok '
	check "unfired: a program listens" until_true [ -S "$TT_SMI_STATE_DIR/tmp/tt_umd_listeners/client_1.sock" ]
	types x; check "unfired: asks" sees 'y: reset'
	types y; check "unfired: it is told" row 'notify for'
	send q; check "unfired: q leaves at once" ended
	check "and says that nothing was reset" grep -q '0000:01:00.0: nothing was reset' err.live
	check "and does not say that it goes on" not grep -q 'goes on without us' err.live
	check "and nothing was" sh -c "! grep -q fire '$TT_SMI_STATE_DIR/reset.log'"
	kill $listener
}

# What was fired goes on without a display that is killed: for a limited time, and with its lock.
killed() {
	TT_SMI_STATE_DIR=$work/killed
	start 120 36 "LC_ALL=C.UTF-8 TERM=screen TT_SMI_SIM_SPEED=4 TT_SMI_SIM_LOG=$work/killed/sim.log \
		TT_SMI_STATE_DIR=$TT_SMI_STATE_DIR" \
		"-i 0.1 --sim p150a:noreset"
	check "killed: there" row 'p150a .* ok '
	types x; check "killed: asks" sees 'y: reset'
	types y; check "killed: under way" sees 'fire 0.0 s: done'
	kill -9 "$(pid)"
	ends "killed"
	check "killed: the driver has opened the card again" grep -q '^reset 0000:01:00.0 6' sim.log
}

# What the display itself lacks is no fact about the card, which is not touched.
wanting() {
	start 160 36 "$u TT_SMI_STATE_DIR=$work/wanting TT_SMI_SIM_LOG=$work/wanting/sim.log" \
		"-i 0.1 --sim p150a"
	check "want: there" row 'p150a .* ok '
	types x; check "want: asks" sees 'y: reset'
	room=$(($(ls "/proc/$(pid)/fd" | wc -l) + 6))
	prlimit --nofile=$room:$room --pid "$(pid)"
	types y; check "want: need and what there is are named" row \
		'[0-9]+ more file descriptors are needed, and there are [0-9]+: .* nothing was reset'
	check "want: no card is called lost" lacks lost
	send q; check "want: q ends it" ended
	check "want: no card was touched" sh -c "! grep -qs '^reset ' sim.log"
}

# Pasted text has an x and a y like any other: with brackets around it, without, in pieces.
pasted() {
	start 120 36 "$u TT_SMI_STATE_DIR=$work/pasted" "-i 0.1 --sim p150a"
	check "paste: there" row 'p150a .* ok '
	for text in xy xxyy ' x y ' 'xyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxy'; do
		types ''
		send -l "$text"
		check "paste of '$text': is refused" sees 'not taken for an answer'
	done
	printf 'proxy\nproxy xy' | tm load-buffer -
	tm paste-buffer -p -t "=$pane:"
	types ''; check "paste in brackets: asks nothing" lacks 'y: reset'
	types x; check "paste: x asks" sees 'y: reset'
	tm paste-buffer -p -t "=$pane:"
	check "paste in brackets: the question stands" sees 'y: reset'
	types ''; send -l yy; check "paste: and two y at once are no answer" sees 'not taken for an answer'
	types x; check "paste: x asks again" sees 'y: reset'
	types x; sees 'y: reset'; send y
	check "paste: nor is y before anybody can have read" gone 'y: reset'
	check "paste: nothing was fired" sh -c "! grep -qs fire '$work/pasted/reset.log'"
	types x; sees 'y: reset'; types y; check "paste: a person still resets" sees '0000:01:00.0: recovered in'
	types q; check "paste: q ends it" ended
	check "paste: the terminal is given back" same_modes
}

in_parallel confirmed confirmed
in_parallel pasted pasted
in_parallel lost lost
in_parallel refused refused
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && command -v flock >/dev/null; then
	in_parallel locked locked
else
	skip "x on a card that another user has locked" "not root, or no setpriv or flock"
fi
if command -v flock >/dev/null; then
	in_parallel quits quits
	in_parallel killed killed
else
	skip "what is left of a display" "no flock"
fi
if command -v prlimit >/dev/null; then
	in_parallel wanting wanting
else
	skip "a display that lacks descriptors" "no prlimit"
fi
in_parallel warned warned
if command -v python3 >/dev/null; then
	in_parallel unfired unfired
else
	skip "q while programs are told of a reset" "no python3"
fi
in_parallel hidden hidden
in_parallel slow slow
in_parallel prompt prompt
collect
done_testing
