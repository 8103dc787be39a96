# SPDX-License-Identifier: GPL-2.0-or-later
# make install into any prefix, moved elsewhere, staged, and taken away again: nothing is left.
. "$top_srcdir/tests/rig/lib.sh"

in_build() {	# what make is to do
	run env -u MAKEFLAGS -u MAKELEVEL make -s -C "$top_builddir" "$@"
}
list() { (cd "$1" && find . -mindepth 1 | sort); }

mkdir before
prefix="$work/a prefix"
in_build install prefix="$prefix"
rc_is 0 "make install into a prefix with blanks in its name"
list "$prefix" >installed
check "it has the program" test -x "$prefix/bin/tt-smi"
check "and its manual" test -s "$prefix/share/man/man1/tt-smi.1"
examples="$prefix/share/doc/tt-smi/examples"
check "and examples" test -s "$examples/prometheus/tt-smi.rules.yml"
check "the unit starts what was installed" \
	grep -qF "ExecStart=$prefix/bin/tt-smi --exporter" "$examples/systemd/tt-smi-exporter.service"

mv "$prefix" "$work/moved"
run "$work/moved/bin/tt-smi" -ls --sim 'n300,p150a'
rc_is 0 "a prefix that is moved"
out_has "n300 L" "is one that works"
mv "$work/moved" "$prefix"
in_build uninstall prefix="$prefix"
rc_is 0 "make uninstall"
find "$prefix" ! -type d >"$out"
check "leaves no file" test ! -s "$out"
find "$prefix" -mindepth 1 -name 'tt-smi*' -o -name examples >"$out"
check "and no folder of ours" test ! -s "$out"

# Folders that others share are there before, as on any system.
mkdir -p stage && (cd stage && sed -n 's|^\./\(.*\)|usr/\1|p' ../installed | while read -r f; do
	case $f in
	*tt-smi* | *.schema.json | usr/share/doc/*) ;;
	*) mkdir -p "$f" ;;
	esac
done && mkdir -p usr/share/doc)
list stage >before/stage
in_build install prefix=/usr DESTDIR="$work/stage"
rc_is 0 "make install with DESTDIR"
(cd stage/usr && find . -mindepth 1 | sort) >staged
check "stages the same files" cmp installed staged
grep -rlF "$work" stage >"$out"
check "of which none knows the stage" test ! -s "$out"
check "the unit starts what is to be installed" grep -q '^ExecStart=/usr/bin/tt-smi ' \
	stage/usr/share/doc/tt-smi/examples/systemd/tt-smi-exporter.service
in_build uninstall prefix=/usr DESTDIR="$work/stage"
list stage >after
check "make uninstall with DESTDIR leaves what was there before" cmp before/stage after

# It takes away what is its own, and leaves what somebody put there.
in_build install prefix="$prefix"
echo mine >"$examples/mine"
in_build uninstall prefix="$prefix"
rc_is 0 "make uninstall with a file of somebody else's"
check "which stays" test -s "$examples/mine"
done_testing
