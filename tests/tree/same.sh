#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# same.sh - two clones, in folders of different names, one built after the other: binary, tarball and
# Debian package are the same to the byte.  Exit: 0 they are, 1 they are not, 77 there is no git clone.
set -u
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd) || exit 1
[ -e "$top/.git" ] || { echo "same: needs a clone"; exit 77; }
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT

make_one() {	# folder: its clone, built; what it made in folder/made
	git clone -q "$top" "$1/tt-smi" && cd "$1/tt-smi" && mkdir "$1/made" build &&
		autoreconf -fi && cd build && ../configure && make -s -j"$(nproc)" && make -s dist &&
		cp src/tt-smi tt-smi-*.tar.* "$1/made" || return 1
	command -v dpkg-buildpackage >/dev/null || return 0
	cd .. && dpkg-buildpackage -b -us -uc -d && cp ../*.deb "$1/made"
}

n=0
for folder in "$place/a" "$place/another-folder/below"; do
	mkdir -p "$folder"
	(make_one "$folder") >"$place/log" 2>&1 </dev/null || { tail -n 20 "$place/log"; exit 1; }
	n=$((n + 1))
done
result=0
cd "$place/a/made" || exit 1
for made in *; do
	n=$((n + 1))
	if cmp "$made" "$place/another-folder/below/made/$made"; then
		echo "ok $n - $made: the same twice"
	else
		echo "not ok $n - $made differs"
		result=1
	fi
done
command -v dpkg-buildpackage >/dev/null || echo "ok $n - the package # SKIP no dpkg-buildpackage"
exit $result
