# SPDX-License-Identifier: GPL-2.0-or-later
# Alerts while the screen runs: the card is marked, the header names what is raised, the footer
# and the log what was raised and cleared; the bell only where it is asked for.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"

cat >"$work/conf" <<'EOC'
[alerts]
hot = asic_temperature > 85 clear 80
gone = lost
fast = aiclk > 1 clear 1
EOC
u="LC_ALL=C.UTF-8 TERM=screen-256color TT_SMI_CONFIG=$work/conf"

rang() { [ "$(tm display -p -t "=$pane:" '#{window_bell_flag}')" = 1 ]; }

# What stands for seconds only is looked for first.
raised() {	# environment
	start 150 30 "$1" "--sim 'p150a,p150a:hot@6-24:gone@36-600'"
	check "$pane: one that is raised is said in the footer" row \
		'^ alert hot raised: 1 p150a 0000:02:00.0: Core Temp 9[0-9.]+ .*C is above 85 .*C'
	check "$pane: what is raised is named in the header" row \
		'simulated boards  alert: hot, fast 2  2 to check'
	check "$pane: the line of its card is marked" row ' 0 +p150a +warn '
	check "$pane: and says which and why" row \
		'alert fast: AICLK [0-9]+ MHz, raised above 1 MHz, clears at 1 MHz'
	check "$pane: one that is cleared is said in the footer" row \
		'^ alert hot cleared: 1 p150a 0000:02:00.0: Core Temp [0-9.]+ .*C is not above 80 .*C'
	check "$pane: and the header forgets it" row 'boards  alert: fast 2  2 to check'
	check "$pane: a card that is lost" row 'alert: gone, fast 2 +1 FAILED'
	send l
	check "$pane: the log has them all, with the time" row \
		' [0-2][0-9]:[0-5][0-9]:[0-6][0-9] alert hot cleared: 1 p150a'
	check "$pane: in order" row ' [0-2][0-9]:[0-5][0-9]:[0-6][0-9] alert gone raised: 1 p150a'
	send l
	rang; check "$pane: it did not ring" test $? -ne 0
	send q; check "$pane: q ends it" ended
	check "$pane: with success" code_is 0
	check "$pane: and the terminal is given back" same_modes
}

bell() {
	start 100 20 "$u" "--bell --sim p150a"
	check "--bell rings" until_true rang
	send q; check "--bell: q ends it" ended
	check "--bell: and the terminal is given back" same_modes
}

narrow() {
	start 44 12 "$u" "--sim 'p150a:hot,p150a'"
	check "narrow: that there is an alert is said in a word" row 'simulated  alert  2 to check'
	send q; check "narrow: q ends it" ended
	start 80 12 "$u" "-c --sim 'p150a,p150a'"
	check "without a header the last line of the tab names it" row 'simulated boards, alert: fast 2, 2 to check'
	send q; check "without a header: q ends it" ended
}

# A question that stands is not replaced, and what is asked is what is answered.
asked() {
	start 100 20 "$u" "--sim 'p150a:hot@9-600,p150a'"
	check "a card is there" row ' 0 +p150a '
	types x
	check "a question is asked" row '^ Reset 0 .*\? y: reset'
	check "an alert that comes meanwhile is in the header" row 'alert: hot, fast 2 '
	check "and the question still stands" row '^ Reset 0 .*\? y: reset'
	types n
	check "it is answered" row 'nothing was reset'
	send q; check "q ends it" ended
}

# What is recorded from the display has the alerts, too.
recorded() {
	start 100 20 "$u" "-dir d --sim 'p150a:hot@12-600'"
	check "a card is there" row ' 0 +p150a '
	send d
	check "a dump beside the display runs" row '● dump'
	check "an alert comes" row 'alert: hot, fast'
	send q; check "q ends it" ended
	check "it is in the dump's rows" grep -q '; alert raised: hot' d/0_p150a_0000-01-00.0.csv
}

in_parallel colour raised "$u"
in_parallel mono raised "$u NO_COLOR=1 LC_ALL=C"
in_parallel bell bell
in_parallel narrow narrow
in_parallel asked asked
in_parallel recorded recorded
collect
done_testing
