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
# FRESH_WORDS are words for the second command, which then runs fewer tests.  FRESH_CACHE (default
# /var/tmp/tt-smi-fresh) keeps the bare systems, and FRESH_MIRROR names the mirror
# of Debian, by default apt's own; FRESH_UBUNTU that of Ubuntu, without which its releases are skipped;
# the rest is made anew and removed.  Exit: 0 all passed, 1 some failed, 77 some
# could not be tried and the others passed; the reasons are printed.
set -u
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd) || exit 1
cache=${FRESH_CACHE:-/var/tmp/tt-smi-fresh}
debian=${FRESH_MIRROR:-$(sed -n 's/^URIs: *\(http[^ ]*\/debian\)\/\{0,1\}$/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\(http[^ ]*\/debian\)\/\{0,1\} .*/\2/p' \
	/etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)}
failed=0 skipped=0

say() { echo "fresh: $*" >&2; }
cannot() { say "$*"; exit 77; }

[ "$(id -u)" -eq 0 ] || cannot "only root can make a system of its own (chroot)"
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
[ -n "$debian" ] || cannot "no mirror: set FRESH_MIRROR"
mkdir -p "$cache" || exit 1

# The sources as they are committed, made once: a clone and what can be had from it.
made=$(mktemp -d "$cache/source.XXXXXX") || exit 1
root=
leave() {
	if [ -n "$root" ]; then
		umount "$root/proc" "$root/dev/pts" "$root/dev/shm" 2>/dev/null
		rm -rf --one-file-system "$root"
		root=
	fi
}
trap 'leave; rm -rf "$made"' EXIT
trap 'exit 1' INT TERM HUP

mirror_of() {	# system: its mirror, empty where none is set
	case $1 in
	jammy | noble) echo "${FRESH_UBUNTU:-}" ;;
	*) echo "$debian" ;;
	esac
}

bare() {	# system: a bare one in the cache
	[ -f "$cache/$1.tar" ] && return 0
	mirror=$(mirror_of "$1")
	if [ -z "$mirror" ]; then
		echo "no mirror of Ubuntu is set (FRESH_UBUNTU)" >"$cache/$1.log"
		return 1
	fi
	say "installing a bare $1"
	rm -rf "$cache/$1.new"
	components=main	# of Ubuntu's, universe has libraries that we need
	[ "$mirror" = "$debian" ] || components=main,universe
	debootstrap --variant=minbase --include=ca-certificates --components=$components "$1" "$cache/$1.new" "$mirror" \
		>"$cache/$1.log" 2>&1 && tar -C "$cache/$1.new" -cf "$cache/$1.part" . &&
		mv "$cache/$1.part" "$cache/$1.tar"
	made_it=$?
	rm -rf --one-file-system "$cache/$1.new"
	return $made_it
}

inside() {	# command...: in the system, with nothing of our environment
	chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root TERM=dumb CI="${CI:-}" "$@" </dev/null
}

enter() {	# system
	root=$(mktemp -d "$cache/root.XXXXXX") || return 1
	tar -C "$root" -xf "$cache/$1.tar" || return 1
	mkdir -p "$root/dev/pts" "$root/dev/shm"
	mount -t proc proc "$root/proc" && mount -t devpts -o ptmxmode=666,newinstance devpts "$root/dev/pts" &&
		mount -t tmpfs shm "$root/dev/shm" || return 1
	[ -e "$root/dev/ptmx" ] || ln -s pts/ptmx "$root/dev/ptmx"
	ln -sfn /proc/self/fd "$root/dev/fd"
	cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99fresh"
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"	# no daemons in here
	chmod +x "$root/usr/sbin/policy-rc.d"
}

place() {	# source, folder: put the sources there
	case $1 in
	clone)	git clone -q "file://$top" "$2" ;;
	archive) mkdir -p "$2" && git -C "$top" archive HEAD | tar -C "$2" -xf - ;;
	tarball)
		if [ ! -f "$made/dist.tar.gz" ]; then
			git clone -q "file://$top" "$made/dist" && (cd "$made/dist" && autoreconf -fi &&
				./configure -q && make -s dist && mv tt-smi-*.tar.gz ../dist.tar.gz) \
				>"$made/dist.log" 2>&1 || { tail "$made/dist.log"; return 1; }
		fi
		mkdir -p "$2" && tar -C "$2" --strip-components=1 -xf "$made/dist.tar.gz" ;;
	*)	echo "no such source: $1"; return 1 ;;
	esac
}

newcomer() {	# system, user, source
	enter "$1" || return 1
	home=/root
	if [ "$2" = user ]; then
		home="/home/new comer"
		inside apt-get -qq update &&
			inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends sudo &&
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
