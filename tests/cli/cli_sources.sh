# SPDX-License-Identifier: GPL-2.0-or-later
# Where cards come from, and which of them are meant: recordings played again,
# snapshots loaded again, recorded trees, names of every kind.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "sources" "jq is not installed"; done_testing; exit; }
export TT_SMI_VIRTUAL_TIME=1795252364
same() {	# name, two files without what must differ
	local rest='del(.time, .source) | walk(if type == "object" and .next then
		.next |= ltrimstr("on its machine: ") else . end)'
	jq "$rest" "$2" >one 2>/dev/null
	jq "$rest" "$3" >two 2>/dev/null
	[ -s one ] && cmp -s one two
	result $? "$1"
}
is() { [ "$(jq -r "$2" "$out" 2>/dev/null)" = "$3" ]; result $? "$1"; }

# A recording is the machine it was made of
for spec in n150,n300,e150 p100a,p300,p150a:garbage n300-new:width,p150a:eio,n150:hang 2*p150a:dram:held; do
	run tt-smi -s --sim "$spec" --record "rec-$spec"
	cp "$out" first
	code=$rc
	run tt-smi -s --replay "rec-$spec"
	rc_is "$code" "$spec: the replay ends as the recording did"
	same "$spec: and reads the same" first "$out"
done
run tt-smi -s --root "$top_srcdir/tests/fixtures/sysfs/blackhole" --record tree
cp "$out" first
run tt-smi -s --replay tree --root "$top_srcdir/tests/fixtures/sysfs/blackhole"
same "a recorded tree can be recorded too" first "$out"
run tt-smi -ls --replay "rec-n150,n300,e150"
rc_is 0 "-ls plays a recording"
out_has "n300 R" "with its second chip"
run tt-smi -s --sim p150a --record "rec-n150,n300,e150"
rc_is 1 "a recording is not overwritten"
err_has "rec-n150,n300,e150" "and the file is named"
run tt-smi -d -dir played -dur 1 -i 0.25 --remote --replay "rec-n150,n300,e150"
rc_is 0 "a dump plays a recording"
err_has "dumping to played (recorded boards)" "and says so"
run tt-smi -d -dir loaded -dur 1 --load "$top_srcdir/tests/fixtures/snapshots/p150a-tt_smi-5.2.0.json"
err_has "dumping to loaded (loaded snapshot)" "as it does of a file"
head -n 5 "rec-n150,n300,e150" >short
printf 'nonsense\n' >>short
run tt-smi -s --replay short
rc_is 1 "a broken recording fails"
err_has "short" "and says which"
run tt-smi -s --replay none
rc_is 1 "a missing recording fails"
run tt-smi -s --root "$top_srcdir/tests/fixtures/sysfs/wormhole"
rc_is 0 "a recorded Wormhole tree is read"
is "with its board" '.device_info[0].board_info.board_type' "n150 L"
is "from sysfs" '.device_info[0].readings.aiclk.source' sysfs
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree-here
run tt-smi -s --root "$work/tree-here"
cp "$out" first
run tt-smi -s --root tree-here
sed -i "s|\"tree-here/|\"$work/tree-here/|" "$out"
same "a relative --root reads what the absolute one reads" first "$out"
TT_SMI_SIM=n150 run tt-smi -s --root "$work/tree-here"
same "a variable's boards yield to a tree that is typed" first "$out"
run tt-smi -s --sim n150
cp "$out" first
TT_SMI_ROOT=$work/tree-here run tt-smi -s --sim n150
same "and a variable's tree to boards that are typed" first "$out"
run tt-smi -ls --sim n150 --root tree-here
out_has n150 "both may be typed"
mkdir empty
run tt-smi -s --root empty
rc_is 3 "a root without devices has none"
is "and an empty list" '.device_info | length' 0
err_code no-device '' "and says so"
run tt-smi -s --root /proc/none
rc_is 1 "a root that is not there is an error"

