# SPDX-License-Identifier: GPL-2.0-or-later
# --merge: many reports, one verdict.  Of a report that passes each part is changed in turn, and none of
# what comes of it may pass.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/burn_lib.sh"
export TT_SMI_BURNIN_DWELL=32	# how much the host computes is not what is tested here
[ $py = none ] && { skip "--merge" "no python3"; done_testing; exit; }
change() { $py "$top_srcdir/tests/rig/change_report.py" "$@"; }
merge() { run tt-smi --merge "$@"; }
esc=$(printf '\033')

lib wh
lib wh+wrong@1
export SLURM_JOB_ID=7
for host in n1 n2; do
	export SLURMD_NODENAME=$host
	run timeout 400 tt-smi -b host cards --ttsim wh.so --iterations 1 --threads 1 --workload matmul \
		--report $host.json
	rc_is 0 "$host passes"
done
SLURMD_NODENAME=n3 run timeout 400 tt-smi -b cards --ttsim wh+wrong@1.so --iterations 1 --workload conv \
	--report n3.json
rc_is 5 "n3 has a core that is wrong"

merge n1.json n2.json
rc_is 0 "two reports that pass"
out_has 'merged: PASS: 2 hosts passed; 0 wrong words' "are one PASS"
out_has 'wrong words; 2 simulated cards' "which says that the cards are not real"
check "and whose" grep -q '^PASS *n2 .* 0 wrong, 1 simulated; begun 20.*Z$' "$out"
merge n1.json n2.json --hosts n1,n2
rc_is 0 "of the hosts that there should be"
merge n1.json n2.json --hosts n1,n2,,n1
out_has 'merged: PASS: 2 hosts passed of 2 that there should be' "one that is named twice is one"
merge n1.json --hosts n4,n1,,n4,n4
out_has 'merged: INCOMPLETE: 1 host passed of 2 that there should be; 0 wrong words; did not pass: n4' "also where it has no report"
check "and stands there once" [ "$(grep -c ' n4 .*there is no report of it' "$out")" = 1 ]
merge n1.json n3.json n2.json --hosts n1,n2,n3,n4
rc_is 5 "one that failed is a negative verdict"
out_has 'merged: FAIL: 2 hosts passed of 4 that there should be; 2 wrong words; did not pass: n3, n4' "that names it, and the one without a report"
sed -n '2,5s/ .*//p' "$out" | tr '\n' ' ' >order
check "the worst stands first" grep -qx 'FAIL INCOMPLETE PASS PASS ' order
out_has '  n3: 0 0000:01:00.0 n150 L: FAIL: 2 wrong words on 1 core; the first on core 4-5' "with card and core"
merge n1.json n3.json --hosts n1,n3,n4 --json --workbook all.xlsx
rc_is 5 "the same as JSON"
cp "$out" report.json
check "has hosts, targets and sums" $py -c "import json
r = json.load(open('report.json'))
assert [h['verdict'] for h in r['hosts']] == ['FAIL', 'INCOMPLETE', 'PASS'], r['hosts']
assert [t['host'] for t in r['targets']] == ['n3', 'n1', 'n1'] and r['errors'] == 2 and r['exit_code'] == 5
assert r['job'] == '7' and r['hosts_expected'] == 3 and r['hosts'][1]['report'] is None"
if $py -c 'import openpyxl' 2>/dev/null; then
	check "and as a workbook" $py -c "import openpyxl
rows = [[c.value for c in row if c.value is not None] for row in openpyxl.load_workbook('all.xlsx').worksheets[0]]
assert ['Verdict', 'FAIL'] in rows and any(r[:2] == ['n4', 'INCOMPLETE'] for r in rows), rows"
else
	skip "and as a workbook" "no openpyxl"
fi
mkdir folder
cp n1.json n2.json folder/
echo '{' >folder/notes.txt
merge folder --hosts n1,n2
rc_is 0 "a folder stands for its reports"
rm folder/n2.json
merge folder --hosts n1,n2
rc_is 4 "a report that is not there is not a PASS"
out_has 'INCOMPLETE  n2 ' "but named"
merge folder --hosts n1,n2 --json
out_has '"code": "not-found"' "and why"
mkdir empty
merge empty
rc_is 4 "of nothing a PASS is not made"
out_has 'empty: there is no report in it' "and that is said"
merge folder empty
rc_is 4 "nor of a folder beside it"
out_has 'INCOMPLETE  -                  0 targets: empty: there is no report in it' "which is named"
for i in $(seq 200); do
	set -- "$@" "folder/x$i.json" "r['host'] = 'x$i'"
