# SPDX-License-Identifier: GPL-2.0-or-later
# A burn on real terminals: what it shows, how it ends, and that nothing the
# terminal does keeps the load, the end or the verdict.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"

u='LC_ALL=C.UTF-8 TERM=xterm-256color'
burn='-b host --threads 1 --workload matmul --dtype float32 --seed 42'

report_says() { await has_text report.json "\"verdict\": \"$1\""; }
is_gone() { await has_ended "$1"; }

start 120 40 "$u" "$burn -dur 1000 --sim p150a"
check "the screen says what is burnt" sees 'Burn-in of the host: 1 thread, seed 42'
check "how it stands" sees 'no error so far'
check "how much of the time is over" row 'Time .*00:00:[0-9][0-9] of 00:16:40'
check "how fast it is" row 'Rate +[0-9.]+ GFLOP/s +([0-9.]+|-) % of the peak'
check "what was verified" row 'Errors +0 wrong in [0-9,]+ words verified'
check "the card beside it" row '0 p150a +[0-9.]+ +[0-9.]+ +[0-9]+'
check "and what nobody watches" row 'Not watched: host temperature'
for size in '40 10' '200 60' '20 4' '80 24'; do
	# shellcheck disable=SC2086
	set -- $size
	tm resize-window -t "=$pane:" -x "$1" -y "$2"
done
check "after a storm of sizes it is whole" row 'Errors +0 wrong in [0-9,]+ words verified'
send q
check "q ends it" ended
check "with its verdict on the terminal" sees 'host: INCOMPLETE: stopped before its end'
check "which has its modes back" same_modes
check "and an exit code" code_is 4

# What could not burn has its verdict before the others have theirs.
start 120 40 "$u TT_SMI_SIM_SPEED=20" "-b cards --sim 2*p150a,p150a:dram,p150a:hang -dur 1000"
check "of cards that do not burn the worst is named" \
	row '2 cards do not burn; 2 0000:03:00.0 p150a: FAIL: the reset before the burn'
check "and what it makes of the whole" sees 'will be FAIL'
send q
check "q ends that, too" ended

# Cards, on a fake chip of which one core is wrong.
cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/wh+wrong@1.so"
cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/bh.so"
start 120 40 "$u" "-b cards --ttsim $work/wh+wrong@1.so,$work/bh.so -dur 1000"
check "the screen says that cards are burnt" sees 'Burn-in of 2 cards'
check "a core that is wrong is named" row 'card 0, core 4-5: conv2d block 1, word 7 got 0x'
check "and leads the list, with the row of the core in its strip" row '▸ +0 n150 L +█{4}✗█{5} +[0-9.]+ .*core 4-5 wrong'
check "the card that is well follows" row ' 1 p150a +█{10} +0 '
check "and shown in its place, with the characters of a terminal that has them" row '  5 █{3}✗ █{4}'
tm resize-window -t "=$pane:" -x 80 -y 24
send Enter
check "Enter shows one card alone" sees 'Card 0 n150 L 0000:01:00.0'
check "with its map" row '  5 ███✗ ████ '
check "what its cells mean" row '✗ 1 wrong'
check "and its numbers" row 'words compared +[0-9]+'
send Down
check "an arrow leads to the next one" sees 'Card 1 p150a 0000:02:00.0'
check "and its map" row ' 11 █{7}  █{7}'
send Escape
check "Escape leads back" sees 'Burn-in of 2 cards'
check "to the card it was" row '▸ +1 p150a'
check "and what the verdict will be" sees 'will be FAIL'
tm resize-window -t "=$pane:" -x 50 -y 16
check "the errors stay on a small screen" row 'Errors +[0-9,]+ (words? )?wrong'
tm resize-window -t "=$pane:" -x 120 -y 40
send q
check "q ends them" ended
check "with a verdict for each" row '^1  0000:02:00.0  p150a +INCOMPLETE +140 +[0-9]+ +40.0'
check "its reason below it" row '^ {6}stopped before its end'
check "and that of all last" row '^1 FAIL, 1 INCOMPLETE: FAIL'
tm capture-pane -t "=$pane:" -pe >"$out"
check "in its colour" grep -q '31mFAIL' "$out"
check "and the exit code of the worst" code_is 5

