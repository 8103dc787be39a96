# SPDX-License-Identifier: GPL-2.0-or-later
# make fuzz: builds the targets with clang's libFuzzer, ASan and UBSan in
# ./fuzz-build and runs each for FUZZ_SECONDS (600), all from their seeds.
#   FUZZ_SECONDS=60 FUZZ="parse json" make fuzz
# New inputs stay in fuzz-build/corpus; crashes in fuzz-build/crashes, one
# line of the table each.  Exit 1 if any target crashed, hung or leaked.
set -u
top=$1 targets=$2
seconds=${FUZZ_SECONDS:-600}
dir=$PWD/fuzz-build

mkdir -p "$dir" && cd "$dir" || exit 1
[ -f Makefile ] || "$top/configure" --enable-fuzzing CC="${FUZZ_CC:-clang}" CFLAGS='-O1 -g' >configure.out 2>&1 || {
	tail -n 5 configure.out
	exit 1
}
# shellcheck disable=SC2086
make -s $targets >build.out 2>&1 || {
	tail -n 20 build.out
	exit 1
}

status=0
printf '%-20s %8s %12s %8s %8s  %s\n' target seconds executions per-s inputs result
for t in $targets; do
	name=${t##*/fuzz_}
	case " ${FUZZ:-$name} " in
	*" $name "*) ;;
	*) continue ;;
	esac
	mkdir -p "corpus/$name" "crashes/$name"
	result=clean
	TZ=UTC LC_ALL=C.UTF-8 "./$t" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
		-close_fd_mask=1 -max_len=65536 -artifact_prefix="crashes/$name/" \
		"corpus/$name" "$top/tests/fuzz/corpus/$name" >"$name.out" 2>&1 || {
		result="FAILED, see $dir/$name.out"
		status=1
	}
	printf '%-20s %8s %12s %8s %8s  %s\n' "$name" "$seconds" \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' "$name.out")" \
		"$(sed -n 's/^stat::average_exec_per_sec: *//p' "$name.out")" \
		"$(find "corpus/$name" -type f | wc -l)" "$result"
done
exit $status
