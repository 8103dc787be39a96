# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's images are those of its sources: by the hash that stands in them,
# and by building them again where the same compiler is installed.
. "$top_srcdir/tests/rig/lib.sh"

images=$top_srcdir/burnin/firmware/images.c
hash=$(cd "$top_srcdir" && sh burnin/firmware/source_hash.sh)
check "the images are of these sources (sh burnin/firmware/build.sh burnin/firmware/images.c)" \
	grep -qF "\"$hash\"" "$images"

again="building them again gives the same bytes"
if ! command -v riscv64-unknown-elf-gcc >/dev/null; then
	skip "$again" "gcc-riscv64-unknown-elf is not installed"
else
	run sh "$top_srcdir/burnin/firmware/build.sh" "$work/images.c"
	rc_is 0 "they build"
	run sh "$top_srcdir/burnin/firmware/compare.sh" "$work/images.c"
	if [ $rc -eq 77 ]; then
		skip "$again" "$(cat "$out")"
	else
		rc_is 0 "$again"
	fi
	sed 's/0x00000013, 0x00000013/0x00000013, 0x00000014/' "$work/images.c" >other.c
	run sh "$top_srcdir/burnin/firmware/compare.sh" "$work/other.c"
	check "one word that differs is seen" test $rc -ne 0
fi
done_testing