start 80 24 "$u" "$burn -dur 6"
check "its time ends it, too" ended
check "and it passes" sees 'host: PASS'
check "with code 0" code_is 0
check "and the modes are back" same_modes

start 80 24 "$u TT_SMI_BURNIN_FAULT=output" "$burn -dur 1000"
check "a wrong word is on the screen at once" sees 'will be FAIL'
check "with its place and bits" row 'cpu [0-9]+: matmul output \[[0-9]+\] got 0x[0-9a-f]{8}, want 0x'
send C-c
check "Ctrl-C ends it" ended
check "the verdict is FAIL all the same" code_is 5

for sig in TERM HUP QUIT; do
	start 80 24 "$u" "$burn -dur 1000"
	check "there before SIG$sig" sees 'no error so far'
	kill -$sig "$(pid)"
	check "SIG$sig ends it" ended
	check "SIG$sig leaves a verdict" sees 'host: INCOMPLETE'
	check "SIG$sig gives the terminal back" same_modes
done
start 80 24 "$u" "$burn -dur 1000"
check "there before it is stopped" sees 'no error so far'
p=$(pid)
kill -TSTP "$p"
check "SIGTSTP stops it" await has_line "/proc/$p/status" 'State:.*T'
check "the picture is gone meanwhile" gone 'no error so far'
kill -CONT "$p"
check "SIGCONT shows it again" sees 'no error so far'
send q
check "and q ends it" ended
check "and the modes are back" same_modes

# A terminal that stands still (Ctrl-S), and one that goes away.
start 80 24 "$u" "$burn -dur 6 --report report.json"
check "there before Ctrl-S" sees 'no error so far'
p=$(pid)
send C-s
check "a terminal that stands still keeps no verdict" report_says PASS
check "nor the end" is_gone "$p"
rm -f report.json
start 80 24 "$u" "$burn -dur 1000 --report report.json"
check "there before the terminal goes away" sees 'no error so far'
p=$(pid)
tm kill-session -t "=$pane"
check "a terminal that goes away ends it" is_gone "$p"
check "with a report" report_says INCOMPLETE
rm -f report.json pid
tm new -d -s "$pane" -x 80 -y 24 "cd '$work/$pane'; trap '' HUP; echo \$\$ >pid; \
	exec env $u '$TT_SMI' $burn -dur 6 --report report.json 2>err.live"
check "there, with a hang-up that is ignored" sees 'no error so far'
p=$(pid)
tm kill-session -t "=$pane"
check "it burns on and comes to its verdict" report_says PASS
check "and ends" is_gone "$p"

# The resets around a burn are told, also the one that the screen is over.
start 120 40 "$u TT_SMI_SIM_SPEED=20" "-b cards --sim p150a -dur 3"
check "a burn with resets ends" ended
check "the reset before it is told" sees '0 0000:01:00.0 p150a: reset before the burn: recovered'
check "and the one after it" sees '0 0000:01:00.0 p150a: reset after the burn: recovered'
start 80 40 "$u TT_SMI_SIM_SPEED=20" "-b cards --sim 5*p150a -dur 3"
check "a burn of many cards ends" ended
check "of many resets the number is told" sees '5 cards: reset before the burn: recovered in'
check "below the verdict of all" [ "$(tm capture-pane -t "=$pane:" -p | grep -nE '^Burn-in of 5|reset after' |
	grep -o '^[0-9]*:B*' | tr -d '0-9\n')" = ':B:' ]

for term in dumb no-such-terminal; do
	start 100 24 "LC_ALL=C.UTF-8 TERM=$term" "$burn -dur 1000"
	check "TERM=$term gets lines" row ' [0-9]+ s +[0-9.]+ GFLOP/s .* 0 wrong'
	send C-c
	check "TERM=$term gets the verdict" sees 'host: INCOMPLETE: stopped before its end'
	check "TERM=$term ends" ended
	check "TERM=$term has its modes as before" same_modes
done
start 100 30 "$u NO_COLOR=1" "$burn -dur 1000"
check "NO_COLOR shows it" sees 'no error so far'
tm capture-pane -t "=$pane:" -pe >"$out"
check "and sends no colour" sh -c "! grep -qE '\\[([0-9;]*;)?3[0-8][;m]' '$out'"
send q; check "NO_COLOR ends" ended
done_testing
