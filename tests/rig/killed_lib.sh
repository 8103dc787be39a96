# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced after tests/rig/lib.sh: what is left of a tt-smi that was killed in the middle of a reset.
#
#   left		its processes that still run, by the folder that they were started in: this one
#   ends NAME		one of them goes on, with its card locked, and then all is over
#   is_over NAME		none is left, nor a lock; no process goes on without one
left() {	# our processes that still run
	for p in $(pgrep -x tt-smi); do
		[ "$(readlink "/proc/$p/cwd")" = "$PWD" ] && echo "$p"
	done
}
some_is_locked() {
	for lock in "$TT_SMI_STATE_DIR"/sim-*.lock; do
		flock -n "$lock" true || return 0
	done
	return 1
}

ends() {	# NAME
	check "$1: the card is not given away while one acts" some_is_locked
	is_over "$1"
}

is_over() {	# NAME
	loose=0
	for _ in $(seq 200); do
		[ -z "$(left)" ] && break
		if ! some_is_locked; then
			sleep 0.3
			[ -z "$(left)" ] || some_is_locked || loose=1
		fi
		sleep 0.1
	done
	check "$1: no process goes on without its lock" test $loose -eq 0
	check "$1: no process is left" test -z "$(left)"
	for p in $(left); do kill -9 "$p"; done
	check "$1: nor a lock" sh -c "! $(some_is_locked && echo true || echo false)"
}
