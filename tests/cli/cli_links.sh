# SPDX-License-Identifier: GPL-2.0-or-later
# --links: ports of all cards, saved and held against it later.
. "$top_srcdir/tests/rig/lib.sh"

run tt-smi --links --sim p150a,p100a,n300,e75 --remote
rc_is 0 "ports of each kind of card"
out_is golden/links.txt "in the lines that are expected"
err_empty "and nothing more is said"
run tt-smi --links --sim p150a,n300 --remote --json
rc_is 0 "the same as JSON"
check "a port has its core, state, medium and partner" python3 -c '
import json, sys
cards = json.load(open(sys.argv[1]))["cards"]
assert [len(c["ports"]) for c in cards] == [14, 16, 16]
assert cards[0]["ports"][4] == {"port": 4, "core": "3-1", "state": "up", "medium": "cable", "partner": None}
assert cards[1]["ports"][8]["partner"] == {"index": 2, "port": 0}
assert cards[2]["ports"][1] == {"port": 1, "core": "1-0", "state": "alive", "medium": "board", "partner": {"index": 1, "port": 9}}
' "$out"
run tt-smi --links --sim tt-galaxy-bh
check "32 cards have eight lines each at most, whatever number of ports" [ "$(wc -l <"$out")" -le 257 ]
out_has "    up       7, 9, on the board to 4 0000:05:00.0 tt-galaxy-bh, port 0-1" "each wire is there"
out_has "    up       0-1, on the board to 0 0000:01:00.0 tt-galaxy-bh, port 7, 9" "from both ends"
out_has "    up       4, 6, to another tray" "as are those between trays"
run tt-smi --links --sim tt-galaxy-bh:wire
out_has "links: 1 DOWN, " "a wired port without a link is down"
run tt-smi --links --sim p300a --json
check "a wire with one known end has no port at the other" python3 -c '
import json, sys
cards = json.load(open(sys.argv[1]))["cards"]
assert cards[0]["ports"][3]["partner"] == {"index": 1, "port": 10}
assert cards[1]["ports"][11]["partner"] == {"index": 0, "port": None}
' "$out"
run tt-smi --links --sim p150a:eth
check "a port that is down is said before all others" [ "$(sed -n 3p "$out")" = "    DOWN     2" ]
run tt-smi --links --sim p150a --passive
rc_is 0 "sysfs alone says nothing of ports"
out_has "not known: firmware tables not read" "which is said with the reason"
run_partial "a card that hangs" tt-smi --links --sim p150a,p150a:hang
out_has "not known: chip does not answer" "its ports are not known"
run tt-smi --links --sim n300 --local
check "--local leaves second chips out" [ "$(grep -c '^[0-9]' "$out")" = 1 ]

run tt-smi --links --sim p150a,p300a --save links.json
rc_is 0 "they are saved"
check "in a snapshot" grep -q '"device_info"' links.json
run tt-smi --links --sim p150a,p300a --against links.json
rc_is 0 "the same links: 0"
out_has "links: 0 lost, 0 new, against links.json" "which is said"
run tt-smi --links --sim p150a:eth,p300a --against links.json
rc_is 5 "a link that was lost: 5"
out_has "    LOST     2" "and which"
run tt-smi --links --sim p150a:eth,p300a --against links.json --json
rc_is 5 "the same as JSON: 5"
check "with the lost port" python3 -c '
import json, sys
a = json.load(open(sys.argv[1]))["against"]
assert a["lost"] == 1 and a["cards"][0]["lost"] == [2] and a["all_known"]
' "$out"
run tt-smi --links --sim p150a --against links.json
rc_is 5 "cards that are gone have lost their links: 5"
run tt-smi --links --sim p150a:hang,p300a --against links.json
rc_is 4 "a card that does not answer: 4"
out_has "    unknown  0-4, 6-7, 9-11" "its links are not known"
run tt-smi --links --sim p150a,p300a --passive --against links.json
rc_is 4 "nor are they where nobody looked: 4"
run tt-smi --links --sim p150a,p300a --device 1,2 --against links.json
rc_is 0 "cards that were not asked for do not matter"
run tt-smi --links --sim p150a:eth,p300a --save sick.json
run tt-smi --links --sim p150a,p300a --against sick.json
rc_is 0 "a link that is back is none that was lost"
out_has "    new      2" "and is said"
run tt-smi --links --sim n300 --save old.json
run tt-smi --links --sim n300 --against old.json
rc_is 4 "firmware that does not tell of links cannot vouch for them: 4"
run tt-smi --links --sim n300:eth --against old.json
rc_is 5 "but a port whose firmware stopped is lost"

run tt-smi -s -f board.json --sim n300,p150a
run tt-smi --links --sim n300,p150a --device 1 --against board.json
rc_is 0 "a second chip whose board was not asked for does not matter"
run tt-smi --links --sim n300:hang,p150a --against board.json
rc_is 4 "and one whose first chip does not answer is not lost: 4"
out_has "second chip n300 R: the chip that leads to it was not read" "which is said"

# --external: cards without their serial numbers
run tt-smi --links --sim p150a:eth,p300a --against links.json --json
serial=$(sed -n 's/.*"serial": "\(.*\)".*/\1/p' "$out" | head -n 1)
check "a card has its serial" [ ${#serial} = 16 ]
run tt-smi --links --sim p150a:eth,p300a --against links.json --json --external --save mine.json
rc_is 5 "--external does not change the verdict: 5"
out_has '"serial": null' "but leaves serials out"
out_lacks "$serial" "of all cards"
check "and of what is saved the host's name" grep -q '"Hostname": "N/A"' mine.json
run tt-smi --links --load links.json
rc_is 0 "a file's ports are shown"
run tt-smi --links --root "$work"
rc_is 3 "no driver: 3"
run tt-smi --links --root "$work" --save none.json
check "and nothing is saved" [ ! -e none.json ]
run tt-smi --links --sim p150a --against nowhere.json
rc_is 1 "no such file: 1"
err_has "nowhere.json" "which is named"
out_empty "and nothing is shown"
run tt-smi --links --sim p150a --save nowhere/links.json
rc_is 1 "a place that cannot be written to: 1"
err_has "nowhere/links.json" "which is named"
while IFS='|' read -r args words; do
	# shellcheck disable=SC2086
	run tt-smi $args
	rc_is 2 "$args is refused"
	err_has "$words" "with the reason"
done <<'TABLE'
--save x|goes with
--against x|goes with
--links -s|cannot be used together with
--links --save|needs a value
TABLE
done_testing
