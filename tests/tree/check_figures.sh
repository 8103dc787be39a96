# SPDX-License-Identifier: GPL-2.0-or-later
# Of each figure there is one in its group: a key that stands twice does not compile.
. "$top_srcdir/tests/rig/lib.sh"
cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || {
	skip "a key that stands twice" "no compiler"
	done_testing
	exit
}

table() {	# rows: compile a table of them
	printf '%s\n' '#include "telemetry/figure.h"' "#define N_FIGURES(F) $1" 'FIGURES(n, N_FIGURES, int n)' \
		'void add(struct figure_value *to);' 'void add(struct figure_value *to) { n_add(to, 1); }' >table.c
	# shellcheck disable=SC2086
	run $cc -std=c17 -D_GNU_SOURCE -I"$top_srcdir" -c table.c -o table.o
}

table 'F(INT, rounds, (), n) F(INT, words, ("Words"), n) F(INT, wrong, (.hidden = true), n)'
rc_is 0 "a table of figures compiles"
table 'F(INT, rounds, (), n) F(INT, words, ("Words"), n) F(INT, rounds, (.hidden = true), n)'
check "one with a key twice does not" [ "$rc" != 0 ]
err_has 'FIGURE_IS_TWICE_rounds' "and the compiler names the key"

done_testing
