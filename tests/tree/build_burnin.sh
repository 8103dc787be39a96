# SPDX-License-Identifier: GPL-2.0-or-later
# Burn-in data are the same bits whichever compiler, optimisation and machine
# they are computed with: the sources are compiled in several ways and compared.
. "$top_srcdir/tests/rig/lib.sh"

# Lists of words: the paths may have blanks.
ln -s "$top_srcdir" source && ln -s "$top_builddir" build
sources=source/tests/rig/burnin_hash.c
for f in burnin/kernels/case burnin/kernels/cpu burnin/reference/data burnin/reference/golden \
	burnin/reference/sha256 burnin/kernels/team base/error base/mem base/text; do
	sources="$sources source/$f.c"
done
flags='-std=gnu17 -ffp-contract=off -fno-math-errno'	# as in Makefile.am

hashes() {	# compiler, flags...
	"$@" $flags -Isource -Ibuild $sources -o hash -lm -lpthread 2>"$err" && ./hash 8 64
}

run tt-smi -b generate ref --cases 8,64
for meta in ref/*/*_metadata.json; do
	dtype=$(basename "$(dirname "$meta")")
	for out_file in "${meta%metadata.json}"conv2d_output.npy "${meta%metadata.json}"matmul_output.npy; do
		channels=$(basename "$meta" | sed 's/.*_ic0*\([0-9]*\)_.*/\1/')
		op=${out_file##*_ic0[0-9][0-9]_}
		echo "$dtype $channels ${op%%_*} output $(tail -c 131072 "$out_file" | sha256sum | cut -d' ' -f1)"
	done
done | sort >wanted
check "the program's own results are there to be met" [ "$(wc -l <wanted)" = 8 ]

first=
for cc in gcc clang; do
	for level in -O0 '-O3 -march=native'; do
		how="$cc $level"
		if ! command -v $cc >/dev/null; then
			skip "$how: the same bits" "no $cc"
			continue
		fi
		hashes $cc $level >all
		check "$how: compiles and hashes every tensor" [ "$(wc -l <all)" = 28 ]
		grep ' output ' all | sort >outputs
		check "$how: the same results as the program's" cmp -s outputs wanted
		[ -n "$first" ] || { cp all first && first=$how; }
		check "$how: the same inputs as $first" cmp -s all first
	done
done

# A compiler that may approximate is refused.
if command -v gcc >/dev/null; then
	hashes gcc -Ofast >fast
	check "a build with -Ofast is refused" [ ! -s fast ]
	err_has "-ffast-math" "and the compiler says why"
	# The comparison can fail: the same program on a processor that rounds upwards.
	printf '%s\n' '#include <fenv.h>' 'static void __attribute__((constructor)) round_up(void)' \
		'{ fesetround(FE_UPWARD); }' >round.c
	hashes gcc -O2 round.c >upwards
	check "other bits are noticed: results that were rounded upwards" \
		sh -c '[ "$(wc -l <upwards)" = 28 ] && grep " output " upwards | sort | { ! cmp -s - wanted; }'
else
	skip "a build with -Ofast is refused" "no gcc"
fi
done_testing
