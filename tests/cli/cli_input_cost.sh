# SPDX-License-Identifier: GPL-2.0-or-later
# What a hostile file may cost each parser: memory by a factor of its size, time in proportion.
. "$top_srcdir/tests/rig/lib.sh"

if ! command -v python3 >/dev/null; then
	skip "the cost of hostile files" "no python3"
	done_testing
	exit 0
fi
exec python3 "$top_srcdir/tests/fuzz/cost.py" "$top_builddir/tests/fuzz" "$top_srcdir/tests/fuzz/corpus"
