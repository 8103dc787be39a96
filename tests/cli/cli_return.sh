# SPDX-License-Identifier: GPL-2.0-or-later
# Somebody else resets a card, and it is back: how long do rows go on without its values?
# In the window of a reset a card is tried four times a second.  A Wormhole whose
# firmware is mute holds the driver, and each try, for 12 s; one that hangs is left
# alone for an eighth of the time that it has failed for.
. "$top_srcdir/tests/rig/lib.sh"

cat >after.awk <<'A'
# NDJSON of one card in, the reset over at `end`: stale rows and seconds until a fresh one.
{
	match($0, /"timestamp": [0-9.]*/)
	t = substr($0, RSTART + 13, RLENGTH - 13) + 0
	if (t >= end && !fresh && $0 ~ /"health": "ok"/ && $0 ~ /"aiclk"/ && $0 !~ /"age/)
		fresh = t
	if (t >= end && !fresh)
		stale++
	if (t < end && $0 !~ /"health": "ok"/)
		failed++
}
END { print failed + 0, stale + 0, fresh ? fresh - end : -1 }
A

# case, the end of the reset, the interval, most seconds, board
cases() {
	cat <<-'TABLE'
	blackhole-10Hz|4|0.1|1.5|p150a:reset@1-4
	blackhole-2Hz|4|0.5|1.5|p150a:reset@1-4
	wormhole-10Hz|4|0.1|1.5|n150:reset@1-4
	wormhole-held-10Hz|13|0.1|4|n150:stuck@0-13:reset@1-13
	wormhole-held-2Hz|13|0.5|4|n150:stuck@0-13:reset@1-13
	TABLE
}

while IFS='|' read -r case end every most board; do
	TT_SMI_VIRTUAL_TIME=1795000000 tt-smi -d --ndjson -i "$every" -dur $((end + 9)) --fields aiclk --sim "$board" \
		>"$case.rows" 2>/dev/null </dev/null &
done <<T
$(cases)
T
wait
while IFS='|' read -r case end every most board; do
	awk -v end="$end" -f after.awk "$case.rows" >"$case.count"
	read -r lost stale seconds <"$case.count"
	echo "# $case: back after $seconds s, $stale rows without new values"
	check "$case: rows say that the card is not there during the reset" test "$lost" -gt 0
	check "$case: and have its values soon after the end" \
		awk "BEGIN { exit !($seconds >= 0 && $seconds <= $most) }"
done <<T
$(cases)
T

# The live display: a row says for how long it has had no values.
. "$top_srcdir/tests/rig/ui_lib.sh"
u='LC_ALL=C.UTF-8 TERM=screen-256color'
longest=0
watch() {	# the longest time that the row of card 0 has told of so far; true when it is back
	n=$(sed -n 's/.* for \([0-9]*\)[.0-9]* s[,:] .*/\1/p' "$out")
	[ "${n:-0}" -le $longest ] || longest=$n
	matches ' 0 (p150a|n150) .* ok '
}
live() {	# least most board: the least only tells that the reset was seen at all
	start 150 36 "$u" "-i 0.5 --sim $3"
	check "live, $3: ok at first" row ' 0 (p150a|n150) .* ok '
	check "live, $3: then it has failed" row ' 0 (p150a|n150) .* FAILED '
	check "live, $3: and is ok again" until_true watch
	echo "# $3: $longest s without values"
	check "live, $3: it was gone for the reset" test "$longest" -ge "$1"
	check "live, $3: and for little more" test "$longest" -le "$2"
	send q; check "live, $3: q ends it" ended
}
in_parallel blackhole live 4 9 p150a:reset@2-10
in_parallel wormhole live 4 9 n150:reset@2-10
in_parallel held live 7 15 n150:stuck@0-14:reset@2-14
collect
done_testing
