# SPDX-License-Identifier: GPL-2.0-or-later
# The live display on real terminals: a private tmux carries the program, text
# is polled for with a deadline, never slept for.
. "$top_srcdir/tests/rig/lib.sh"

. "$top_srcdir/tests/rig/ui_lib.sh"

u='LC_ALL=C.UTF-8 TERM=screen-256color'
spec='--sim n300,2*p150a'

# Every key.
start 120 40 "$u" "$spec"
check "the devices tab is what one sees first" sees 'PCIe now'
check "host and compatibility stand beside it" sees Compatibility
send 2; check "2 opens telemetry" sees Vcore
send w; check "w hides the limits" gone ' max '
send w; check "w shows them again" sees ' max '
send v; check "v shows lowest, average and highest" sees ' avg '
send V; check "V counts anew" sees 'V: anew'
send v; check "v hides them" gone ' avg '
send 3; check "3 opens firmware" sees Bundle
send 4; check "4 opens processes" sees Pinned
send 5; check "5 opens history" sees 'Core Temp'
check "the plot has a limit" sees 'limit'
send -- -; check "- zooms out" sees '-5 min'
send +; check "+ zooms in" sees '-60 s'
send '['; check "[ shows the cursor" sees ' at '
send Escape; check "Escape takes the cursor away" gone ' at '
send a; check "a shows all cards" sees 'of all cards'
send a m; check "m brings the next metric" gone 'Core Temp'
send 6; check "6 opens the memory" sees Uncorrected
send 1; check "1 comes back" sees 'Bus ID'
send R; check "R reads the second chip of a board" row 'n300 R +ok'
send R; check "R leaves it alone again" sees '1 second chip not read: R'
send t; check "t hides the sidebar" gone Compatibility
send t; check "t shows it" sees Compatibility
send h; check "h opens help" sees 'this page'
send Escape; check "Escape closes it" gone 'this page'
send Enter; check "Enter opens a chip" sees 'heartbeat'
send Escape; check "Escape leaves it" sees 'Bus ID'
send l; check "l opens the messages" sees 'no messages'
send l; check "l closes them" sees 'Bus ID'
send /; send p150a; check "/ filters" sees 'filter "p150a"'
send Enter Escape; check "Escape lifts the filter" gone 'filter "p150a"'
send g; check "g groups by type" sees 'folded by type'
send Escape; check "Escape ends it" gone 'folded by type'
send p; check "p holds the picture" sees PAUSED
send p; check "p lets it go" gone PAUSED
send c; check "c leaves the table alone" gone 'System Management'
send c
send s; check "s saves a snapshot" sees 'snapshot saved'
check "the snapshot is there" sh -c 'ls tt-smi-logs/tt-smi-snapshot_* >/dev/null'
send d; check "d starts a dump" sees '● dump'
send d; check "d stops it" gone '● dump'
check "and its workbook is made" sees 'workbook is made'
check "which is there" sh -c 'ls tt-smi-logs/tt-smi-dump_*/*.xlsx >/dev/null'
check "the dump is there" sh -c 'ls tt-smi-logs/tt-smi-dump_*/*.csv >/dev/null'
send q; check "q ends it" ended
check "q gives the terminal back" same_modes
check "q is a success" code_is 0

# A dump that is running at the end.
rm -rf tt-smi-logs
start 120 40 "$u" "$spec"
check "there before the dump" sees ' ok '
send d; check "it dumps" sees '● dump'
send q; check "q ends dump and display" ended
check "its workbook is made too" sh -c 'ls tt-smi-logs/tt-smi-dump_*/*.xlsx >/dev/null'

# Sizes: a storm, then something sensible.
start 100 30 "$u" "$spec"
check "there before the storm" sees 'Bus ID'
for size in '20 5' '300 100' '1 1' '80 24' '10 60' '200 3' '40 10' '120 40'; do
	# shellcheck disable=SC2086
	set -- $size
	tm resize-window -t "=$pane:" -x "$1" -y "$2"
done
check "it survives a storm of sizes" sees Compatibility
send q; check "and ends" ended

# Terminals.
for term in xterm-256color screen vt100 linux; do
	start 100 30 "LC_ALL=C.UTF-8 TERM=$term" "$spec"
	check "TERM=$term shows the cards" sees p150a
	send q
	check "TERM=$term ends" ended
	check "TERM=$term gets its modes back" same_modes
done
for term in dumb ''; do
	start 100 30 "LC_ALL=C.UTF-8 TERM=$term" "$spec"
	check "TERM='$term' shows the cards once and ends" ended
	check "TERM='$term': they are there" sees p150a
	check "TERM='$term' has its modes as before" same_modes
