# SPDX-License-Identifier: GPL-2.0-or-later
# --compare: every snapshot there is against every other, what changed by made pairs, and the
# machine as it is now.
. "$top_srcdir/tests/rig/lib.sh"

set -- "$top_srcdir"/tests/fixtures/snapshots/*.json "$top_srcdir"/tests/golden/snapshot-*.json
check "there are snapshots of ours and upstream's" [ $# -ge 14 ]

# Of recorded trees sysfs alone was read: what stands in the card's own table is not known.
bad_self='' bad_pair='' pairs=0
for a in "$@"; do
	for b in "$@"; do
		run tt-smi --compare "$a" "$b" --json
		pairs=$((pairs + 1))
		verdict=$(sed -n 's/^    "verdict": "\(.*\)",$/\1/p' "$out")
		case $rc:$verdict in
		0:alike) [ "$a" = "$b" ] || [ "${a##*/}" = "snapshot-${b##*/}" ] ||
			[ "${b##*/}" = "snapshot-${a##*/}" ] || bad_pair="$bad_pair ${a##*/}+${b##*/}" ;;
		4:unknown) case $a:$b in
			*-recorded-*:*-recorded-*) [ "$a" = "$b" ] && grep -q "only sysfs is read" "$out" ;;
			*) false ;;
			esac || bad_pair="$bad_pair ${a##*/}+${b##*/}" ;;
		5:different) [ "$a" != "$b" ] || bad_self="$bad_self ${a##*/}" ;;
		*) bad_pair="$bad_pair ${a##*/}+${b##*/}:$rc" ;;
		esac
	done
done
echo "# $pairs pairs; $bad_self $bad_pair"
check "each snapshot is alike to itself" [ -z "$bad_self" ]
check "no two machines are alike, and what was not read is unknown, with the reason" [ -z "$bad_pair" ]

tt-smi -s --sim p150a:garbage >garbage.json
run tt-smi --compare garbage.json garbage.json
rc_is 4 "what cannot be true is not alike, also if both have it"
out_has "not known in A: " "and named"

boards='2*p150a,n300'
tt-smi -s --sim "$boards" >was.json
run tt-smi --compare was.json was.json
rc_is 0 "a file and itself: 0"
out_has "compare: alike: host alike; 4 alike" "which is said first"
err_empty "and nothing more"
run tt-smi --compare was.json --sim "$boards"
rc_is 0 "what moves from sample to sample does not matter"
run tt-smi --compare was.json --load was.json
rc_is 0 "a file stands for the machine as anywhere"

# Name, what sed makes of the file, exit code, what the text says.
while IFS='|' read -r name edit code text; do
	sed "$edit" was.json >is.json
	run tt-smi --compare was.json is.json
	rc_is "$code" "$name: $code"
	out_has "$text" "$name is said"
	run tt-smi --compare is.json was.json
	rc_is "$code" "$name, the other way round: $code"
done <<'TABLE'
another driver|s/"Driver": ".*"/"Driver": "TT-KMD 1.0.0"/|5|Driver 
another kernel|s/"Kernel": ".*"/"Kernel": "9.9.9"/|5|-> 9.9.9
no driver said|s/"Driver": ".*"/"Driver": "N\/A"/|5|Driver 
a narrow link|s/"width": 16/"width": 4/;s/"pcie_width": "16"/"pcie_width": "4"/|5|x16 -> x4
a slow link|s/"pcie_speed": 5/"pcie_speed": 3/;s/"speed_gts": 32\(\.0\)*,/"speed_gts": 8.0,/|5|32.0 -> 8.0 GT/s
another firmware|s/"FLASH_BUNDLE_VERSION": ".*"/"FLASH_BUNDLE_VERSION": "0x12070000"/|5|FW Bundle Version
fewer columns|s/"ENABLED_TENSIX_COL": ".*"/"ENABLED_TENSIX_COL": "0xfff"/|5|Tensix
an error of memory|s/"GDDR_UNCORR_ERRS": ".*"/"GDDR_UNCORR_ERRS": "0x1"/|5|Uncorrected
another limit|s/"TDP_LIMIT_MAX": ".*"/"TDP_LIMIT_MAX": "0x64"/|5|Limit
TABLE

