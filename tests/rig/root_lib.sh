# SPDX-License-Identifier: GPL-2.0-or-later
#
# root_lib.sh - bare systems made by debootstrap, for what is tried where nothing of ours is installed
# (make fresh, proof-package).  Sourced with $top, the tree, and $called, what messages begin with.
#
#   bare SYSTEM		a release of Debian or Ubuntu in the cache, as SYSTEM.tar; false with the reason
#			at the end of SYSTEM.log
#   enter NAME		unpack NAME.tar into $root, with /proc and what programs want of /dev
#   inside COMMAND...	run there, with nothing of our environment
#   keep NAME		pack $root as NAME.tar, for later runs
#   leave		unmount and remove $root; done at the end, too
#   place SOURCE DIR	the sources as they are committed, as clone, archive or tarball
#
# FRESH_CACHE (default /var/tmp/tt-smi-fresh) keeps the systems, FRESH_MIRROR names the mirror of
# Debian, by default apt's own; FRESH_UBUNTU that of Ubuntu, which has no default.
cache=${FRESH_CACHE:-/var/tmp/tt-smi-fresh}
debian=${FRESH_MIRROR:-$(sed -n 's/^URIs: *\(http[^ ]*\/debian\)\/\{0,1\}$/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\(http[^ ]*\/debian\)\/\{0,1\} .*/\2/p' \
	/etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)}

say() { echo "$called: $*" >&2; }
cannot() { say "$*"; exit 77; }

[ "$(id -u)" -eq 0 ] || cannot "only root can make a system of its own (chroot)"
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
[ -n "$debian" ] || cannot "no mirror: set FRESH_MIRROR"
mkdir -p "$cache" || exit 1

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

bare() (	# system: a bare one in the cache; two proofs may want it at the same time
	exec 9>"$cache/$1.lock"
	flock 9
	[ -f "$cache/$1.tar" ] && exit 0
	mirror=$(mirror_of "$1")
	if [ -z "$mirror" ]; then
		echo "no mirror of Ubuntu is set (FRESH_UBUNTU)" >"$cache/$1.log"
		exit 1
	fi
	say "installing a bare $1"
	rm -rf "$cache/$1.new"
	components=main	# of Ubuntu's, universe has libraries that we need
	[ "$mirror" = "$debian" ] || components=main,universe
	debootstrap --variant=minbase --include=ca-certificates --components=$components "$1" "$cache/$1.new" "$mirror" \
		>"$cache/$1.log" 2>&1 && pack "$cache/$1.new" "$1"
	made_it=$?
	rm -rf --one-file-system "$cache/$1.new"
	exit $made_it
)

pack() {	# folder, name: whole or not at all
	tar -C "$1" --one-file-system -cf "$cache/$2.part" . && mv "$cache/$2.part" "$cache/$2.tar"
}

keep() {
	pack "$root" "$1"
}

inside() {	# command...: in the system, with nothing of our environment
	chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root TERM=dumb CI="${CI:-}" "$@" </dev/null
}

enter() {	# name
	root=$(mktemp -d "$cache/root.XXXXXX") || return 1
	tar -C "$root" -xf "$cache/$1.tar" || return 1
	chmod 755 "$root"
	mkdir -p "$root/dev/pts" "$root/dev/shm"
	mount -t proc proc "$root/proc" && mount -t devpts -o ptmxmode=666,newinstance devpts "$root/dev/pts" &&
		mount -t tmpfs shm "$root/dev/shm" || return 1
	[ -e "$root/dev/ptmx" ] || ln -s pts/ptmx "$root/dev/ptmx"
	ln -sfn /proc/self/fd "$root/dev/fd"
	cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99fresh"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fresh"	# a system that is thrown away
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"	# no daemons in here
	chmod +x "$root/usr/sbin/policy-rc.d"
}

apt() {	# arguments of apt-get, in the system
	inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 "$@"
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
