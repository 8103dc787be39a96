# SPDX-License-Identifier: GPL-2.0-or-later
# Hung cards beside a good one, seen from outside: every row of the good card,
# in a dump at 2, 10 and 100 Hz and as NDJSON; a snapshot in the time of one
# deadline; no process left; nothing hangs where few descriptors are left.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "hung cards" "jq is not installed"; done_testing; exit; }

# Rows of the last card's file, the lost ticks it tells of, the most of them in a row, and rows without
# new values.
count() {
	csv=$(ls $1/*.csv | sort -t/ -k2 -n | tail -n 1)
	rows=$(($(wc -l <"$csv") - 1))
	set -- "$1" $(sed -n 's/.*; lost: \([0-9]*\) before.*/\1/p' "$csv" |
		awk '{ n += $1 } $1 > most { most = $1 } END { print n + 0, most + 0 }')
	lost=$2
	gap=$3
	empty=$(tail -n +2 "$csv" | grep -cv -e ',ok[;"]' -e ',ok.$')
	echo "# $1: $rows rows, $lost lost, $gap in a row, $empty without values"
}

# A dump, and at the same time one of as many cards that are well: what that loses, a busy machine takes,
# and of this one more, which has more processes to find a processor for: three times as much.
beside() {	# name interval seconds spec
	tt-smi -d -dir "$1-well" -i "$2" -dur "$3" --sim "$(echo "$4" | sed 's/:[^,]*//g')" \
		>/dev/null 2>&1 </dev/null &
	run tt-smi -d -dir "$1" -i "$2" -dur "$3" --sim "$4"
	wait $!
	count "$1-well"
	busy=$((3 * lost))
	busy_gap=$((3 * gap))
	count "$1"
}

every_row() {	# name interval ticks most-lost spec
	beside "$1" "$2" "$(awk "BEGIN { print $2 * $3 }")" "$5"
	rc_is 4 "$1: the failed cards make it partial"
	check "$1: each tick of the good card is a row, or said to be lost" test $((rows + lost)) -eq "$3"
	check "$1: hung cards cost it no tick" test "$lost" -le $(($4 + busy))
	check "$1: and its rows have values" test "$empty" -eq 0
}

every_row "2-Hz-1" 0.5 6 0 'p150a:slow,p150a'
every_row "2-Hz-8" 0.5 6 0 '8*p150a:slow,p150a'
# If they kept the ticks waiting, 20 and more of 30 were lost; 32 processes begin and end meanwhile.
every_row "10-Hz-32" 0.1 30 6 '32*p150a:slow,p150a'
every_row "10-Hz-return" 0.1 30 3 \
	'4*p150a:slow@0.5-1:slow@1.5-2,p150a:gone@0.5-1:gone@1.5-2,p150a'
beside 100-Hz-32 0.01 3 '32*p150a:slow,p150a'
check "100 Hz: each tick is a row, or said to be lost" test $((rows + lost)) -eq 300
# A tick that waits for a hung card loses the 100 of its deadline.  To begin a process takes as much of a
# busy machine as a tick or two, and up to two begin in each: that loses nine times what the well cards do.
check "100 Hz: no tick waits for a hung card" test "$gap" -le $((40 + busy_gap))
check "100 Hz: hung cards cost it next to none" test "$lost" -le $((60 + 3 * busy))
check "100 Hz: nearly all rows have values" test "$empty" -le 15

run tt-smi -d --ndjson -i 0.1 -dur 2 --sim '8*p150a:slow,p150a'
grep '"index": 8,' "$out" >good
check "NDJSON: every line of the good card has values" test "$(grep -c '"asic_temperature": [0-9]' good)" -eq "$(wc -l <good)"
check "NDJSON: each tick is a line, or said to be lost" jq -se 'length + (map(.lost // 0) | add) == 20' good
check "NDJSON: no tick waits for a hung card, which takes ten" jq -se 'map(.lost // 0) | max < 8' good

