#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# package.sh - the packages, built, checked, installed, used and removed on bare systems.
#
#   tests/tree/package.sh [SYSTEM...]	releases of Debian, by default bookworm and trixie
#
# In a system that has what debian/control asks for, and nothing else of ours, somebody who is not root
# builds the package from a clone; lintian has nothing to say of it.  In another one, which has what
# the package asks for, it is installed, used, upgraded, removed and purged, and leaves nothing behind.
# The first system also builds the RPM.
#
# TTSIM_WH and TTSIM_BH name libraries of the chip simulator: then what another compiler than that of
# burnin/firmware/images.c made of the cards' programs is tried on it.  FRESH_CACHE, FRESH_MIRROR: see
# tests/rig/root_lib.sh; systems with what a build wants are kept there, too.  Exit: 0 all passed, 1
# some failed, 77 none could be tried.
set -u
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd) || exit 1
called=package
. "$top/tests/rig/root_lib.sh"

step() { echo "package: $1: $2"; }

# What a build and its checks want; made anew when debian/control changes.
building=build-$(cksum <"$top/debian/control" | cut -d" " -f1)
builder() {	# system: SYSTEM-$building.tar in the cache
	[ -f "$cache/$1-$building.tar" ] && return 0
	rm -f "$cache/$1"-build-*.tar
	say "installing what a build on $1 wants"
	enter "$1" && mkdir "$root/tmp/source" && cp -r "$top/debian" "$root/tmp/source/" &&
		apt update && apt install --no-install-recommends build-essential fakeroot lintian rpm libdistro-info-perl git &&
		apt build-dep --no-install-recommends /tmp/source && apt clean &&
		inside useradd -m builder && rm -r "$root/tmp/source" || return 1
	keep "$1-$building" && leave
}

as_builder() {	# command for sh, in the folder of the sources
	inside setpriv --reuid=builder --regid=builder --clear-groups env HOME=/home/builder \
		TTSIM_WH="${wh:-}" TTSIM_BH="${bh:-}" DEB_BUILD_OPTIONS="parallel=$(nproc)" \
		sh -c "cd /home/builder/tt-smi && $1"
}

bring_simulators() {	# copies of what TTSIM_WH and TTSIM_BH name
	wh='' bh=''
	[ -z "${TTSIM_WH:-}" ] || { cp "$TTSIM_WH" "$root/opt/libttsim_wh.so" && wh=/opt/libttsim_wh.so; }
	[ -z "${TTSIM_BH:-}" ] || { cp "$TTSIM_BH" "$root/opt/libttsim_bh.so" && bh=/opt/libttsim_bh.so; }
}

build() {	# system: the package, from a clone, by somebody who is not root
	enter "$1-$building" && place clone "$root/home/builder/tt-smi" && bring_simulators &&
		inside chown -R builder: /home/builder || return 1
	as_builder "git ls-files | grep -vxF .gitignore | sort >../committed && dpkg-buildpackage -us -uc" || return 1
	as_builder "lintian --fail-on error,warning ../tt-smi_*.changes" || return 1
	as_builder "tar -tf ../tt-smi_*.tar.xz | sed -n 's,^[^/]*/\(.*[^/]\)\$,\1,p' | sort | diff - ../committed" || return 1
	rm -rf "$made/$1" && mkdir "$made/$1" && cp "$root"/home/builder/*.deb "$made/$1/"
}

build_rpm() {	# system: the RPM from a tarball; what its BuildRequires name is not in dpkg's hands
	step "$1" "rpmbuild"
	as_builder "make -s -C build-debian dist && rpmbuild -tb --nodeps --quiet --define '_topdir /home/builder/rpm' \
		--define 'optflags -O0' build-debian/tt-smi-*.tar.gz" || return 1
	as_builder "rpm -qp --list ../rpm/RPMS/*/tt-smi-[0-9]*.rpm >../files.rpm && rpm -qp --recommends ../rpm/RPMS/*/tt-smi-[0-9]*.rpm" |
		grep -q '^libarchive\.so\.13()' || return 1
	# The files of Debian's package, but for what each system has in a place of its own.
	as_builder "dpkg -c ../tt-smi_*.deb | sed -n 's,^[^d].* \./,/,p' | sed 's/\.gz\$//; s, ->.*,,' | sort >../files.deb && test -s ../files.deb" || return 1
	as_builder "grep -v '/usr/lib/\.build-id' ../files.rpm | sed 's/\.gz\$//' | sort | comm -13 - ../files.deb |
		grep -vE '/(copyright|changelog|systemd/system/.*|lintian/.*|vendor-completions/.*)\$'" | grep . && return 1
	return 0
}

clean() {	# what a build makes is taken away again
	as_builder "debian/rules clean >/dev/null" && ! as_builder "git status --short --ignored" | grep .
}

# Without what the packages' own databases keep, and what other programs cache.
files() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./root -o -path ./var/cache -o \
		-path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o -print | sort)
}

nothing_left() {	# system: beside what was there before
	files >"$made/after"
	diff "$made/before" "$made/after" && return 0
	step "$1" "this was not there before, or is gone"
	return 1
}

needs() {	# field: what the package asks for there
	dpkg-deb -f "$deb" "$1"
}

named() {	# what a mode says where only what the package depends on is installed
	inside tt-smi --dump-libraries >"$made/libraries" || return 1
	# shellcheck disable=SC2046
	apt -s install $(cut -f3 "$made/libraries") >/dev/null || { step "$1" "apt does not know them all"; return 1; }
	while IFS='	' read -r need _ package _; do
		[ "$need" = Recommends ] && ! inside dpkg-query -W "$package" >/dev/null 2>&1 || continue
		case $package in
		libarchive*) mode="--bundle /tmp/b.tar.gz --sim p150a" ;;
		libmicrohttpd*) mode="--exporter /tmp/socket --sim p150a" ;;
		libxlsxwriter*) mode="-d -dur 0.2 -i 0.1 -dir /tmp/dump --sim p150a" ;;
		*) continue ;;
		esac
		# shellcheck disable=SC2086
		inside timeout 120 tt-smi $mode 2>&1 | grep -F "install $package" || { step "$1" "$package is not named"; return 1; }
	done <"$made/libraries"
}

manuals() {	# each page that is installed, and completions
	for page in $(inside dpkg -L tt-smi | sed -n 's,^/usr/share/man/man./\(.*\)\.gz$,\1,p'); do
		inside man -P cat "${page##*.}" "${page%.*}" | grep -q . || { echo "no page $page"; return 1; }
	done
	inside man -P cat tt-smi | grep -q -- --health || return 1
	file=/usr/share/bash-completion/completions/tt-smi
	[ ! -e "$root$file" ] || inside bash -c ". /usr/share/bash-completion/bash_completion; . $file; complete -p tt-smi"
}

autopkgtest() {	# as somebody's: root's, another's
	cp "$top/debian/tests/simulated-boards" "$root/usr/local/bin/" && rm -rf "$root/tmp/adt" && mkdir -m 777 "$root/tmp/adt" &&
		inside "$@" env AUTOPKGTEST_TMP=/tmp/adt HOME=/tmp/adt sh /usr/local/bin/simulated-boards && rm "$root/usr/local/bin/simulated-boards"
}

newer() {	# the same package, of a later version
	dpkg-deb -R "$deb" "$made/newer" && sed -i 's/^Version: .*/&+later/' "$made/newer/DEBIAN/control" &&
		dpkg-deb -b "$made/newer" "$root/root/newer.deb" >/dev/null && rm -r "$made/newer"
}

