# SPDX-License-Identifier: GPL-2.0-or-later
# build.sh OUT: the kernel's images as C, by riscv64-unknown-elf-gcc, from the
# root of the source tree: sh burnin/firmware/build.sh burnin/firmware/images.c
set -eu
out=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
gcc=riscv64-unknown-elf-gcc
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tt-smi-kernel.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$root"
flags='-march=rv32im -mabi=ilp32 -Os -std=c17 -ffreestanding -fno-builtin
	-fno-tree-loop-distribute-patterns -fno-asynchronous-unwind-tables -nostdlib -nostartfiles
	-Wall -Wextra -Werror -Wno-main -I.'

image() {	# chip file core place limit
	$gcc $flags -c -o "$tmp/start.o" burnin/firmware/start.S
	$gcc $flags -include "burnin/firmware/$1.h" -c -o "$tmp/$2.o" "burnin/firmware/$2.c"
	$gcc $flags -Wl,--defsym=PLACE=$4 -Wl,--no-warn-rwx-segments -T burnin/firmware/kernel.ld \
		-o "$tmp/elf" "$tmp/start.o" "$tmp/$2.o"
	riscv64-unknown-elf-objcopy -O binary "$tmp/elf" "$tmp/$1.$2"
	size=$(wc -c <"$tmp/$1.$2")
	if [ "$size" -gt $(($5)) ] || [ $((size % 4)) -ne 0 ]; then
		echo "$1 $2: $size bytes do not fit" >&2
		exit 1
	fi
	printf 'static const uint32_t %s_%s[] = {\n' "$1" "$2"
	od -An -v -tx4 -w28 "$tmp/$1.$2" | sed 's/ \([0-9a-f]*\)/ 0x\1,/g; s/^ /	/'
	printf '};\n\n'
}

{
	cat <<HEAD
/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.c - the kernel as the chips run it, made by burnin/firmware/build.sh
 * from the sources beside it; tests/tree/build_kernel.sh checks that they agree.
 */
#include "config.h"
#include "burnin/firmware/images.h"

const char kernel_source_hash[] =
	"$(sh burnin/firmware/source_hash.sh)";
const char kernel_compiler[] = "$($gcc --version | head -n 1)";

HEAD
	for chip in wormhole blackhole; do
		image $chip check b 0 0x5000
		image $chip unpack t0 0x6000 0x4000
		image $chip math t1 0xa000 0x4000
		image $chip pack t2 0xe000 0x4000
		image $chip traffic nc 0x12000 0x2000
	done
	echo 'const struct kernel_image kernel_images[KERNEL_IMAGES] = {'
	for chip in wormhole blackhole; do
		upper=$(echo $chip | tr '[:lower:]' '[:upper:]')
		for row in 'B check' 'T0 unpack' 'T1 math' 'T2 pack' 'NC traffic'; do
			name=${chip}_${row#* }
			echo "	{ DEVICE_$upper, KERNEL_AT_${row% *}, $name, sizeof($name) / 4 },"
		done
	done
	echo '};'
} >"$tmp/images.c"
mv "$tmp/images.c" "$out"