done
start 100 30 'LC_ALL=C TERM=vt100' "$spec"
check "LANG=C shows the cards" sees p150a
screen >"$out"
check "LANG=C gets nothing but ASCII" sh -c "! LC_ALL=C grep -q '[^ -~]' '$out'"
send q; check "LANG=C ends" ended
start 100 30 "$u" "$spec -nc"
check "-nc shows the cards" sees p150a
tm capture-pane -t "=$pane:" -pe >"$out"
check "-nc sends no colour" sh -c "! grep -qE '\\[([0-9;]*;)?3[0-8][;m]' '$out'"
send q; check "-nc ends" ended
# A terminal that terminfo does not know is as good as dumb, whatever the mode.
for mode in '' '-b host -dur 1'; do
	start 100 30 'LC_ALL=C.UTF-8 TERM=no-such-terminal' "$spec $mode"
	check "an unknown terminal is no failure: '$mode'" ended
	check "is advised" sh -c "grep -c 'try TERM=xterm-256color' err.live | grep -qx 1"
	check "has its modes as before" same_modes
	[ -n "$mode" ] || check "and shows the cards" sees p150a
done

# Signals.
for sig in INT TERM HUP SEGV ABRT; do
	start 100 30 "$u" "$spec"
	check "there before SIG$sig" sees 'Bus ID'
	kill -"$sig" "$(pid)"
	check "SIG$sig ends it" ended
	check "SIG$sig gives the terminal back" same_modes
done
check "a crash is reported as a crash to the parent" code_is 134
start 100 30 "$u" "$spec"
check "there before it is stopped" sees 'Bus ID'
p=$(pid)
kill -TSTP "$p"
check "SIGTSTP stops it" await has_line "/proc/$p/status" 'State:.*T'
kill -CONT "$p"
check "SIGCONT shows it again" sees 'Bus ID'
send 2; check "and keys work" sees Vcore
send q; check "and q ends it" ended
check "and the modes are back" same_modes

# The first sample is stuck for as long as the test is (one access takes 30 s),
# and which card has the serial is not known before it is over.
start 120 30 "$u" '--timeout 600 --sim p150a:slow,p150a --device 0123456789abcdef'
check "a card that is stuck at the start does not hold up the screen" sees Compatibility
check "and says that it is being read" sees 'waiting for its first answer'
send 2; check "and keys work" sees Vcore
send s; check "no snapshot without a reading" sees 'first reading is not over'
send d; check "and no dump" sees 'dump: the first reading is not over'
send q; check "and q ends it" ended
check "and gives the terminal back" same_modes
start 120 30 "$u" '--timeout 600 --sim p150a:slow,p150a'
check "the card beside it is shown all the same" sees 'ok '
check "while that one is being read" sees 'waiting for its first answer'
send q; check "q ends this as well" ended
start 120 30 "$u" '--timeout 600 --sim p150a:slow,p150a -i 0.1 --device 1'
check "a card that is not wanted delays no other" sees 'ok '
send q; check "q ends that too" ended
start 120 30 "$u" "$spec --device 0123456789abcdef"
check "a serial that was not found ends it" ended
check "with the reason below the screen" grep -q '0123456789abcdef' err.live
check "and the code for no device" code_is 3

# Faults while it runs.
start 120 30 "$u" "--sim 'p150a,p150a:hang@2'"
check "a card that hangs says so on its row" sees 'FAILED'
check "the other one lives on" sees 'ok '
send 2; check "keys work beside a hanging card" sees Vcore
send q; check "q ends it beside a hanging card" ended

# Not a terminal.
run "$TT_SMI" --sim p150a
rc_is 0 "without a terminal it prints the overview"
out_has p150a "with the card"
# ---- a test that is stopped leaves no file and no tmux ----
cat >stopped.sh <<'EOF2'
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"
echo >"$TMPDIR/../begun"
while :; do sleep 0.1; done
EOF2
mkdir rest
TMPDIR=$PWD/rest bash stopped.sh >stopped.out 2>&1 &
pid=$!
await_of $pid test -e begun
check "a test makes its folder" [ -n "$(ls rest)" ]
kill -TERM $pid
wait $pid
check "stopped, it leaves no file" [ -z "$(ls rest)" ]
no_tmux() { ! pgrep -f "^tmux -S $PWD/rest" >/dev/null; }
check "and no tmux" until_true no_tmux

done_testing
