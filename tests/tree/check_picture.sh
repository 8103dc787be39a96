# SPDX-License-Identifier: GPL-2.0-or-later
# The picture of the README is what the live display draws today, on whatever machine.
. "$top_srcdir/tests/rig/lib.sh"

picture() { TZ=Asia/Tokyo LC_ALL=C TT_SMI_VIRTUAL_TIME=5 "$top_builddir/tests/rig/picture"; }

run picture
rc_is 0 "the picture can be made"
err_empty "it says nothing"
check "doc/live.svg is that picture (else: make picture)" cmp "$out" "$top_srcdir/doc/live.svg"
out_has 'throttle limit' "it shows a board in trouble, with the reason"
check "the README shows it" grep -q '](doc/live.svg)' "$top_srcdir/README.md"
if command -v xmllint >/dev/null; then
	check "it is XML" xmllint --noout "$out"
else
	skip "it is XML" "no xmllint"
fi

done_testing