run tt-smi --compare was.json --sim 'p150a,n300'
rc_is 5 "a card less: 5"
run tt-smi --compare was.json --sim '3*p150a,n300'
rc_is 5 "a card more: 5"
out_has "new " "the new one is named"
run tt-smi --compare was.json --sim 'p150a,p150a:hang,n300'
rc_is 4 "one that does not answer: 4"
out_has "unknown   1 0000:02:00.0" "it is not known, rather than alike"
err_lacks strict "its exit code needs no --strict, which --compare does not take"
run tt-smi --compare was.json --sim 'p150a,p150a:hang,n300' --json
out_has '"verdict": "unknown"' "the same as JSON"
out_has '"code": "hung"' "and why"
check "which is JSON" python3 -m json.tool "$out" /dev/null
run env TT_VISIBLE_DEVICES=0,2 tt-smi --compare was.json --sim "$boards"
rc_is 4 "a card that may not be seen is not alike"
out_has "B: it was not asked for" "and that is the reason"
err_has TT_VISIBLE_DEVICES=0,2 "stderr says what limits the cards"
TT_VISIBLE_DEVICES=0 tt-smi -s --sim "$boards" >one.json
run env TT_VISIBLE_DEVICES=0 tt-smi --compare one.json --sim "$boards"
rc_is 0 "nor is it new where the file was limited in the same way"
tt-smi -s --sim 'p150a,p150a:hang,n300' >hung.json 2>/dev/null
run tt-smi --compare hung.json hung.json
rc_is 4 "nor is one that could not be read on either side"

tt-smi -s --passive --sim "$boards" >passive.json
run tt-smi --compare passive.json --passive --sim "$boards"
rc_is 4 "what was left alone on both sides is not alike"
out_lacks "gone" "a chip is not gone because nobody looked"
run tt-smi --compare was.json --sim '2*p150a,n300:hang'
rc_is 4 "a board of two chips that hangs: 4"
out_has "unknown   3 second chip" "the second is unknown with the first"
run tt-smi --compare hung.json --sim 'p150a,p150a:hang,n300'
rc_is 4 "a card that hangs as it did is not alike"

run tt-smi --compare was.json --root "$top_srcdir/tests/fixtures/sysfs/blackhole"
out_has "B: $top_srcdir/tests/fixtures/sysfs/blackhole, " "a tree is named, and not this machine"
run tt-smi --compare was.json --root "$work"
rc_is 3 "no driver here: 3"
run tt-smi --compare nowhere.json
rc_is 1 "a file that is not there: 1"
err_has "nowhere.json" "which is named"
out_empty "and nothing is compared"
echo '{"device_info": 1}' >not.json
run tt-smi --compare was.json not.json
rc_is 1 "a file that is no snapshot: 1"
if [ "$(id -u)" = 0 ]; then
	skip "a file that may not be read" "root may read all"
else
	cp was.json mine.json
	chmod 0 mine.json
	run tt-smi --compare was.json mine.json
	rc_is 6 "a file that may not be read: 6"
fi

# --external: no serial number, in the names of cards or as what changed; that one changed is said.
serials=$(sed -n 's/.*"board_id": "\([0-9a-f]*\)".*/\1/p' was.json)
sed 's/"BOARD_ID_LOW": ".*"/"BOARD_ID_LOW": "0x87654321"/;s/\("board_id": ".*\).\{8\}"/\187654321"/' was.json >is.json
check "there are serials" [ "$(echo "$serials" | wc -w)" -ge 3 ]
for format in '' --json; do
	run tt-smi --compare was.json is.json $format
	rc_is 5 "other boards: 5 $format"
	out_has 87654321 "their serials are shown $format"
	run tt-smi --compare was.json is.json --external $format
	rc_is 5 "--external: 5 $format"
	out_lacks 87654321 "no serial of theirs $format"
	for serial in $serials; do
		out_lacks "$serial" "nor $serial $format"
	done
	out_has "left out" "but that it is another $format"
done
run tt-smi --compare was.json --external --sim 'p150a,n300'
rc_is 5 "--external, and the machine as it is: 5"
for serial in $serials; do
	out_lacks "$serial" "without $serial"
done

# What is in a file cannot command the terminal.
printf 's/"Kernel": ".*"/"Kernel": "\\\\u001b[2Jx"/\n' >script
sed -f script was.json >"$(printf 'a\033[2J.json')"
run tt-smi --compare was.json "$(printf 'a\033[2J.json')"
rc_is 5 "a hostile file is compared"
check "no escape sequence comes out" sh -c "! grep -q '$(printf '\033')' '$out'"

while IFS='|' read -r args words; do
	# shellcheck disable=SC2086
	run tt-smi $args
	rc_is 2 "$args is refused"
	err_has "$words" "with the reason"
done <<'TABLE'
--compare|needs a value
--compare a b c|too many names
--compare a b --sim p150a|does nothing beside two files
--compare a b --passive|does nothing beside two files
--compare a -s|cannot be used together with
--compare a --strict|goes with
TABLE
done_testing