# One deadline for all of them: 32 in a row would take 32 s.
run_partial "-s beside 32 hung cards ends by itself" \
	timeout 16 tt-smi -s -f - --sim '32*p150a:slow,p150a'
check "with the data of the good one" sh -c "jq -e '.device_info[32].telemetry.asic_temperature' '$out' >/dev/null"
run_partial "-ls too" timeout 16 tt-smi -ls --sim '32*p150a:slow,p150a'

# Few descriptors: few processes at a time, and those that hang make room for the next.
few() {	# descriptors command...: none but 0, 1 and 2 are inherited
	for fd in 3 4 5 6 7 8 9; do
		eval "exec $fd>&-"
	done
	ulimit -n "$1"
	shift
	exec timeout 60 "$@" </dev/null
}
for mode in '-s -f - --strict' '-ls --json --strict' '-d --ndjson -i 0.5 -dur 3'; do
	# shellcheck disable=SC2086
	(few 16 tt-smi $mode --sim '32*p150a:slow,p150a') >"$out" 2>"$err"
	rc=$?
	rc_is 4 "with 16 descriptors $mode beside 32 hung cards is partial"
	check "$mode: none of them wants for a descriptor" sh -c \
		"cat '$out' '$err' >both; grep -q 'no answer within' both && ! grep -q 'Too many' both"
	cp "$out" "few$mode"
done
check "-s has the data of the good card" \
	jq -e '.device_info[32].telemetry.asic_temperature' 'few-s -f - --strict'
check "-ls has the good card's board" jq -e '.boards[32] | .state == "ok" and .board_id != null' 'few-ls --json --strict'
good=$(grep '"index": 32,' 'few-d --ndjson -i 0.5 -dur 3' | grep -c '"asic_temperature": [0-9]')
check "every row of the good card has values" test "$good" -eq 6

# Folders and files need descriptors too: the dump is refused at its start, or it is whole.
for n in 12 13 14 15 16 17 18 20 22 24; do
	{
		(few $n tt-smi -d -dir few.$n -i 0.5 -dur 3 --sim '3*p150a:slow,p150a') \
			>/dev/null 2>few.$n.err
		echo $? >few.$n.rc
	} &
done
wait
whole=0 refused=0
for n in 12 13 14 15 16 17 18 20 22 24; do
	if [ -d few.$n ]; then
		rc=$(cat few.$n.rc) rows=0 empty=1
		count few.$n
		[ "$rc/$((rows + lost))/$empty" = 4/6/0 ] && whole=$((whole + 1)) || sed "s/^/# few.$n: /" few.$n.err
	elif [ "$(cat few.$n.rc)" -eq 1 ] && grep -q 'Too many open files' few.$n.err; then
		refused=$((refused + 1))
	else
		sed "s/^/# few.$n: /" few.$n.err
	fi
done
echo "# dumps with 12 to 24 descriptors: $whole whole, $refused refused"
check "a dump with few descriptors is whole, or refused at its start" \
	test $((whole + refused)) -eq 10 -a $whole -gt 0 -a $refused -gt 0
# Next parts wait for the descriptors of those before them.
(few 50 tt-smi -d -dir few.parts -i 0.2 -dur 3 --rotate 1s --sim '31*p150a,p150a:slow') >"$out" 2>"$err"
rc=$?
rc_is 4 "with 50 descriptors, new parts of 32 files"
check "are begun" test "$(ls few.parts/0_*.csv | wc -l)" -ge 2
check "and each tick is a row, or said to be lost" test \
	"$(sed -n 's/.*: \([0-9]*\) samples of 32 .* \([0-9]*\) lost;.*/\1 \2/p' "$err" | awk '{ print $1 + $2 }')" -eq 15

for i in $(seq 20); do
	timeout 60 tt-smi -s -f - --sim '2*p150a:slow,2*p150a' >"many.$i" 2>/dev/null &
done
wait
check "20 at once: each has the good cards" test \
	"$(cat many.* | jq -r '.device_info[].health.state' | grep -c '^ok$')" -eq 40
done_testing