done
change n1.json "$@"
merge folder/x*.json folder/n1.json
rc_is 0 "as many files as there are hosts"
out_has 'merged: PASS: 201 hosts passed' "are counted"
check "and the verdict is said again below a long table" [ "$(grep -c '^merged: PASS' "$out")" = 2 ]

# A card that was lost before the burn is in no report: fewer than the others have is not a PASS.
change n1.json two.json "r['host'] = 'n9'; c = dict(r['targets'][1]); c['target'] = '1 0000:02:00.0 n150 L'; r['targets'].append(c)"
merge n1.json two.json n2.json
rc_is 4 "a host with fewer cards than another is not a PASS"
out_has 'INCOMPLETE  n1                 2 targets, 0 wrong, 1 simulated: 1 card of it burnt, and 2 of n9' "and says how many"
out_has 'merged: INCOMPLETE: 1 host passed; 0 wrong words; did not pass: n1, n2' "the one with the most passes"
merge n1.json two.json --expected-cards any
rc_is 0 "hosts may differ where that is said"
merge n1.json n2.json --expected-cards 1
rc_is 0 "each has the number that is expected"
merge n1.json n2.json --expected-cards 2 --json --workbook cards.xlsx
rc_is 4 "a number that none has"
check "is in the JSON, with each host's own" $py -c "import json, sys
r = json.load(open(sys.argv[1]))
assert r['cards_expected'] == 2 and r['verdict'] == 'INCOMPLETE', r
assert [(h['cards'], h['reason']) for h in r['hosts']] == 2 * [(1, '1 card of it burnt, and 2 are expected')], r" "$out"
if $py -c 'import openpyxl' 2>/dev/null; then
	check "and in the workbook" $py -c "import openpyxl
rows = [[c.value for c in row if c.value is not None] for row in openpyxl.load_workbook('cards.xlsx').worksheets[0]]
assert any('1 card of it burnt, and 2 are expected' in r for r in rows), rows
assert ['Cards that each should have', 2] in rows, rows"
else
	skip "and in the workbook" "no openpyxl"
fi
merge two.json --expected-cards 1
rc_is 4 "nor is one too many what was expected"
for wrong in 0 -1 321 x forget; do
	merge n1.json --expected-cards $wrong
	rc_is 2 "--expected-cards $wrong is refused"
done
change two.json failed.json "r['targets'][2]['verdict'] = 'FAIL'"
merge failed.json n1.json
rc_is 5 "and what failed is worse than what is missing"

# Other settings are no other verdict, but they are named, and the shortest load is what all burnt.
change n2.json less.json "r['seconds'] = 30; r['settings'].update(workload='conv', duration=8)
for t, n in zip(r['targets'], (250, 1.6)): t['coverage'].setdefault('seconds', {'asked': 0})['done'] = n"
change n1.json more.json "r['seconds'] = 300
for t in r['targets']: t['coverage'].setdefault('seconds', {'asked': 0})['done'] = 250"
merge more.json less.json
rc_is 0 "hosts with other settings"
out_has '; at least 2 s each; 1 with other settings' "are counted, and the shortest load is that of all, not of a process"
out_has 'other settings: conv in float32,bfloat16, steady, 8.0 s, 1 round' "and named"
out_has '(n1: matmul in float32,bfloat16, steady, 1 round' "beside those of the first"
merge more.json less.json --json
check "also in JSON" $py -c "import json, sys
r = json.load(open(sys.argv[1]))
assert r['hosts_unlike'] == 1 and r['seconds'] == 30 and r['load_seconds'] == 1.6, r
assert [bool(h['unlike']) for h in r['hosts']] == [False, True], r" "$out"
merge n1.json n2.json
out_lacks 'other settings' "of hosts that are alike nothing is said"

merge n1.json n1.json
rc_is 4 "two reports of one host are not a PASS"
out_has 'this host has two reports' "and named"
merge n1.json n2.json --hosts n1
rc_is 4 "nor is a host that nobody expects"
out_has 'n2                 2 targets, 0 wrong, 1 simulated: it is none of the hosts that are expected' "which is named"
change n2.json other.json "r['job'] = '6'"
merge n1.json other.json
rc_is 4 "nor are reports of two jobs"
out_has 'it is of job 7, and n2 of job 6' "which are named"