# Every name means the same card, everywhere
export TT_SMI_SIM='n300-new,p150a,p300'
run tt-smi -ls --json
serial=$(jq -r '.boards[2].board_id' "$out")
while read -r name want; do
	run tt-smi -s --device "$name"
	rc_is 0 "--device $name is found"
	is "--device $name means $want" '[.device_info[].identity.index] | map(tostring) | join(",")' "$want"
done <<LIST
1 1
0000:02:00.0 1
02:00.0 1
/dev/tenstorrent/1 1
0,2 0,2
$serial 2,3
all 0,1,2,3,4
4 4
0000:01:00.0,3 0,3
LIST
run tt-smi -s --device 9
rc_is 3 "a card that is not there is no device"
err_has 9 "and is named"
run tt-smi -s --device 'nonsense!'
rc_is 2 "what cannot be a name is a usage error"
run tt-smi -s --load first --device 'nonsense!'
rc_is 2 "also where the cards come from a file"
run tt-smi -ls --device 1
out_lacks "n300" "-ls shows only what was asked for"
run tt-smi -d -dir some -dur 0.5 -i 0.25 --device 1
check "a dump holds only what was asked for" [ "$(find some -name '*.csv' | wc -l)" -eq 1 ]

# TT_VISIBLE_DEVICES
export TT_VISIBLE_DEVICES=1
run tt-smi -s
is "TT_VISIBLE_DEVICES is honoured" '[.device_info[].identity.index] | join(",")' 1
is "and said" '.selection' "TT_VISIBLE_DEVICES=1"
err_empty "not on stderr"
run tt-smi -ls
out_has "TT_VISIBLE_DEVICES=1" "and said by -ls"
TT_VISIBLE_DEVICES=0
run tt-smi -s
is "a visible board has all its chips" '[.device_info[].board_info.board_type] | join(",")' "n300 L,n300 R"
# Wherever the output does not say it, stderr does, once; a board that was named is not dropped.
left='tt-smi: TT_VISIBLE_DEVICES=0: the other boards are left out'
for mode in '--links' '--eth_status' '--query=index --format=csv' '-d --ndjson -dur 0.1' \
	'--during true' '--diag 1' '--check-memory --size 64k' '-r --dry-run'; do
	# shellcheck disable=SC2086
	run timeout 60 tt-smi $mode
	check "$mode: stderr has it once" [ "$(grep -cxF "$left" "$err")" = 1 ]
done
run tt-smi --health
out_has "(TT_VISIBLE_DEVICES=0)" "--health has it in its verdict"
for mode in '--health --json' '--check-memory --size 64k --json'; do
	# shellcheck disable=SC2086
	run tt-smi $mode
	is "$mode has it" .selection TT_VISIBLE_DEVICES=0
	check "$mode: not on stderr" not grep -q VISIBLE "$err"
done
run timeout 60 tt-smi --diag 1 --report diag.json
check "--diag has it in its report" jq -e '.selection == "TT_VISIBLE_DEVICES=0"' diag.json
run tt-smi --health --nagios 0,2
rc_is 3 "--health of a board that may not be seen is UNKNOWN to a monitor"
out_has "UNKNOWN" "which is said"
TT_VISIBLE_DEVICES=0-3
run tt-smi -r --dry-run
check "boards that are all there: no word" not grep -q VISIBLE "$err"
TT_VISIBLE_DEVICES=7
run tt-smi -s
rc_is 3 "no visible device is no device"
unset TT_VISIBLE_DEVICES

# --external leaves engineering data out
run tt-smi -s --external
check "--external: no raw words" jq -e '[.device_info[].smbus_telem | length] | add == 0' "$out"
check "--external: no ASIC ids" jq -e '[.device_info[].readings | has("asic_id")] | any | not' "$out"
is "--external: no host name" '.host_info.Hostname' N/A
run tt-smi -s
check "they are there otherwise" jq -e '[.device_info[].readings | has("asic_id")] | any' "$out"

done_testing
