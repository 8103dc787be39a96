#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fresh.sh - a newcomer's first five minutes on systems that have nothing yet.
#
#   tests/tree/fresh.sh [PATH...]	each PATH is SYSTEM/USER/SOURCE, for example trixie/user/clone
#
# SYSTEM is a release of Debian or Ubuntu (22.04 is jammy, 24.04 noble) that debootstrap can
# install, USER is root or user (one with sudo), SOURCE is clone, archive (git archive) or tarball (make dist).
# Without a PATH all of them are taken.  The sources lie in a folder with blanks
# in its name, and the README's two commands are typed: ./dev run, ./dev test.  The
# tests must leave no file in /tmp and no process behind.
#
# FRESH_WORDS are words for the second command, which then runs fewer tests.  FRESH_CACHE,
# FRESH_MIRROR, FRESH_UBUNTU: see tests/rig/root_lib.sh; without the last, Ubuntu's releases are skipped.
# Exit: 0 all passed, 1 some failed, 77 some could not be tried and the others passed; the reasons
# are printed.
set -u
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd) || exit 1
failed=0 skipped=0

called=fresh
. "$top/tests/rig/root_lib.sh"

newcomer() {	# system, user, source
	enter "$1" || return 1
	home=/root
	if [ "$2" = user ]; then
		home="/home/new comer"
		apt update && apt install --no-install-recommends sudo &&
			inside useradd -m -d "$home" -s /bin/bash newcomer || return 1
		echo 'newcomer ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/newcomer"
	fi
	place "$3" "$root$home/a folder with blanks/tt-smi" || return 1
	[ "$2" = root ] || inside chown -R newcomer: "$home"
	type_it "$2" "$home" './dev run -ls --sim p150a' || return 1
	type_it "$2" "$home" "./dev test${FRESH_WORDS:+ $FRESH_WORDS}" && nothing_left
}

nothing_left() {	# by the tests: files in /tmp, processes
	left=$(cd "$root/tmp" && find . -mindepth 1 | head -n 20)
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/root")" != "$root" ] ||
			left="$left process ${p#/proc/} ($(tr '\0' ' ' <"$p/cmdline"))"
	done
	[ -z "$left" ] || echo "fresh: the tests left behind: $left"
	[ -z "$left" ]
}

type_it() {	# user, home, command
	echo "\$ $3"
	if [ "$1" = root ]; then
		inside sh -c "cd '$2/a folder with blanks/tt-smi' && $3"
	else
		inside sudo -u newcomer CI="${CI:-}" sh -c "cd '$2/a folder with blanks/tt-smi' && $3"
	fi
}

[ $# -gt 0 ] || set -- $(for s in bookworm trixie jammy noble; do for u in root user; do for w in clone archive tarball; do
	echo $s/$u/$w; done; done; done)
for path in "$@"; do
	system=${path%%/*}
	source=${path##*/}
	user=${path#*/}
	user=${user%/*}
	log=$cache/$system-$user-$source.log
	began=$(date +%s)
	if ! bare "$system"; then
		say "$path is skipped: $(tail -n 1 "$cache/$system.log")"
		skipped=77
		continue
	fi
	if newcomer "$system" "$user" "$source" >"$log" 2>&1; then
		verdict=PASS
	else
		verdict=FAIL
		failed=1
		tail -n 30 "$log" >&2
	fi
	leave
	last=$(grep -E '^[0-9]+ passed' "$log" | tail -n 1)
	say "$verdict $path ($(($(date +%s) - began)) s)${last:+: $last}"
done
[ $failed -eq 0 ] || exit 1
exit $skipped
