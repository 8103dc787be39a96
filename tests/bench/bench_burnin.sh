# SPDX-License-Identifier: GPL-2.0-or-later
# The burn-in's kernels beside OpenBLAS, BLIS and oneDNN where they are installed, on one thread and
# on all; stress-ng's matrix product beside.  BENCH_PARTS="conv narrow flat square" (or "conv-f
# conv-b ..."), BENCH_K the largest K, BENCH_THREADS.
#
# A library guesses its kernel by the processor's name, and often badly.  So of each those that run
# here are tried at one case of the part, and the fastest is the peer.  Called by run.sh.
set -u
. "$top_srcdir/tests/bench/lib.sh"
rounds=${BENCH_ROUNDS:-15}
bench=$top_builddir/tests/bench/bench_burnin
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Names that each library's variable takes, and the level that each needs; one that this processor
# cannot run ends badly.  TT_SMI_CPU_LEVEL limits them as it limits ours.  The widest stands last.
peers='OpenBLAS libopenblas.so.0 OPENBLAS_CORETYPE Nehalem@baseline Sandybridge@avx2 Zen@avx2 Haswell@avx2 SkylakeX@avx512 Cooperlake@bf16 SapphireRapids@amx
BLIS libblis.so.4 BLIS_ARCH_TYPE 5@baseline 4@avx2 6@avx2 7@avx2 8@avx2 9@avx2 3@avx2 1@avx512 2@avx512 0@avx512
oneDNN libdnnl.so.2 ONEDNN_MAX_CPU_ISA SSE41@baseline AVX2@avx2 AVX512_CORE@avx512 AVX512_CORE_BF16@bf16 AVX512_CORE_AMX@amx ALL@amx'
case ${TT_SMI_CPU_LEVEL:-amx} in
baseline) levels='baseline' ;;
avx2)	levels='baseline|avx2' ;;
avx512)	levels='baseline|avx2|avx512' ;;
bf16)	levels='baseline|avx2|avx512|bf16' ;;
*)	levels='[a-z0-9]*' ;;
esac

# part: sets each library's variable to the fastest, and says so.
choose() {
	missing=
	echo "$peers" >"$work/peers"
	while read -r name lib var values; do
		ldconfig -p 2>/dev/null | grep -q "$lib" || { missing="$missing $name"; continue; }
		# shellcheck disable=SC2086
		values=$(printf '%s\n' $values | sed -nE "s/@($levels)\$//p")
		for value in $values; do
			rate=$(env "$var=$value" "$bench" trial "$name" "$1" </dev/null) && echo "$rate $value"
		done 2>/dev/null | sort -rn >"$work/tried"
		export "$var=$(echo "$values" | tail -n 1)"	# the limit holds without a trial, too
		read -r rate value <"$work/tried" ||
			{ missing="$missing $name (for $1, or its headers when this was built)"; continue; }
		export "$var=$value"
		echo "$name, $1: $var=$value is its fastest kernel, at $rate GFLOP/s (tried:$(
			awk '{ printf " %s %s", $2, $1 }' "$work/tried"))"
	done <"$work/peers"
	[ -z "$missing" ] || echo "not installed:$missing"
}

default="conv-f conv-b narrow-f narrow-b flat-f flat-b square-f square-b"
parts=
for part in ${BENCH_PARTS:-$default}; do
	case $part in *-*) parts="$parts $part" ;; *) parts="$parts $part-f $part-b" ;; esac
done
for part in $parts; do
	choose "$part"
	for threads in ${BENCH_THREADS:-1 $(nproc)}; do
		"$bench" "$threads" "$rounds" "$part" >"$work/out"
		cat "$work/out"
		echo
		# Each sample was held against the peak beside it; what else ran is in none that counts.
		rows=$(sed -n 's/.*=> geo.* of \([0-9]* rows of [0-9]*\).*/\1/p' "$work/out")
		for figure in mean least; do
			value=$(sed -n "s/.*=> geo.*$figure \([0-9.]*\).*/\1/p" "$work/out")
			why="no peer${missing:+: not installed:$missing}"
			! grep -q dropped "$work/out" || why="in no row enough samples counted"
			! grep -q crashed "$work/out" || why="no peer answered: one crashed"
			world="judged, $rows"
			[ -n "$value" ] || world=$why
			bench_figure "$part.$threads.$figure" "$value" "$world"
		done
		sed -n 's/.*=> of our float32: .*least \([0-9.]*\) of \(.*\)/\1 \2/p' "$work/out" >"$work/own"
		read -r value rows <"$work/own" && bench_figure "$part.$threads.own" "$value" "judged, $rows"
	done
done
if command -v stress-ng >/dev/null 2>&1; then
	stress-ng --matrix 1 --matrix-method prod --matrix-size 256 --metrics-brief -t 4 2>&1 |
		awk '$4 == "matrix" && $5 + 0 > 0 && $6 + 0 > 0 { printf "stress-ng, 1 worker, matrix product of 256: %.2f GFLOP/s\n",
			$5 * 2 * 256 ^ 3 / $6 / 1e9 }'
else
	echo "skipped: stress-ng is not installed"
fi
