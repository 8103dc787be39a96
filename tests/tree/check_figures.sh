# SPDX-License-Identifier: GPL-2.0-or-later
# Of each figure there is one in its group: a key that stands twice does not compile, and one that
# code asks for is there.
. "$top_srcdir/tests/rig/lib.sh"

# A figure that is not known is left out: one that is misspelt would never be printed, and nobody
# would miss it.
cat >strays.py <<'PYTHON'
import glob, os, re, sys
sources = {}
for room in ["act", "burnin", "output", "src", "telemetry", "ui"]:
    for path in glob.glob(os.path.join(sys.argv[1], room, "**", "*.[ch]"), recursive=True):
        with open(path, encoding="utf-8") as file:
            sources[path] = file.read()
every = "\n".join(sources.values())
keys = set(re.findall(r'\bF\([A-Z]+, (\w+),|\.key = "(\w+)"', every))
keys = {key for pair in keys for key in pair}
asked = []
for path, text in sources.items():
    if "/report/figure" in path:	# which explains them
        continue
    asked += [(path, key) for key in
        re.findall(r'(?:figures_(?:known|text|list|number|put)\(|put_count\(to, f,)[^;"]*?"([\w.]+)"',
            text)]
    if "xlsx_burn" in path:
        titles = re.findall(r'\{ "([^"]+)", "', text)
        asked += [(path, title) for title in titles if '("' + title + '"' not in every]
print(len(asked))
for path, key in asked:
    if not all(part in keys for part in key.split(".")):
        print("%s: %s" % (os.path.relpath(path, sys.argv[1]), key))
PYTHON
strays() {	# tree
	python3 strays.py "$1" >"$out"
	sed 1d "$out"
}
strays "$top_srcdir" >found
check "code asks for figures" test "$(head -n 1 "$out")" -gt 50
check "each of them is in a table" test ! -s found
sed 's/^/# /' found
mkdir -p bad/src bad/telemetry
cat >bad/src/a.c <<'SOURCE'
	F(INT, rounds, (), n)
	figures_known(f, "rounds"); figures_text(x->f[i], "reasn"); figures_number(f, "card.rounds");
SOURCE
strays bad | sort | sed 's/.*: //' | tr '\n' ' ' >found
check "a stray key is caught" test "$(cat found)" = "card.rounds reasn "

cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || {
	skip "a key that stands twice" "no compiler"
	done_testing
	exit
}

table() {	# rows: compile a table of them
	printf '%s\n' '#include "report/figure.h"' "#define N_FIGURES(F) $1" 'FIGURES(n, N_FIGURES, int n)' \
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
