# SPDX-License-Identifier: GPL-2.0-or-later
# configure says which compiler it wants, and refuses an older one by name.
. "$top_srcdir/tests/rig/lib.sh"
# Not from the tree itself, which may be configured.
mkdir src
cp "$top_srcdir/configure" .
cp -r "$top_srcdir/build-aux" .
cp "$top_srcdir/src/main.c" src/

for old in "gcc -U__clang__ -U__GNUC__ -D__GNUC__=10" \
	"gcc -D__clang__ -D__clang_major__=12"; do
	command -v gcc >/dev/null || { skip "$old" "no gcc"; continue; }
	run ./configure CC="$old"
	rc_is 1 "$old: refused"
	err_has "wants gcc 11, clang 13 or newer" "$old: and says what is wanted"
done

done_testing
