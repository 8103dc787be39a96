# SPDX-License-Identifier: GPL-2.0-or-later
# A dump beside a burn: one clock, rows from before the load to after it, and a
# workbook that says how the burn came out, read by another program.
. "$top_srcdir/tests/rig/lib.sh"

if ! command -v python3 >/dev/null; then
	skip "a dump beside a burn" "no python3"
	done_testing
	exit
fi

py=python3

holds() {	# name folder expression of rows (of each file), burn (its report) and sheet (its cells)
	check "$1" $py "$top_srcdir/tests/rig/burn_sheet.py" "$2" "$3"
}

export TT_SMI_BURNIN_DWELL=64
burn="tt-smi -b host --threads 2 --workload matmul --dtype float32 --seed 42"

run $burn -d -dir one --sim p150a,p100a -dur 2 -i 0.25
rc_is 0 "a burn with a dump beside it passes"
out_has "host: PASS" "and says so"
err_has "dumping to one" "the dump has its words on stderr"
holds "every card has rows from before the load to after it" one \
	"len(rows) == 2 and all(float(r[0]['Timestamp (s)']) < 1 and float(r[-1]['Timestamp (s)']) > burn['seconds'] - 0.01 for r in rows)"
holds "of the interval that was asked for" one "all(len(r) >= 6 for r in rows)"
holds "the workbook has the verdict" one "sheet['Verdict'] == 'PASS' == burn['verdict']"
holds "the rate and its part of the peak" one \
	"abs(float(sheet['Rate (GFLOP/s)']) - burn['gflops']) < 0.01 and 0 < (float(sheet['Of the peak (%)']) if burn['peak_percent'] else 50) <= 100"
holds "the errors, and the command that runs it again" one \
	"sheet['Wrong words'] == '0' and sheet['To run it again'] == 'tt-smi -b host --threads 2 --workload matmul --dtype float32 --seed 42 -d --sim p150a,p100a -dur 2 -i 0.25'"
holds "the seed as it is typed, and how much of the processors it had" one \
	"sheet['Seed'] == '42' and 0 < float(sheet['Processor share (%)']) <= 100"
holds "each kind of work beside its peak, where that is known" one \
	"all(w['peak_gflops'] is None or w['peak_gflops'] > 0 for w in burn['targets'][0]['work']) and (burn['targets'][0]['work'][0]['peak_gflops'] is None or 'Of the peak (%)' in sheet)"
holds "what the names mean" one \
	"['What the names mean'] in list(cells('one')) and 'other work' in [l[1] for l in cells('one') if l and l[0] == 'Processor share (%)'][-1]"
holds "and the limits" one \
	"['yes', 'card 0 0000:01:00.0: ends the burn near its throttle temperature'] in list(cells('one'))"
