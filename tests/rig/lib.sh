# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by every test in shell, which is bash: TAP for automake's driver, one line a check.
#
#   run tt-smi -s --sim p150a		keeps $out (file), $err (file), $rc
#   rc_is 0 "a snapshot works"
#   out_has 'text' "name" / out_lacks 'text' "name" / out_is FILE "name"	(fixed strings)
#   err_has 'text' "name" / err_empty "name"
#   err_code CODE 'subject' "name"	a line of stderr has the subject, and ends with the code
#   verdict_is TARGET VERDICT CODE "name"	of the first target in report.json that begins so; CODE of
#					its reason, or null
#   aside NAME command ...	the same beside what follows, with a state folder of its own, and
#   came NAME			waits for its end: what waits for long need not be waited for twice
#   await command ...		until it succeeds; fails after two minutes
#   await_of PID command ...	the same, for ten minutes, but no longer than this process runs
#   not command ...		it fails
#   has_ended PID			a process has ended
#   nap SECONDS			a pause
#   has_text FILE TEXT / has_line FILE REGEX	a fixed string, or a line by an extended expression
#   has_rows FILE N		it has so many lines
#   run_partial NAME tt-smi -s ...	the same twice, where some cards fail: 0, and 4 with --strict
#   run_typed 'tt-smi -s ...'	the same on a terminal, where $out has stderr, too
#   check "name" command ...		passes when the command does
#   skip "name" "reason"		counted and shown, never silent
#   may_trace			strace works here; else $why_untraced is the reason for skip
#   shim NAME				the path of NAME.so of the build, fit for LD_PRELOAD
#   $rooms			the folders with code, in their order
#   done_testing			last line of the script
set -u
rooms='base device telemetry report act reset burnin health output ui src'	# the folders with code (HACKING.md)
work=$(mktemp -d "${TMPDIR:-/tmp}/tt-smi-test.XXXXXX") || exit 99
readonly work	# bash passes over a loop whose variable it is: check_style.sh looks for such
out=$work/out err=$work/err rc=0 count=0 failed=0
remove_work() {	# a program that a closed terminal just ended may still write there
	cd /
	for _ in $(seq 50); do
		rm -rf "$work" 2>/dev/null && return
		sleep 0.1
	done
	rm -rf "$work"
}
trap remove_work EXIT
trap 'exit 1' INT TERM HUP	# which then runs the line above
# What the system brings comes before a wrapper of it: one of pyenv costs four starts of python3.
PATH=$(dirname "$TT_SMI"):/usr/bin:/bin:$PATH
export TT_SMI_STATE_DIR="$work/state" TT_SMI_CODES=1
unset TT_VISIBLE_DEVICES TT_SMI_SIM TT_SMI_TTSIM TT_SMI_ROOT TT_SMI_REPLAY TT_SMI_LOAD TT_SMI_VIRTUAL_TIME TT_SMI_VERSION_AS NO_COLOR
cd "$work" || exit 99

run() {
	"$@" >"$out" 2>"$err" </dev/null
	rc=$?
}

aside() {	# name command...
	aside_name=$1
	shift
	(
		export TT_SMI_STATE_DIR="$work/$aside_name.state"
		"$@" >"$work/$aside_name.out" 2>"$work/$aside_name.err" </dev/null
		echo $? >"$work/$aside_name.rc"
	) &
	echo $! >"$work/$aside_name.pid"
}

came() {	# name
	wait "$(cat "$work/$1.pid")"
	rc=$(cat "$work/$1.rc")
	cp "$work/$1.out" "$out" && cp "$work/$1.err" "$err"
}

# Polling forks nothing of its own: on some virtual machines a process costs 10 ms, and a test that
# starts forty a second for each wait keeps the others from the processor.
mkfifo "$work/.idle" || exit 99
nap() { read -rt "$1" _ <>"$work/.idle" || :; }

has_text() {	# file text
	local LC_ALL=C part=
	while IFS= read -rd '' part; do	# up to each NUL
		[[ $part == *"$2"* ]] && return
	done 2>/dev/null <"$1"
	[[ $part == *"$2"* ]]
}

has_line() {	# file expression
	local line=
	while IFS= read -r line || [ -n "$line" ]; do
		[[ $line =~ $2 ]] && return
		line=
	done 2>/dev/null <"$1"
	return 1
}