use() {	# system
	deb=$(ls "$made/$1"/tt-smi_*.deb)
	enter "$1" && apt update && cp "$deb" "$root/root/tt-smi.deb" || return 1
	# Manual pages are left out of some minimal systems.
	rm -f "$root/etc/dpkg/dpkg.cfg.d/docker"
	step "$1" "with what it depends on"
	apt satisfy --no-install-recommends "$(needs Depends)" && files >"$made/before" &&
		inside dpkg -i /root/tt-smi.deb && named "$1" && inside dpkg -P tt-smi && nothing_left "$1" || return 1
	step "$1" "with what it recommends"
	apt satisfy --no-install-recommends "$(needs Recommends), man-db, bash-completion, curl, jq" &&
		files >"$made/before" && inside dpkg -i /root/tt-smi.deb || return 1
	inside ldd /usr/bin/tt-smi | grep 'not found' && return 1
	manuals && autopkgtest && autopkgtest setpriv --reuid=nobody --regid=nogroup --clear-groups || return 1
	grep -qx 'ExecStart=/usr/bin/tt-smi --exporter .*' "$root"/*lib/systemd/system/tt-smi-exporter.service || return 1
	find "$root/etc/systemd" -name 'tt-smi*' | grep . && return 1	# it is not enabled
	step "$1" "upgrade, removal, purge"
	mkdir -p "$root/var/lib/tt-smi" "$root/var/lib/private/tt-smi" && echo 1 >"$root/var/lib/tt-smi/counters" &&
		newer && inside dpkg -i /root/newer.deb && inside tt-smi -v && inside dpkg -r tt-smi &&
		test -s "$root/var/lib/tt-smi/counters" && test ! -e "$root/usr/bin/tt-smi" &&
		inside dpkg -P tt-smi && rmdir "$root/var/lib/private" && nothing_left "$1"
}

[ $# -gt 0 ] || set -- bookworm trixie
failed=0 passed=0 rpm=
for system in "$@"; do
	log=$cache/$system-package.log
	began=$(date +%s)
	if ! bare "$system" || ! builder "$system" >"$log" 2>&1; then
		say "$system is skipped: $(tail -n 1 "$log" "$cache/$system.log" 2>/dev/null | tail -n 1)"
		leave
		continue
	fi
	if {
		build "$system" && { [ -n "$rpm" ] || build_rpm "$system"; } && clean && leave && use "$system"
	} >"$log" 2>&1; then
		verdict=PASS
		passed=$((passed + 1))
	else
		verdict=FAIL
		failed=1
		tail -n 30 "$log" >&2
	fi
	rpm=done
	leave
	say "$verdict $system ($(($(date +%s) - began)) s)$(sed -n "s/^the cores' images/; the cores' images/p" "$log" | tail -n 1)"
done
[ $failed -eq 0 ] || exit 1
[ $passed -gt 0 ] || exit 77
