# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's images are those of its sources: by the hash that stands in them,
# and by building them again where the same compiler is installed.
. "$top_srcdir/tests/rig/lib.sh"

images=$top_srcdir/burnin/firmware/images.c
hash=$(cd "$top_srcdir" && sh burnin/firmware/source_hash.sh)
check "the images are of these sources (sh burnin/firmware/build.sh burnin/firmware/images.c)" \
	grep -qF "\"$hash\"" "$images"

made_by=$(sed -n 's/^const char kernel_compiler\[\] = "\(.*\)";$/\1/p' "$images")
here=$(riscv64-unknown-elf-gcc --version 2>/dev/null | head -n 1)
if [ -z "$here" ]; then
	skip "building them again gives the same bytes" "gcc-riscv64-unknown-elf is not installed"
elif [ "$here" != "$made_by" ]; then
	skip "building them again gives the same bytes" "made by '$made_by', here is '$here'"
else
	run sh "$top_srcdir/burnin/firmware/build.sh" "$work/images.c"
	rc_is 0 "they build"
	check "building them again gives the same bytes" cmp "$images" "$work/images.c"
fi
done_testing
