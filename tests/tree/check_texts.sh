# SPDX-License-Identifier: GPL-2.0-or-later
# All texts of two words or more in the tool's sources stand in one golden file: a change of wording is
# one diff to review, and other tests check codes.  UPDATE_GOLDEN=1 rewrites it.
. "$top_srcdir/tests/rig/lib.sh"

texts() {	# tree: one a line, sorted, each once
	(cd "$1" && find $rooms -name '*.[ch]' ! -name scripts.c ! -name floors_text.c 2>/dev/null) |
		LC_ALL=C sort >files
	xgettext -L C --from-code=UTF-8 --extract-all --no-location --no-wrap --omit-header -D "$1" -f files \
		-o - 2>/dev/null | awk '
		/^msgid / { text = substr($0, 8, length($0) - 8) }
		/^"/ { text = text substr($0, 2, length($0) - 2) }
		/^msgstr/ && text ~ /[A-Za-z]+[,:;.)]? [A-Za-z(%]/ { print text; text = "" }' | LC_ALL=C sort -u
}

if ! command -v xgettext >/dev/null; then
	skip "all texts are in the golden file" "xgettext is not installed"
	done_testing
	exit
fi
texts "$top_srcdir" >"$out"
check "there are texts" test "$(wc -l <"$out")" -gt 1000
out_is golden/texts.txt "all texts are those of the golden file"

mkdir -p bad/src
printf 'int f(void) { return say("no card\\nis here: %%s " "today", "one"); }\n' >bad/src/a.c
texts bad >"$out"
check "a text in two lines and two literals is found" grep -qxF 'no card\nis here: %s today' "$out"
check "and a single word is not" test "$(wc -l <"$out")" = 1

done_testing