has_rows() {	# file number
	local rows=()
	mapfile -t rows 2>/dev/null <"$1"
	[ ${#rows[@]} -ge "$2" ]
}

not() { ! "$@"; }

has_ended() {	# pid: it has ended, whether or not its parent has heard of it
	! has_line "/proc/$1/stat" '\) [^Z]'
}

await() { await_until $((SECONDS + 120)) $$ "$@"; }
await_of() { await_until $((SECONDS + 600)) "$@"; }
await_until() {	# second of this shell, pid, command...
	local until=$1 of=$2
	shift 2
	while [ $SECONDS -lt $until ] && kill -0 "$of" 2>/dev/null; do
		"$@" && return
		nap 0.05
	done
	"$@"
}

run_partial() {	# name command...; what the second wrote is kept
	partial_name=$1
	shift
	run "$@"
	rc_is 0 "$partial_name: 0 into a pipe, since a card was read"
	err_has "with --strict the exit code says so" "$partial_name: stderr says that not all were"
	run "$@" --strict
	rc_is 4 "$partial_name: 4 with --strict"
}

run_typed() {
	script -qec "$1" "$work/typescript" >"$out" 2>"$err" </dev/null
	rc=$?
}

shim() {	# ld.so splits LD_PRELOAD at blanks, and the path of the build may have some
	cp "$top_builddir/tests/rig/$1.so" "$work/" && echo "$work/$1.so"
}

result() {	# status name: prints the TAP line
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/# out: /' "$out" 2>/dev/null | head -n 20
		sed 's/^/# err: /' "$err" 2>/dev/null | head -n 20
	fi
}

check() {
	name=$1
	shift
	"$@" 2>"$work/check.err"
	status=$?
	result $status "$name"
	[ $status -eq 0 ] || sed 's/^/# its stderr: /' "$work/check.err" | tail -n 20
}

rc_is() {
	[ "$rc" -eq "$1" ]
	status=$?
	[ $status -eq 0 ] || echo "# exit code $rc, expected $1"
	result $status "$2"
}

out_has() { has_text "$out" "$1"; result $? "$2"; }
out_lacks() { ! has_text "$out" "$1"; result $? "$2"; }
err_code() {	# code subject name: a line names the subject, and ends with the code
	local line= is=1
	while IFS= read -r line || [ -n "$line" ]; do
		[[ $line != *"$2"*" [$1]" ]] || is=0
	done <"$err"
	result $is "$3"
}
verdict_is() {	# target verdict code name
	local line= on= is=
	while IFS= read -r line; do
		case $line in
		*'"target": "'*) [[ $line != *'"target": "'"$1"* ]] || on=yes ;;
		*'"verdict": '*) is=${line##*: \"} ;;
		*'"code": '*) [ -z "$on" ] || break ;;
		esac
	done <report.json
	line=${line##*: } line=${line%,} line=${line//\"/}
	[ "$on ${is%\",} $line" = "yes $2 $3" ]
	status=$?
	[ $status -eq 0 ] || echo "# $1: ${on:-not there}, ${is%\",}, $line"
	result $status "$4"
}
err_has() { has_text "$err" "$1"; result $? "$2"; }
err_lacks() { ! has_text "$err" "$1"; result $? "$2"; }
err_empty() { [ ! -s "$err" ]; result $? "$1"; }
out_empty() { [ ! -s "$out" ]; result $? "$1"; }

out_is() {	# golden file below tests/; UPDATE_GOLDEN=1 rewrites it
	golden=$top_srcdir/tests/$1
	if [ -n "${UPDATE_GOLDEN:-}" ]; then
		mkdir -p "$(dirname "$golden")"
		cp "$out" "$golden"
	fi
	diff -u "$golden" "$out" >"$work/diff" 2>&1
	status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "$work/diff" | head -n 40
	result $status "$2"
}

may_trace() {
	why_untraced="strace is not installed"
	command -v strace >/dev/null || return
	why_untraced="strace may not trace here"
	strace -qq -e trace=execve -o "$work/may_trace" true 2>/dev/null && [ -s "$work/may_trace" ]
}

# A table of faults is held to the program's own list: no fault is forgotten.
every_fault_stands_in() {	# command that prints lines beginning with "FAULT|"
	"$1" | cut -d'|' -f1 | sort >here
	TT_SMI_CODES='' run tt-smi -s --sim p150a:nonsense
	sed -n "s/.*'nonsense': none of //p" "$err" | tr ' ' '\n' | sort >known
	check "the program names its faults" test -s known
	check "each of them stands in the table" cmp -s here known
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

done_testing() {
	echo "1..$count"
	[ $failed -eq 0 ]
}
