# SPDX-License-Identifier: GPL-2.0-or-later
# The questions of -mr and --ipmi on a terminal: each answered, and each left by
# Ctrl-C, the end of input, SIGTERM, nonsense.  The terminal is given back as it
# was, a password is never shown, and nothing is reset.  What asks before an act takes
# only what is typed, and looks again at what it asked about.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"

u='LC_ALL=C.UTF-8 TERM=screen'
host=127.0.0.1:1	# nobody listens there

question() {	# name: the words of it
	case $1 in
	host) echo 'Mobo to reset' ;;
	ports) echo 'Ethernet ports' ;;
	user) echo "User of $host" ;;
	password) echo 'Password:' ;;
	confirm) echo 'Reset it? [y/N]' ;;
	esac
}
answer() {
	case $1 in
	host) send -l "$host" ;;
	ports) send -l '6:0 6:1' ;;
	user) send -l root ;;
	password) send -l hunter2 ;;
	confirm) types y Enter; return ;;
	esac
	send Enter
}
walk_to() {	# name: all questions before it are answered
	start 100 24 "$u" '-mr'
	for q in host ports user password confirm; do
		until_true has "$(question $q)" || return 1
		[ $q = "$1" ] && return 0
		answer $q
	done
}
# The question of -wr: a paste in brackets or without, typed ahead, too soon.
typed() {
	start 100 24 "$u TT_SMI_STATE_DIR=$work/typed" "-wr 0 --sim p150a"
	check "typed: is asked" sees 'Reset card 0 (0000:01:00.0)?'
	types ''; send -l 'y
'
	check "typed: a line that was pasted does not count" sees 'This does not count'
	check "typed: and it is asked again" row '\[y/N\]$'
	printf 'y\n' | tm load-buffer -b typed -
	types ''; tm paste-buffer -p -b typed -t "=$pane:"
	check "typed: pasted in brackets it is not there at all" row '\[y/N\]$'
	types n BSpace y Enter
	check "typed: what a person types counts" sees '1 of 1 card recovered'
	left "typed" 0
	start 100 24 "$u TT_SMI_STATE_DIR=$work/several" "-wr 0 2,3 --sim 4*p150a"
	check "several: the question names them by their indices" sees 'Reset cards 0, 2, 3?'
	types n Enter
	left "several" 6
	start 100 24 "$u TT_SMI_STATE_DIR=$work/ahead" "-wr --sim p150a"
	send -l '0
'
	check "typed: cards are chosen by what is typed" sees 'Cards to reset'
	types ''; send -l '0
'
	check "typed: not by what is pasted" sees 'This does not count'
	types q Enter
	left "typed, cards" 6
	check "typed: nothing was fired" sh -c "! grep -qs fire '$work/ahead/reset.log'"
}
# What takes the card while the question stands keeps it.
taken() {
	# A person's look at the screen takes longer than 15 s do at this pace.
	start 100 24 "$u TT_SMI_STATE_DIR=$work/taken TT_SMI_SIM_SPEED=1000" "-wr 0 --sim p150a:held@15"
	check "taken: is asked" sees 'Reset card 0 (0000:01:00.0)?'
	types y Enter
	left "taken" 6
	check "taken: by whom" grep -q 'another program has it: process .* has it open' err.live
	check "taken: nothing was fired" sh -c "! grep -qs fire '$work/taken/reset.log'"
	start 100 24 "$u TT_SMI_STATE_DIR=$work/locked TT_SMI_SIM_SPEED=1" "-wr 0 --sim p150a"
	check "locked: is asked" sees 'Reset card 0 (0000:01:00.0)?'
	TT_SMI_STATE_DIR=$work/locked TT_SMI_SIM_SPEED=1 "$TT_SMI" -b 0 --no-reset -dur 600 \
		--sim p150a >burning 2>&1 &
	other=$!
	check "locked: a burn begins" until_true grep -qs Burning burning
	types y Enter
	left "locked" 6
	check "locked: by whom" grep -q 'another program has it: process' err.live
	kill $other
	wait $other
}
left() {	# name code
	check "$1: it ends" ended
	check "$1: exit code $2" code_is "$2"
	check "$1: the terminal is as before" same_modes
	check "$1: the password was not shown" lacks hunter2
}

