# SPDX-License-Identifier: GPL-2.0-or-later
# Selections are one thing in all modes: TT_VISIBLE_DEVICES, --device, words and a file's own
# selection.  A card that is hidden and named is missed or refused, and one that was not asked for
# is neither new nor gone nor missing.
. "$top_srcdir/tests/rig/lib.sh"

two=p150a,p150a

# mode | exit code with --device 0,1 while 1 is hidden
while IFS='|' read -r mode code; do
	# shellcheck disable=SC2086	# options
	TT_VISIBLE_DEVICES=0 run timeout 60 tt-smi $mode --device 0,1 --sim $two
	rc_is "$code" "$mode: a hidden card that --device names decides the exit code"
	err_code hidden '1 0000:02:00.0' "$mode: and stderr names it"
	# shellcheck disable=SC2086
	TT_VISIBLE_DEVICES=0 run timeout 60 tt-smi $mode --device all --sim $two
	err_lacks 'may not be seen' "$mode: all names no card by itself"
done <<'END'
--health|4
--query index --strict|4
-ls --strict|4
-s --strict|4
--links --strict|4
--diag 1|6
--image|4
-d --ndjson -dur 0.1|4
-d -dur 0.1 -dir dump|4
END
for words in '0 1' 1; do
	# shellcheck disable=SC2086	# words
	TT_VISIBLE_DEVICES=0000:01:00.0 run tt-smi -wr $words -y --sim $two
	rc_is 6 "-wr $words refuses where one is hidden"
done

# words of TT_VISIBLE_DEVICES | the cards that are shown
while IFS='|' read -r words shown; do
	TT_VISIBLE_DEVICES=$words run tt-smi --query index --sim n300,$two --remote
	check "TT_VISIBLE_DEVICES=$words" test "$(grep -v index "$out" | tr '\n' ' ')" = "$shown"
done <<'END'
0|0 3 
0000:02|1 
0000:0|0 1 2 3 
2,0000:01:00.0|0 2 3 
0000:03:00.0,2|2 
END

# A job
during() {	# rc name options...: of a job that ends with 0
	local code=$1 name=$2
	shift 2
	run timeout 60 tt-smi --during --sim $two "$@" -- true
	rc_is "$code" "--during: $name"
}
during 4 "no card has this index" --device 7
during 4 "no card has this serial" --device 0123456789abcdef
during 0 "the cards that were chosen" --device 0
TT_VISIBLE_DEVICES=0 during 4 "one of two is hidden" --device 0,1
TT_VISIBLE_DEVICES=9 during 4 "all are hidden"

# A serial
run tt-smi --query index --device 0123456789abcdef --sim p150a,p150a:hang
err_has 'may be the board of chip 1 (0000:02:00.0)' "an unknown serial may be that of a card that hangs"
run tt-smi -b 0123456789abcdef -dur 1 --sim p150a,p150a:hang
rc_is 4 "a burn of it is not done"
out_has 'may be the board of chip 1 (0000:02:00.0)' "for the same reason"
run tt-smi --query index --device 0123456789abcdef --sim $two
err_has 'no board has this serial' "if all said theirs, it is none"

# Snapshots
run tt-smi -s -f all.json --sim $two
run tt-smi -s -f one.json --sim $two --device 1
TT_VISIBLE_DEVICES=0 run tt-smi -s -f zero.json --sim $two
out_of() { python3 -c "import json; print(json.load(open('$1'))['selection'])"; }
check "a snapshot of all has no selection" test "$(out_of all.json)" = None
check "--device is in its snapshot" test "$(out_of one.json)" = '--device 1'
check "TT_VISIBLE_DEVICES, too" test "$(out_of zero.json)" = TT_VISIBLE_DEVICES=0
while read -r was is code; do
	run tt-smi --compare $was.json $is.json
	rc_is "$code" "$was and $is: what was not asked for is not known"
	out_lacks 'gone ' "$was and $is: and not gone"
	out_lacks 'new ' "$was and $is: nor new"
done <<'END'
all one 4
one all 4
zero one 4
one one 0
END
run tt-smi --links --sim $two --against zero.json
rc_is 4 "a link of a card that was not asked for is not new"
run tt-smi --load zero.json --health
out_has '(TT_VISIBLE_DEVICES=0)' "what judges a file says how it was limited"
run tt-smi --load zero.json --health 1
rc_is 3 "and has no card that it left out"

# How many there are
run tt-smi --health --expected 2 --device 0 --sim $two
rc_is 0 "a card that was not asked for is not missing"
run tt-smi --health --expected 3 --device 0 --sim $two
rc_is 5 "but one that is not there is"
run tt-smi --expected 3 --sim $two
out_has '2 boards, 2 of 3 chips' "the overview says how many should be there"
run tt-smi --sim p300a,p150a
out_has '2 boards, 3 chips' "a p300 is one board"
run tt-smi --health --sim n300
out_has '1 second chip not read' "--health says that a second chip was not read"
run tt-smi --health --sim n300 --remote
out_lacks 'not read' "and reads it with --remote"
out_has '2 chips' "so that both are checked"
done_testing