mkdir finished
mv one/*.xlsx finished
run tt-smi --finish one
rc_is 0 "--finish makes the workbook once more"
holds "and its sheet of the burn, from the report, is that from the figures themselves" one \
	"list(cells('finished')) == list(cells('one'))"
run tt-smi -b cards --no-reset -d -dir many --sim 5*p150a,p150a:gone@1 -dur 2 -i 0.5
holds "of many cards the reasons have the width of the page" many \
	"[l[-1] for l in cells('many') if l[:1] == ['Target']] == ['Reason']"
holds "and paper is for one card of each that did not pass" many \
	"printed('many').count('0 0000:01:00.0 p150a') == 2 and printed('many').count('1 0000:02:00.0 p150a') == 1"
holds "all of them have a section" many \
	"[l[0] for l in cells('many') if l].count('4 0000:05:00.0 p150a') == 2"
mkdir empty
command=$(python3 -c "import json; print(json.load(open('one/burn.json'))['command'])")
run sh -c "$command"
rc_is 0 "that command runs"

run tt-smi -b host --threads 1 -d -dir memory --root empty --iterations 1 --workload memory --size 16M
rc_is 0 "a burn of memory passes"
holds "its rate is among the facts of the workbook" memory \
	"float(sheet['Memory (GB/s)']) > 0 and abs(float(sheet['Memory (GB/s)']) - burn['memory_gb_per_s']) < 0.01"
holds "and what was tested and compared of it" memory \
	"(sheet['Memory to test (bytes)'], sheet['Compared (bytes)']) == (str(16 << 20), str(burn['targets'][0]['memory']['bytes_compared']))"
holds "nothing was computed, and no rate of that is made up" memory "burn['gflops'] is None and 'Rate (GFLOP/s)' not in sheet"
TT_SMI_BURNIN_FAULT=output run $burn --dump -dir wrong --sim p150a -dur 1
rc_is 5 "a wrong word is a negative verdict with a dump, too"
holds "which the workbook has, with the word" wrong \
	"sheet['Verdict'] == 'FAIL' and int(sheet['Wrong words']) > 0 and sheet['matmul'] and any(str(x).startswith('0x') for x in sheet.values())"

: >burn.out
$burn -d -dir stopped --sim p150a -dur 1000 >burn.out 2>"$err" &
pid=$!
await_of $pid has_text burn.out GFLOP
kill -INT $pid
wait $pid
rc=$?
cp burn.out "$out"
rc_is 4 "a burn that is stopped is INCOMPLETE"
holds "in its workbook as well, with the reason" stopped \
	"sheet['Verdict'] == 'INCOMPLETE' and 'stopped before its end' in sheet.values()"

: >burn.out
$burn -d -dir killed --sim p150a -dur 1000 >burn.out 2>"$err" &
pid=$!
await_of $pid has_text burn.out GFLOP
kill -KILL $pid
wait $pid 2>/dev/null
run tt-smi --finish killed
rc_is 0 "--finish makes the workbook of one that was killed"
holds "which is no PASS" killed \
	"sheet['Verdict'] == 'INCOMPLETE' and any('did not come to its end' in str(x) for x in sheet.values())"

# A dump that stops does not stop the burn, but the program does not end well.
run sh -c "ulimit -f 40; $burn -d -dir small --sim p150a -dur 3 -i 0.002 --report small.json"
rc_is 1 "a dump that ran into a limit is a failure"
out_has "host: PASS" "of a burn that passed"
check "and both reports have the exit code" [ "$(grep -c '"exit_code": 1,' small.json small/burn.json | paste -sd ' ')" = "small.json:1 small/burn.json:1" ]
run tt-smi --merge small.json
rc_is 0 "which does not contradict the verdict"

# A dump that fails when the verdict is known: the reports are written after it.
$burn -d -dir late --sim p150a -dur 2 --report late.json >"$out" 2>"$err" &
pid=$!
await [ -s late/index.json ]
await_of $pid has_text "$out" "round"
rm late/index.json
mkdir late/index.json
wait $pid
rc=$?
rc_is 1 "a dump that cannot be ended is a failure"
for report in late.json late/burn.json; do
	check "and $report has the program's exit code" grep -q '"exit_code": 1,' $report
	check "beside the verdict" grep -q '^    "verdict": "PASS"' $report
done

run $burn -d -dir alone --root empty --iterations 1
rc_is 0 "a machine without cards burns with a dump"
holds "whose workbook has the burn" alone "sheet['Verdict'] == 'PASS' and rows == []"

# A card's burn has figures of its own, and the host's are not told as the card's.
cp "$top_builddir/tests/rig/fake_ttsim.so" wh.so
run tt-smi -b cards --no-reset -d -dir cards --ttsim wh.so --iterations 1 --phases 1
rc_is 0 "a burn of a card with a dump beside it passes"
holds "the workbook has the card's operands, type and sums" cards \
	"'whole numbers to 255' in sheet['Operands'] and sheet['Type'] == 'bfloat16' and 'matrix unit' in sheet['Sums'] and sheet['Phases of fidelity'] == '1'"
holds "and what was asked for and done" cards "(sheet['cores'], sheet['kinds'], sheet['rounds']) == ('80', '160', '1')"
holds "and no rates of a host that did not burn" cards "'Peak (GFLOP/s)' not in sheet and 'six patterns' not in str(sheet)"
run tt-smi -b host cards --no-reset -d -dir both --ttsim wh.so --iterations 1 --threads 1 --workload matmul
rc_is 0 "both pass together"
holds "each with its own" both \
	"'rounded once' in sheet['Sums'] and float(sheet['Rate (GFLOP/s)']) > 0 and sheet['Phases of fidelity'] == '4' and float(sheet['Documented peak (TFLOP/s)']) > 300"

run tt-smi -d -b host --sim p150a --iterations 1 --threads 1 --workload matmul -dir turned
rc_is 0 "-d may come first"
for words in "-b host -dir x" "-b host -i 1" "-b host --rotate 1k" "-b list -d" "-b host -d --ndjson" "-b host -s"; do
	run tt-smi $words
	rc_is 2 "usage: $words"
done
check "nothing was made for them" [ ! -e x ]
: >file
run $burn -d -dir file/below --root empty -dur 1
rc_is 1 "a dump that cannot begin is found out before the load"
err_code wrong-kind 'file/below' "and named"
run tt-smi -b cards -d -dir one --sim p150a -dur 1
rc_is 1 "and one that would be the second in its folder"
err_code exists 'one' "is named"
out_lacks "reset" "before a card is reset for its sake"
done_testing