# Reports that others would show to be of another burn, or of less than theirs.
while IFS='|' read -r code text statement; do
	change n1.json x.json "$statement"
	merge x.json n2.json
	rc_is $code "$statement"
	out_has "$text" "which is named: $text"
done <<'END'
0|begun 2|pass
4|n1                 2 targets, 0 wrong, 1 simulated: it began 5|r['begun'] = '2020' + r['begun'][4:]
4|n2                 2 targets, 0 wrong, 1 simulated: it began |r['begun'] = '2099' + r['begun'][4:]
4|it does not say when it began|r['begun'] = 'yesterday'
4|it does not say when it began|r['begun'] = None
4|it lists target host twice|r['targets'].append(t)
4|it lists target 0 0000:01:00.0 n150 L twice|r['targets'].append(r['targets'][1])
4|the host itself was not burnt, but n2 was|del r['targets'][0]
END
change n1.json x.json "import datetime
r['begun'] = (datetime.datetime.now() - datetime.timedelta(days=3)).isoformat() + 'Z'"
merge x.json n2.json --within 2d
rc_is 4 "three days are more than two"
merge x.json n2.json --within 4d
rc_is 0 "--within allows older reports"
merge n1.json --within 0
rc_is 2 "but is a time"

# never NAME VERDICT TEXT: x.json beside one that passes
never() {
	merge n2.json x.json
	check "$1: $2" sh -c "[ $rc != 0 ] && grep -q '^merged: $2: 1 host passed' '$out'"
	out_has "$3" "which says why"
}
changed() {	# verdict|text|statement: each is one change of a report that passes
	change n1.json x.json "$3"
	never "$3" "$1" "$2"
}
while IFS='|' read -r verdict text statement; do
	changed "$verdict" "$text" "$statement"
done <<'END'
FAIL|it has errors that are not 0|r['errors'] = 1
FAIL|it says PASS, but it has errors that are not 0|t['errors'] = 2
FAIL|it has errors that are not 0|r['targets'][1]['cores'][3]['errors'] = 1
FAIL|it has errors_by_host that are not 0|r['targets'][1]['cores'][3]['errors_by_host'] = 1
FAIL|it has wrong that are not 0|r['targets'][1]['card_memory']['channels'][0]['endpoints'][0]['wrong'] = 1
FAIL|reset_after: lost|r['targets'][1]['reset_after']['verdict'] = 'lost'
FAIL|n150 L: |r['targets'][1]['verdict'] = 'FAIL'
FAIL|its verdict is FAIL|r.update(verdict='FAIL', exit_code=5)
FAIL|its verdict is FAIL; it is of version 9.9|r.update(verdict='FAIL', version='9.9')
INCOMPLETE|it is of version 9.9, and this is|r['version'] = '9.9'
INCOMPLETE|it is not the report of a burn|del r['verdict']
INCOMPLETE|its verdict is PASS, and its exit code not|r['exit_code'] = 1
INCOMPLETE|its verdict is INCOMPLETE|r['verdict'] = 'pass'
INCOMPLETE|it is not the report of a burn|r['verdict'] = None
INCOMPLETE|nothing was burnt|r['targets'] = []
INCOMPLETE|it does not say of which host it is|r['host'] = None
INCOMPLETE|a core of it: stood still|r['targets'][1]['cores'][0]['state'] = 'stood still'
INCOMPLETE|79 of 80 cores are in the report|del r['targets'][1]['cores'][0]
INCOMPLETE|79 of 80 cores were compared|r['targets'][1]['coverage']['cores']['done'] = 79
INCOMPLETE|nothing was asked for|t['coverage'] = {}
INCOMPLETE|its coverage is not to be understood|t['coverage']['luck'] = {'asked': 1, 'done': 1}
INCOMPLETE|its coverage is not to be understood|t['coverage']['threads'] = {'asked': -1, 'done': -1}
INCOMPLETE|its coverage is not to be understood|t['coverage']['threads'] = None
INCOMPLETE|nothing of it was judged|t['errors'] = None
INCOMPLETE|not as tt-smi writes it: errors: is of another kind|r['errors'] = '0'
INCOMPLETE|not as tt-smi writes it: errors: is of another kind|t['errors'] = False
INCOMPLETE|not as tt-smi writes it: errors: is of another kind|t['errors'] = [1]
INCOMPLETE|not as tt-smi writes it: errors: is of another kind|t['errors'] = 0.4
INCOMPLETE|not as tt-smi writes it: errors: is of another kind|t['errors'] = 1e300
INCOMPLETE|not as tt-smi writes it: errors: is missing|del t['errors']
INCOMPLETE|not as tt-smi writes it: mismatches: is missing|del t['mismatches']
INCOMPLETE|not as tt-smi writes it: cores: is of another kind|r['targets'][1]['cores'] = {}
INCOMPLETE|not as tt-smi writes it: cores: has something of another kind|r['targets'][1]['cores'][0] = 1
INCOMPLETE|not as tt-smi writes it: more: no such figure|t['more'] = 1
INCOMPLETE|not as tt-smi writes it: operands: no such figure|del t['seed']
INCOMPLETE|not as tt-smi writes it: seed: is of another kind|t['seed'] = '0xzz'
INCOMPLETE|it is not the report of a burn|r['targets'] = 'PASS'
END

