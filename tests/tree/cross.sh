#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cross.sh - the tool for processors of other kinds (make proof-cross).
#
#   tests/tree/cross.sh [PATH...]	each PATH is SYSTEM/ARCH; without one bookworm/arm64 and trixie/riscv64
#
# Debian's cross compiler builds the sources with -Werror on a bare system.  A snapshot, --health, a check of
# the kernels, a burn of memory and the unit tests, except those in $elsewhere, then run under qemu-user.
#
# FRESH_CACHE, FRESH_MIRROR: see tests/rig/root_lib.sh.
# Exit: 0 all passed, 1 some failed, 77 some could not be tried and the others passed.
set -u
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd) || exit 1
failed=0 skipped=0

called=cross
. "$top/tests/rig/root_lib.sh"

# qemu shows processes differently: /proc shows qemu instead of the program, the program cannot start another,
# and signals arrive late.
processes='test_burn_room test_discovery test_hook test_options test_program test_sampler test_term'
# Under qemu these take hours, or all memory.
loads='test_burn test_burn_flips test_burn_memory test_burnin_kernels test_card_burn test_card_memory'
elsewhere="$processes $loads"

words_of() {	# arch: the compiler's triplet and qemu's name
	case $1 in
	arm64)	triplet=aarch64-linux-gnu qemu=qemu-aarch64 ;;
	riscv64) triplet=riscv64-linux-gnu qemu=qemu-riscv64 ;;
	*)	say "no such processor: $1"; exit 1 ;;
	esac
}

libraries='libc6-dev libncurses-dev libxlsxwriter-dev libcjson-dev libpci-dev libmicrohttpd-dev libarchive-dev
	libinih-dev libcurl4-gnutls-dev libcmocka-dev'
prepare() {	# system, arch: a bare one with what is needed there is kept, too
	[ -f "$cache/$1-$2.tar" ] && return
	enter "$1" || return 1
	inside dpkg --add-architecture "$2" && apt update || return 1
	# shellcheck disable=SC2046
	apt install --no-install-recommends autoconf automake make pkg-config "gcc-$triplet" qemu-user procps \
		$(for l in $libraries; do echo "$l:$2"; done) && keep "$1-$2"
	ok=$?
	leave
	return $ok
}

typed() {	# command...: in the sources
	echo "\$ $*"
	inside env PKG_CONFIG_LIBDIR="/usr/lib/$triplet/pkgconfig:/usr/share/pkgconfig" sh -c "cd /tt-smi && $*"
}

built_and_run() {	# system, arch
	enter "$1-$2" && place clone "$root/tt-smi" || return 1
	typed autoreconf -fi && typed ./configure -q --host="$triplet" --enable-werror &&
		typed make -s -j"$(nproc)" all && typed make -s check-data || return 1
	smi="$qemu src/tt-smi"
	typed "$smi -s -f snapshot.json --sim '2*p150a,n300'" &&
		[ "$(grep -c '"board_type"' "$root/tt-smi/snapshot.json")" -eq 4 ] &&
		typed "$smi --health --sim p150a,n300" &&
		typed "$smi -b check --shape 1x1x1,7x13x5,33x1x129" &&
		typed "$smi -b host --threads 2 --workload memory --size 16M --iterations 1" || return 1
	units=$(typed make -s list-tests | grep '^tests/unit/')
	for u in $elsewhere; do	# one that is not there any more must not stay in the list
		echo "$units" | grep -qx "tests/unit/$u" || { echo "ERROR: no test is called $u"; return 1; }
		units=$(echo "$units" | grep -vx "tests/unit/$u")
	done
	typed make -s -k -j"$(nproc)" check check_DATA= check_PROGRAMS="'$(echo $units)'" TESTS="'$(echo $units)'" \
		LOG_COMPILER="'timeout 600 sh tests/rig/tap.sh $qemu'"
}

[ $# -gt 0 ] || set -- bookworm/arm64 trixie/riscv64
for path in "$@"; do
	system=${path%%/*}
	arch=${path##*/}
	words_of "$arch"
	log=$cache/cross-$arch.log
	began=$(date +%s)
	if ! bare "$system" || ! prepare "$system" "$arch" >"$log" 2>&1; then
		say "$path is skipped: $(tail -n 1 "$log" "$cache/$system.log" 2>/dev/null | tail -n 1)"
		skipped=77
		continue
	fi
	if built_and_run "$system" "$arch" >"$log" 2>&1; then
		verdict=PASS
	else
		verdict=FAIL
		failed=1
		grep -E '^(FAIL|ERROR)|(warning|error):' "$log" >&2
		tail -n 30 "$log" >&2
	fi
	leave
	say "$verdict $path ($(($(date +%s) - began)) s): $(sed -n 's/^# \(PASS\|FAIL\|ERROR\|SKIP\): */\1 /p' "$log" | tr '\n' ' ')"
done
[ $failed -eq 0 ] || exit 1
exit $skipped
