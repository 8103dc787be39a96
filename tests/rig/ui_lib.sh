# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests/screen/*.sh, after tests/rig/lib.sh: programs on terminals of a
# private tmux.  Text is polled for with a generous limit, never slept for.
#
#   pane NAME			the functions below speak to this terminal from now on
#   start W H ENVIRONMENT ARGS	begin tt-smi there; its folder is $work/NAME, and we are in it
#   sees TEXT / gone TEXT	the text is, or is no longer, on the screen
#   types KEYS			the same keys as a person types them: read first, one at a time
#   row PATTERN			a line of the screen matches the extended expression
#   line_with TEXT		the first line with it is in $line
#   ended / same_modes / code_is N	how it came out
#   in_parallel NAME COMMAND...	a scenario of checks beside others, on a pane of its own
#   collect			wait for all of them and print their results in order
if ! command -v tmux >/dev/null 2>&1; then
	skip "the live display on a terminal" "tmux is not installed"
	done_testing
	exit
fi
tm() { tmux -S "$work/tmux" -f /dev/null "$@" 2>/dev/null; }
tm new -d -s keeper -x 20 -y 5 cat
trap 'tm kill-server; remove_work' EXIT

pane() {
	pane=$1
	mkdir -p "$work/$pane"
	cd "$work/$pane" || exit 99
	out=$work/$pane/screen
}
pane main

# The modes of the terminal before and after stand in files; ARGS are words for a shell.
start() {
	tm kill-session -t "=$pane"
	rm -f before after code pid
	tm new -d -s "$pane" -x "$1" -y "$2" "cd '$work/$pane'; stty -g >before; \
		env $3 sh -c 'echo \$\$ >pid; exec \"\$0\" \"\$@\"' '$TT_SMI' $4 2>err.live; \
		echo \$? >code; stty -g >after; echo ALL-OVER; cat"
}
screen() { tm capture-pane -p -t "=$pane:"; }
send() { tm send-keys -t "=$pane:" "$@"; }
types() {	# the silence is what is meant: it tells typed keys from pasted ones
	for key in "$@"; do
		nap 1	# a question counts after 0.3 s, once the program has looked
		[ -z "$key" ] || send "$key"
	done
}

until_true() {	# command...: within a minute; what takes long is looked at less often
	local pause=0.1 until=$((SECONDS + 60))
	for ((looks = 0; SECONDS < until; looks++)); do
		screen >"$out"
		"$@" && return 0
		[ $looks -lt 5 ] || pause=0.4
		nap $pause
	done
	return 1
}
has() { has_text "$out" "$1"; }
lacks() { ! has "$1"; }
matches() { has_line "$out" "$1"; }
line_with() {
	while IFS= read -r line; do
		[[ $line == *"$1"* ]] && return
	done <"$out"
	return 1
}
sees() { until_true has "$1"; }
gone() { until_true lacks "$1"; }
row() { until_true matches "$1"; }

pid() { cat pid; }
ended() { sees ALL-OVER; }
same_modes() { [ -s before ] && cmp -s before after; }
code_is() { [ "$(cat code)" = "$1" ]; }

scenarios= running=0
in_parallel() {	# what it checks is said by collect; so many at a time that none is kept from its time
	scenarios="$scenarios $1"
	[ $running -lt 8 ] || wait -n
	running=$((running < 8 ? running + 1 : 8))
	(
		pane "$1"
		shift
		count=0 failed=0
		result() {
			[ "$1" -eq 0 ] && echo "ok $2" || {
				echo "no $2"
				sed 's/^/# /' "$out"
			}
		}
		skip() { echo "skip $1 # $2"; }
		"$@" >results 2>&1
	) &
}
collect() {
	wait
	for pane in $scenarios; do
		before=$count
		while read -r verdict name; do
			case $verdict in
			ok) result 0 "$name" ;;
			no) : >"$work/none"; out=$work/none result 1 "$name" ;;
			skip) skip "${name%% # *}" "${name#* # }" ;;
			*) echo "$verdict $name" ;;
			esac
		done <"$work/$pane/results"
		[ "$count" -gt "$before" ] || out=$work/$pane/results result 1 "$pane: it checks something"
	done
	scenarios= running=0
	pane main
}
