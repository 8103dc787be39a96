# SPDX-License-Identifier: GPL-2.0-or-later
# Stands for tests/unit/test_kmd where that cannot be built.
. "$top_srcdir/tests/rig/lib.sh"
skip "the driver's ABI on a mock device" "umockdev (libumockdev-dev) or cmocka is not installed"
done_testing
