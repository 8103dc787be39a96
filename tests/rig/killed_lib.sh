# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced after tests/rig/lib.sh: what is left of a tt-smi that was killed in the middle of a reset.
#
#   left		its processes that still run, by the folder that they were started in: this one
#   ends NAME		one of them goes on, with its card locked, and then all is over
#   is_over NAME		none is left, nor a lock; no process goes on without one
left() {	# our processes that still run
	for p in /proc/[0-9]*; do
		[ "$p/cwd" -ef . ] && has_line "$p/comm" '^tt-smi$' && echo "${p#/proc/}"
	done
}
none_is_left() { [ -z "$(left)" ]; }
some_is_locked() {
	for lock in "$TT_SMI_STATE_DIR"/sim-*.lock; do	# /proc/locks leaves out what a dead process took
		flock -n "$lock" true || return 0
	done
	return 1
}

none_is_left_or_loose() {	# one without a lock may just be ending
	none_is_left && return
	if ! some_is_locked; then
		nap 0.3
		none_is_left || some_is_locked || loose=1
	fi
	return 1
}

ends() {	# NAME
	check "$1: the card is not given away while one acts" some_is_locked
	is_over "$1"
}

is_over() {	# NAME
	loose=0
	await none_is_left_or_loose
	check "$1: no process goes on without its lock" test $loose -eq 0
	check "$1: no process is left" test -z "$(left)"
	for p in $(left); do kill -9 "$p"; done
	check "$1: nor a lock" sh -c "! $(some_is_locked && echo true || echo false)"
}
