# SPDX-License-Identifier: GPL-2.0-or-later
# Hung cards beside a good one, seen from outside: every row of the good card,
# in a dump at 2, 10 and 100 Hz and as NDJSON; a snapshot in the time of one
# deadline; no process left; nothing hangs where few descriptors are left.
. "$top_srcdir/tests/lib.sh"

command -v jq >/dev/null || { skip "hung cards" "jq is not installed"; done_testing; exit; }

# Rows of the last card's file, the lost ticks it tells of, and rows without new values.
count() {
	csv=$(ls $1/*.csv | sort -t/ -k2 -n | tail -n 1)
	rows=$(($(wc -l <"$csv") - 1))
	lost=$(sed -n 's/.*; lost: \([0-9]*\) before.*/\1/p' "$csv" | awk '{ n += $1 } END { print n + 0 }')
	empty=$(tail -n +2 "$csv" | grep -cv -e ',ok[;"]' -e ',ok.$')
	echo "# $1: $rows rows, $lost lost, $empty without values"
}

every_row() {	# name interval ticks most-lost spec
	run tt-smi -d -dir "$1" -i "$2" -dur "$(awk "BEGIN { print $2 * $3 }")" --sim "$5"
	rc_is 4 "$1: the failed cards make it partial"
	count "$1"
	check "$1: each tick of the good card is a row, or said to be lost" test $((rows + lost)) -eq "$3"
	check "$1: hung cards cost it no tick" test "$lost" -le "$4"
	check "$1: and its rows have values" test "$empty" -eq 0
}

every_row "2-Hz-1" 0.5 6 0 'p150a:slow,p150a'
every_row "2-Hz-8" 0.5 6 0 '8*p150a:slow,p150a'
every_row "10-Hz-32" 0.1 30 3 '32*p150a:slow,p150a'
every_row "10-Hz-return" 0.1 30 3 \
	'4*p150a:slow@0.5-1:slow@1.5-2,p150a:gone@0.5-1:gone@1.5-2,p150a'
run tt-smi -d -dir 100-Hz-32 -i 0.01 -dur 3 --sim '32*p150a:slow,p150a'
count 100-Hz-32
check "100 Hz: each tick is a row, or said to be lost" test $((rows + lost)) -eq 300
check "100 Hz: hung cards cost it next to none" test "$lost" -le 60
check "100 Hz: nearly all rows have values" test "$empty" -le 15

run tt-smi -d --ndjson -i 0.1 -dur 2 --sim '8*p150a:slow,p150a'
check "NDJSON: every line of the good card has values" test \
	"$(grep '"index": 8,' "$out" | grep -c '"asic_temperature": [0-9]')" -ge 19

# One deadline for all of them: 32 in a row would take 32 s.
run timeout 16 tt-smi -s -f - --sim '32*p150a:slow,p150a'
rc_is 4 "-s beside 32 hung cards ends by itself"
check "with the data of the good one" sh -c "jq -e '.device_info[32].telemetry.asic_temperature' '$out' >/dev/null"
run timeout 16 tt-smi -ls --sim '32*p150a:slow,p150a'
rc_is 4 "-ls too"

(ulimit -n 16; timeout 30 tt-smi -s -f - --sim '32*p150a:slow,p150a' >"$out" 2>"$err"; echo $? >code)
check "with 16 descriptors -s ends, and says of each card what is wrong" sh -c \
	'test $(cat code) -eq 4 -o $(cat code) -eq 1 && test $(grep -c "^tt-smi: [0-9]* 0000:" "$1") -ge 32' sh "$err"
for i in $(seq 20); do
	timeout 60 tt-smi -s -f - --sim '2*p150a:slow,2*p150a' >"many.$i" 2>/dev/null &
done
wait
check "20 at once: each has the good cards" test \
	"$(cat many.* | jq -r '.device_info[].health.state' | grep -c '^ok$')" -eq 40
done_testing
