# SPDX-License-Identifier: GPL-2.0-or-later
# Where the locale is not UTF-8, text for people is ASCII in every mode, and text for programs is
# the same as elsewhere.
. "$top_srcdir/tests/rig/lib.sh"

unset LANG LC_CTYPE
world='--sim n300,p150a:hot --sim-seed 1'
ascii() { ! LC_ALL=C grep -q "[^$(printf '\t') -~]" "$@"; }

while read -r words; do
	LC_ALL=C.UTF-8 run tt-smi $words
	check "in UTF-8 there is more than ASCII: $words" sh -c \
		'LC_ALL=C grep -q "[^ -~]" "$1" "$2"' - "$out" "$err"
	LC_ALL=C run tt-smi $words
	check "in C there is not: $words" ascii "$out" "$err"
done <<EOF
$world
--health $world
--fields help
--query help
-b 0 -dur 1 $world
--during --sim n150 -- sleep 1
EOF

for words in '--health --json' '-s' '-ls' '--query asic_temperature'; do
	LC_ALL=C run tt-smi $words $world
	check "a program gets UTF-8: $words" sh -c 'LC_ALL=C grep -q "[^ -~]" "$1"' - "$out"
done
LC_ALL=C run_typed "tt-smi -ls $world -nc"
sed -i 's/\r//' "$out"
check "a terminal does not: -ls" ascii "$out"
check "and its columns stay aligned" [ "$(grep '^[|+]' "$out" | awk '{ print length }' |
	sort -u | wc -l)" = 1 ]
LC_ALL=C run tt-smi --query help
check "columns stay aligned without the degree sign" \
	[ "$(grep -cE '^  (asic_temperature       C|power                  W)      [A-Z]' "$out")" = 2 ]

done_testing