sed 's/"errors": 0,/"errors": 0, "errors": 1,/' n1.json >x.json
never "a key that stands twice" INCOMPLETE 'errors: stands there twice'
sed '0,/"verdict": "PASS"/s//"verdict": "PASS", "verdict": "FAIL"/' n1.json >x.json
never "two verdicts" INCOMPLETE 'verdict: stands there twice'
size=$(wc -c <n1.json)
for part in 0 1 $((size / 3)) $((size - 3)); do
	head -c "$part" n1.json >x.json
	never "$part of $size bytes" INCOMPLETE 'it is torn, or is not a report'
done
{ cat n1.json; echo '{}'; } >x.json
never "something after its end" INCOMPLETE 'it is torn, or is not a report'
head -c 200000 /dev/zero | tr '\0' '[' >x.json
never "two hundred thousand brackets" INCOMPLETE 'it is torn, or is not a report'
head -c 100000 /dev/urandom >x.json
never "noise" INCOMPLETE 'it is torn, or is not a report'
head -c 34000000 /dev/zero >x.json
never "34 MB" INCOMPLETE 'larger than'
rm x.json
never "a file that is not there" INCOMPLETE 'No such file'
mkfifo x.json
never "a FIFO that nobody writes to" INCOMPLETE 'x.json'
rm x.json
tt-smi -s --sim p150a -f - >x.json
never "a snapshot" INCOMPLETE 'it is not the report of a burn'
tt-smi --during --sim p150a --report x.json -- true >/dev/null 2>&1
never "a receipt" INCOMPLETE 'it is not the report of a burn'
tt-smi --merge n1.json --json >x.json
never "what was merged before" INCOMPLETE 'not as tt-smi writes it: '

change n1.json x.json "r['host'] = 'a\\x1b]0;b\\x07\\nc'; t['reason'] = '\\x1b[2J'; t['verdict'] = 'FAIL'; t['target'] = 'x\\x9b'"
merge x.json --workbook hostile.xlsx
check "a hostile report fails, and commands no terminal" sh -c "[ $rc = 5 ] && ! grep -q '$esc' '$out'"
out_has 'a\x1b]0;b\x07\x0ac' "its host can be read"
merge x.json --json
check "nor does its JSON" sh -c "! grep -q '$esc' '$out'"
if $py -c 'import openpyxl' 2>/dev/null; then
	check "and its workbook opens" $py -c "import openpyxl; openpyxl.load_workbook('hostile.xlsx')"
fi

mkdir own && cp n1.json own/ && ln -s own/n1.json link.xlsx
for same in own/n1.json link.xlsx; do
	merge own --workbook $same
	rc_is 2 "a workbook in place of a report is refused: $same"
	err_code conflict 'own/n1.json' "and the report is named"
done
check "which is as it was" cmp n1.json own/n1.json
merge n1.json --workbook none/all.xlsx
rc_is 1 "a workbook that cannot be written is not a success"
merge n3.json --workbook none/all.xlsx
rc_is 5 "but the verdict stays"
run sh -c 'tt-smi --merge n1.json >/dev/full'
rc_is 1 "nor is a full disk below stdout"
run tt-smi --hosts n1
rc_is 2 "--hosts alone is a usage error"
run tt-smi --merge
rc_is 2 "--merge alone, too"
done_testing
