# SPDX-License-Identifier: GPL-2.0-or-later
# tt-smi -ls: the tables, what stands below them, and the JSON.
. "$top_srcdir/tests/rig/lib.sh"

TT_SMI_VIRTUAL_TIME=1795252364
export TT_SMI_VIRTUAL_TIME

run tt-smi -ls --sim e150,n150,n300,p100a,p300 --sim-seed 1
rc_is 0 "every kind of board is listed"
out_is golden/list-boards.txt "boards of each chip stand in the tables"

run_partial "a card that cannot be read makes the list partial" \
	tt-smi -ls --sim 'p150a,p150a:hang,n150:gone' --sim-seed 1
check "it is listed all the same" [ "$(sed '/Boards that can/,$d' "$out" | grep -c '^│')" = 3 ]
check "the reason stands below the tables, with its names" grep -Eq '^1 0000:02:00\.0: .+' "$out"
check "the reason does not look like a chip" [ "$(grep -c '^│.*:.*resets' "$out")" = 0 ]

fault() {	# fault exit-code-of---strict reason
	run tt-smi -ls --sim "n150:$1,p150a" --sim-seed 1 --timeout 0.2
	rc_is 0 "$1: one of two is enough"
	run tt-smi -ls --sim "n150:$1,p150a" --sim-seed 1 --timeout 0.2 --strict
	rc_is "$2" "$1: exit $2 with --strict"
	check "$1: both cards are listed" [ "$(sed '/Boards that can/,$d' "$out" | grep -c '^│')" = 2 ]
	check "$1: the other card has all its names" grep -Eq '^│ 1 .*0000:02:00\.0 .*/1 .*p150a +│ [0-9a-f]{16} │$' "$out"
	if [ -n "$3" ]; then
		check "$1: the reason is below" grep -Eq "^0 0000:01:00\.0: .*$3" "$out"
	else
		check "$1: nothing is below" [ "$(grep -c '^[0-9]' "$out")" = 0 ]
	fi
}
fault off 4 'off the PCI bus'
fault hang 4 'does not answer'
fault slow 4 'no answer within 0\.2 s'
fault gone 4 'not on the bus any more'
fault eio 4 'Input/output error'
fault reset 4 'being reset'
fault stuck 4 'firmware silent for 0\.3 s'
for name in dram eth hot garbage width held resetfail bitflip; do
	fault $name 0 ''
done

run tt-smi -ls --sim 'p150a:hang' --sim-seed 1
rc_is 4 "when all failed no pipe makes it a success"
out_has "0000:01:00.0" "and still the card is listed"

run tt-smi -ls --sim n300 --local
rc_is 0 "--local lists what is on the bus"
out_lacks "n300 R" "and no second chip"
run tt-smi -ls --sim n300,p150a --device p150a
rc_is 2 "a board's type is no name of a card"
err_code bad-value 'p150a' "and the reason says which names there are"
run tt-smi -ls --sim n300,p150a --device 02:00.0
rc_is 0 "--device takes an address"
out_lacks "n300" "and leaves the others out"
run tt-smi -ls --sim n300,p150a --device 9
rc_is 3 "a card that is not there is no device"

mkdir empty
run tt-smi -ls --root "$work/empty"
rc_is 3 "no card: exit 3"
check "the tables are empty, not missing" [ "$(grep -c '^┡' "$out")" = 2 ]
err_code no-device '' "and stderr says so"

run tt-smi -ls --json --sim n300,p150a:hang --sim-seed 1
out_has '"bdf": "0000:02:00.0"' "--json names every board"
check "--json is one object" sh -c "! command -v jq >/dev/null || jq -e '.boards | length == 3' out >/dev/null"
out_has '"state": "failed"' "--json says how each does"

if command -v script >/dev/null; then
	TERM=xterm script -qec "tt-smi -ls --sim p150a" typed >/dev/null 2>&1 </dev/null
	check "on a terminal headings are bold" grep -q "$(printf '\033\\[1m')" typed
	TERM=xterm script -qec "tt-smi -ls -nc --sim p150a" typed >/dev/null 2>&1 </dev/null
	check "-nc leaves colour out" sh -c "! grep -q \"$(printf '\033')\" typed"
	NO_COLOR=1 TERM=xterm script -qec "tt-smi -ls --sim p150a" typed >/dev/null 2>&1 </dev/null
	check "so does NO_COLOR" sh -c "! grep -q \"$(printf '\033')\" typed"
	columns() {	# of the longest line of the last command on a terminal of so many
		script -qec "stty cols $1; $2" typed >/dev/null 2>&1 </dev/null
		sed '1d; $d; s/\r//; s/\x1b\[[0-9;]*m//g' typed | LC_ALL=C.UTF-8 wc -L
	}
	wide() { columns 200 'tt-smi -ls --sim n300,p150a'; }
	check "a terminal that is wide enough has the table of the pipe" [ "$(wide)" = \
		"$(tt-smi -ls --sim n300,p150a 2>/dev/null | LC_ALL=C.UTF-8 wc -L)" ]
	narrow() { columns 80 'tt-smi -ls --sim n300,p150a'; }
	check "a narrower one has it without the blanks" [ "$(narrow)" -le 80 ]
	check "and with short names of nodes" grep -q '│tt/1 ' typed
	for columns in 50 80 120; do
		check "-h fits $columns columns" [ "$(columns $columns 'tt-smi -h')" -le $columns ]
	done
	columns 80 'tt-smi -h' >/dev/null
	run tt-smi -h
	check "and loses no word" sh -c "sed '1d; \$d; s/\r//' typed | tr -s ' \n' '\n\n' >words;
		tr -s ' \n' '\n\n' <'$out' | cmp - words"
else
	skip "on a terminal headings are bold" "no script(1)"
fi
run tt-smi -ls --sim p150a
check "piped there is no escape at all" sh -c "! grep -q \"$(printf '\033')\" out"

for chip in wormhole blackhole; do
	ln -s "$top_srcdir/tests/fixtures/sysfs/$chip" "$chip"
	run tt-smi -ls --root "$chip"
	out_is "golden/list-recorded-$chip.txt" "a recorded tree of a $chip is listed"
done
for file in n300-tt_smi-5.3.0 p150a-tt_smi-5.2.0; do
	run tt-smi -ls --load "$top_srcdir/tests/fixtures/snapshots/$file.json"
	rc_is 0 "$file.json is listed as a machine"
	out_is "golden/list-$file.txt" "with the names it had there"
done
# Cards with one trouble are one line, on stdout and on stderr.
run tt-smi -ls --sim '4*p150a:hang,p150a,p150a:hang'
out_has 'cards 0-3, 5: chip does not answer' "-ls names cards with one trouble together"
err_code hung 'cards 0-3, 5: ' "and so does stderr"
check "each of them once" [ "$(grep -c 'chip does not answer' "$out")" = 1 ]
run tt-smi -b cards --duration 1 --sim '4*p150a:hang' --no-reset
check "a burn says the reason of all cards once" [ "$(grep -c 'it cannot be read' "$out")" = 1 ]
out_has 'cards 0-3: INCOMPLETE: it cannot be read' "and names them"
done_testing