leave() {	# question
	for how in C-c C-d TERM; do
		check "$1, $how: is asked" walk_to "$1"
		case $how in
		TERM) kill -TERM "$(pid)" ;;
		*) send $how ;;
		esac
		left "$1, $how" 6
		check "$1, $how: says so" grep -q 'nothing was reset' err.live
		check "$1, $how: nothing was begun" lacks 'boots'
	done
}
echoes() {
	stty -a -F "$(tm display -p -t "=$pane:" '#{pane_tty}')" | grep -qw -- "$1"
}
is_stopped() { grep -q '^State:[[:space:]]T' "/proc/$(pid)/status"; }
suspended() {
	check "Ctrl-Z: the password is asked for" walk_to password
	check "Ctrl-Z: what is typed is not shown" until_true echoes -echo
	send -l hun
	send C-z
	check "Ctrl-Z: it stops" until_true is_stopped
	check "Ctrl-Z: what is typed is shown meanwhile" echoes echo
	kill -CONT "$(pid)"
	check "Ctrl-Z: the question is asked again" row 'Password:.*Password:'
	check "Ctrl-Z: and what is typed is not shown again" until_true echoes -echo
	kill -STOP "$(pid)"
	check "SIGSTOP: it stops" until_true is_stopped
	kill -CONT "$(pid)"
	check "SIGSTOP: the question is asked again" row 'Password:.*Password:.*Password:'
	send C-c
	left "Ctrl-Z" 6
}
resized() {
	start 100 24 "$u" '-mr'
	for q in host ports user password confirm; do
		check "resize, $q: is asked" sees "$(question $q)"
		tm resize-window -t "=$pane:" -x 40 -y 6
		tm resize-window -t "=$pane:" -x 100 -y 24
		answer $q
	done
	check "resize: the answers counted, and nobody was there" ended
	check "resize: exit code 1" code_is 1
	check "resize: nothing was reset" grep -q "$host: about: .*; nothing was reset" err.live
	check "resize: the terminal is as before" same_modes
	check "resize: the password was not shown" lacks hunter2
}
nonsense() {
	long=$(printf '%0300d' 0)
	n=0
	while IFS='|' read -r q text code; do
		n=$((n + 1))
		check "$q, nonsense: is asked" walk_to "$q"
		if [ "$q" = confirm ]; then
			# shellcheck disable=SC2046
			types $(echo "$text" | sed 's/./& /g') Enter
		else
			send -l "$text"
			send Enter
		fi
		left "$q, nonsense $n" "$code"
	done <<-TABLE
		host|a b|2
		host|host:99999|2
		host|6:0|2
		host|$long|2
		ports|6:x|2
		ports|$long|2
		user|a:b|2
		user|$long|2
		password|$long|2
		confirm|perhaps|6
		confirm||6
	TABLE
	start 100 24 "$u" '-mr'
	sees 'Mobo to reset'
	send -H 61 1b 5b 41 ff 01 0d
	left "host, bytes" 2
	start 100 24 "$u" '-mr'
	sees 'Mobo to reset'
	send Enter
	left "host, nothing" 6
}
far() {
	start 100 24 "$u" "-glx_reset_tray 1 --ipmi $host"
	check "--ipmi: the user is asked for" sees "User of 127.0.0.1:"
	send Enter
	left "--ipmi, no user" 6
	check "--ipmi, no user: what to do" grep -q 'give --credentials FILE' err.live
	start 100 24 "$u" "-glx_reset_tray 1 --ipmi $host"
	check "--ipmi: is asked" sees 'User of'
	answer user
	check "--ipmi: the password as well" sees 'Password:'
	send C-c
	left "--ipmi, Ctrl-C" 6
}
hung_up() {
	# The SIGCONT that comes with the hang-up loses LeakSanitizer its own SIGSTOP: it waits for ever.
	u="$u ASAN_OPTIONS=detect_leaks=0"
	walk_to password
	p=$(pid)
	tm kill-session -t "=$pane"
	check "a terminal that is gone ends it" until_true sh -c "! kill -0 $p 2>/dev/null"
}

for q in host ports user password confirm; do
	in_parallel "leave_$q" leave $q
done
in_parallel suspended suspended
in_parallel typed typed
in_parallel taken taken
in_parallel resized resized
in_parallel nonsense nonsense
command -v ipmitool >/dev/null && in_parallel far far
collect
hung_up
run tt-smi -wr 0 -r 1 --sim p150a,n150
rc_is 2 "-wr with -r is a usage error: one of them would not ask"
err_has '-r: cannot be used together with -wr' "which names both"
command -v ipmitool >/dev/null || skip "questions of --ipmi" "no ipmitool"
done_testing
