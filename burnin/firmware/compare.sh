# SPDX-License-Identifier: GPL-2.0-or-later
# compare.sh NEW: the images as build.sh just made them beside those of the tree.  Exit 0: the same,
# byte for byte; 1: they differ; 77: another compiler made NEW, so they may.  The reason is printed.
set -u
committed=$(dirname "$0")/images.c
compiler_of() { sed -n 's/^const char kernel_compiler\[\] = "\(.*\)";$/\1/p' "$1"; }

if cmp "$committed" "$1"; then
	echo "the cores' images are those of the tree, byte for byte ($(compiler_of "$1"))"
elif [ "$(compiler_of "$committed")" = "$(compiler_of "$1")" ]; then
	echo "the cores' images are not those of the tree, and the compiler is the same"
	exit 1
else
	echo "the cores' images are made by '$(compiler_of "$1")', those of the tree by" \
		"'$(compiler_of "$committed")': tests/unit/test_kernel with TTSIM_WH and TTSIM_BH proves them"
	exit 77
fi
