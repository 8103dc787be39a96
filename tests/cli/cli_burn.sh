# SPDX-License-Identifier: GPL-2.0-or-later
# --burnin host from outside: verdicts, exit codes, the report, and what ends it.
. "$top_srcdir/tests/rig/lib.sh"

py=python3
command -v $py >/dev/null || py=none

json() {	# name expression of the report r
	if [ $py = none ]; then
		skip "$1" "no python3"
	else
		check "$1" $py -c "import json; r = json.load(open('report.json')); assert $2, r"
	fi
}

left_behind() {	# processes of this test that burn: others may, too
	for p in $(pgrep -x tt-smi); do
		tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -qxF "TT_SMI_STATE_DIR=$work/state" && echo "$p"
	done
}

load_of() {	# the process of a burn that has the threads of the load
	ps -o nlwp=,pid= --ppid "$1" | sort -n | tail -n 1 | awk '{ print $2 }'
}

# It takes 20 s until a load that is stopped from outside is ended, or one that hangs.  Of the latter's
# threads the one that runs has little to do, as the ramp begins.
TT_SMI_BURNIN_FAULT=stop aside stopped tt-smi -b host -dur 100 --threads 1 --workload matmul --report stopped.json
TT_SMI_BURNIN_DWELL=4 TT_SMI_BURNIN_FAULT=hang aside hung tt-smi -b host -dur 100 --threads 2 --pattern ramp

run tt-smi -b host --iterations 1 --threads 2 --report report.json --seed 4201
rc_is 0 "a round on a healthy host passes"
err_empty "without a word on stderr"
out_has "host: PASS" "and says so"
json "the report has verdict, rate, peak and errors" \
	"r['verdict'] == 'PASS' and r['exit_code'] == 0 and r['gflops'] > 0 and r['errors'] == 0 and (r['peak_percent'] is None) == bool(r['peak_unknown']) and 0 < (r['peak_percent'] or 50) <= 100"
json "and what is needed to run it again" \
	"r['settings']['seed'] == hex(4201) and r['settings']['threads'] == 2 and r['settings']['iterations'] == 1 and r['settings']['workload'] == 'conv,matmul' and r['settings']['dtype'] == 'float32,bfloat16'"
json "all kinds of work were done and verified" \
	"len(r['targets'][0]['work']) == 4 and all(w['blocks'] >= 2 * 6 * 64 and w['gflops'] > 0 for w in r['targets'][0]['work']) and r['targets'][0]['words_verified'] > 1e6"
json "what was asked for was done, each by its own count" \
	"(c := r['targets'][0]['coverage']) and c['rounds']['done'] >= c['rounds']['asked'] == 1 and c['threads'] == {'asked': 2, 'done': 2} and c['kinds'] == {'asked': 8, 'done': 8} and c['words']['asked'] == c['words']['done'] == r['targets'][0]['words_verified'] and c['checksums']['done'] >= c['checksums']['asked'] > 100"
# That was a round as it is; those of the rest have a part of its blocks.
export TT_SMI_BURNIN_DWELL=32
for n in 1 2; do
	TT_SMI_BURNIN_DWELL=4 run tt-smi -b host --iterations 1 --threads 1 --workload matmul --report report.json
	sed -n 's/.*"command": "\(.*\)".*/\1/p' report.json >again.$n
	seed=$(sed -n 's/.* --seed \([0-9]*\)$/\1/p' again.$n)
	out_has "1 thread, seed ${seed:-none}," "a seed that was not given is printed, and in the command"
	json "and in the settings" "r['settings']['seed'] == hex(${seed:-0})"
done
check "each run has another" sh -c "! cmp -s again.1 again.2"
run tt-smi -b host --iterations 1 --threads 1 --workload matmul --dtype float32 --report report.json
rc_is 0 "a part of it can be chosen"
json "and nothing else is done" \
	"[(w['operation'], w['dtype'], w['blocks']) for w in r['targets'][0]['work']] == [('matmul', 'float32', 6 * $TT_SMI_BURNIN_DWELL)]"
for seconds in 2 8 32; do	# until a busy machine has done a round of it
	run tt-smi -b host -dur $seconds --threads 2 --pattern pulse --workload matmul --dtype float32
	[ "$rc" = 0 ] && break
done
rc_is 0 "bursts pass too, and a time ends them"
out_has "GFLOP/s" "a line a second says how it goes"
run tt-smi -b host --iterations 1 --threads 2 --pattern ramp --workload matmul --dtype float32 --report report.json
rc_is 0 "a ramp is verified as any load is"
out_has " % of the load is due" "and a line says where in the ramp it is"
json "the report names it" "r['settings']['pattern'] == 'ramp' and r['targets'][0]['words_verified'] > 1000"

# Beside other work: what cannot be true is a dash with its reason, in each line and in the report.
hogs=
for _ in $(seq "$(nproc)"); do
	sh -c 'while :; do :; done' &
	hogs="$hogs $!"
done
TT_SMI_BURNIN_DWELL=1024 run nice -n 5 tt-smi -b host --iterations 1 --threads 1 --workload matmul,memory --size 32M \
	--dtype float32 --report report.json
# shellcheck disable=SC2086
kill $hogs
json "a load that had little of its processors has no share of a peak" \
	"(t := r['targets'][0])['processor_share_percent'] < 90 and r['peak_percent'] is None and r['peak_gflops'] is None and '90 %' in r['peak_unknown'] and [w['peak_percent'] for w in t['work']] == [None]"
json "nor has its memory" "(m := r['targets'][0]['memory'])['ceiling_gb_per_s'] is None and '90 %' in m['ceiling_unknown']"
out_has "- % of the peak: the load had its processors for less than 90 % of the time" "the reason is in the text"
out_has "- % of one value: the load had its processors for less than 90 % of the time" "and that of memory"

# Memory.
run tt-smi -b host --iterations 2 --threads 2 --workload memory --size 33M --report report.json
rc_is 0 "memory that is whole passes"
out_has "32 MiB of memory, " "and says how much of it"
json "all of it at least once" "r['targets'][0]['coverage']['bytes'] == {'asked': 32 << 20, 'done': 32 << 20}"
json "each pass is counted, with its rate beside that of one value" \
	"r['targets'][0]['memory']['passes'] == 2 and r['targets'][0]['memory']['bytes_compared'] == 64 << 20 and (m := r['targets'][0]['memory'])['in_order_gb_per_s'] > 0 and (m['ceiling_gb_per_s'] is None) == bool(m['ceiling_unknown'])"
json "nothing was computed: that has no rate" "r['gflops'] is None and r['peak_percent'] is None and r['targets'][0]['gflops'] is None"
json "the rate of memory is in the total" "r['memory_gb_per_s'] == r['targets'][0]['memory_gb_per_s'] > 0"
TT_SMI_BURNIN_FAULT=memory run tt-smi -b host --iterations 1 --threads 1 --workload conv,memory --dtype float32 \
	--size 32M --report report.json
rc_is 5 "a flipped bit of it is a negative verdict"
json "with its address, and what it should be" \
	"r['errors'] == 1 and r['targets'][0]['mismatches'][0]['what'] == 'memory' and int(r['targets'][0]['mismatches'][0]['address'], 16) > 4096 and r['targets'][0]['mismatches'][0]['xor'] == '0x200'"
if [ "$(id -u)" = 0 ]; then
	json "and its physical page, for root" "r['targets'][0]['mismatches'][0]['physical'] is None or int(r['targets'][0]['mismatches'][0]['physical'], 16) % 4096 == int(r['targets'][0]['mismatches'][0]['address'], 16) % 4096"
else
	json "no physical page, for others" "r['targets'][0]['mismatches'][0]['physical'] is None"
fi
run tt-smi -b host --iterations 1 --workload memory --size 1000000G --report report.json
rc_is 4 "more than is free is not taken"
verdict_is host INCOMPLETE no-memory "and the verdict says why"
sh -c 'ulimit -v 400000; exec tt-smi -v' >/dev/null 2>&1 && small=yes || small=no
if [ $small = yes ]; then
	run sh -c 'ulimit -v 400000; exec tt-smi -b host --iterations 1 --threads 1 --workload memory --size 390M --report report.json'
	rc_is 4 "a limit of the address space is obeyed"
	verdict_is host INCOMPLETE no-memory "for want of memory"
	out_has "(address space limit)" "and named"
	run sh -c 'ulimit -v 400000; exec tt-smi -b host --iterations 1 --threads 1 --workload memory'
	rc_is 0 "a share of what it leaves can be had"
else
	skip "a limit of the address space is obeyed" "nothing starts in so little memory (sanitizers?)"
fi
run sh -c 'ulimit -l 0; exec setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock tt-smi -b host --iterations 1 --threads 1 --workload memory --size 8M'
if [ $small = yes ] && [ "$rc" = 0 ] && [ -s "$out" ]; then
	out_has "could not be locked" "memory that cannot be locked is told"
else
	skip "memory that cannot be locked is told" "sanitizers, whose mlock() does nothing, or there is no setpriv"
fi

run tt-smi -b host --iterations 1 --threads 1 --workload matmul --impl portable --report report.json
rc_is 0 "an implementation can be chosen"
json "and is named" "all(w['implementation'] == 'portable' for w in r['targets'][0]['work'])"
json "also in the command that runs it again" "'--impl portable' in r['command']"
run tt-smi -b host --impl nobody
rc_is 2 "one that does not exist is a usage error"
err_has "avx2" "which names those that do"
run tt-smi -b host --impl naive --iterations 1
rc_is 4 "one without a load is INCOMPLETE"

while IFS='|' read -r part load; do
	# shellcheck disable=SC2086
	TT_SMI_BURNIN_FAULT=$part run tt-smi -b host --iterations 1 --threads 1 $load --report report.json
	rc_is 5 "a bit flipped in $part is a negative verdict"
	out_has "host: FAIL: " "and says so"
	json "the report names it" \
		"r['verdict'] == 'FAIL' and r['errors'] > 0 and r['targets'][0]['mismatches'][0]['what'] == '$part' and int(r['targets'][0]['mismatches'][0]['xor'], 16) > 0"
done <<'TABLE'
input|--workload conv --dtype bfloat16
packed|--workload conv --dtype float32
panels A|--workload matmul --dtype bfloat16
expected|
output|--workload matmul --dtype float32
TABLE
TT_SMI_BURNIN_FAULT=output run tt-smi -b host -dur 100 --threads 1 --stop-on-error
rc_is 5 "--stop-on-error ends it at the first wrong word"
TT_SMI_BURNIN_FAULT=ill run tt-smi -b host -dur 100 --threads 1 --workload matmul --report report.json
rc_is 5 "an illegal instruction is a verdict"
verdict_is host FAIL load-ended "with its reason"
TT_SMI_BURNIN_FAULT=abort run tt-smi -b host -dur 100 --threads 1 --workload matmul --report report.json
rc_is 5 "so is an abort"
verdict_is host FAIL load-ended "with its reason"
came hung
rc_is 4 "a thread that hangs beside one that runs is no pass"
check "and is named with its CPU" grep -Eq '^host: INCOMPLETE: thread 0 on CPU [0-9]+ stood still for [0-9]+ s, and the load was ended' "$out"
check "also on the way" grep -q '^ *thread 0 stands still$' "$out"
TT_SMI_BURNIN_FAULT=kill run tt-smi -b host -dur 100 --threads 1 --workload matmul --report report.json
rc_is 4 "a load that was killed is none"
verdict_is host INCOMPLETE load-ended "but INCOMPLETE, with its reason"
TT_SMI_BURNIN_FAULT=exit run tt-smi -b host -dur 100 --threads 1 --workload matmul --report report.json
rc_is 4 "a load that ends without a last check does not pass"
verdict_is host INCOMPLETE not-covered "but is INCOMPLETE"
TT_SMI_BURNIN_DWELL=1000000 run tt-smi -b host -dur 0.001 --threads 1 --report report.json
rc_is 4 "no work is no pass"
verdict_is host INCOMPLETE not-covered "but INCOMPLETE"
out_lacks " 0.0 GFLOP/s" "a rate of nothing is not told"
run sh -c 'tt-smi -b host --threads 1 --report report.json & until ls -l /proc/$!/fd 2>/dev/null | grep -q -e "(deleted)" -e "report.json"; do sleep 0.01; done; kill -TERM $!; wait $!'
rc_is 4 "stopped while operands are made it is INCOMPLETE"
out_lacks " 0.0 %" "and tells no rates"
check "and no half report is left" [ -z "$(ls | grep 'report.json.')" ]
json "nor does the report, whatever it had come to" "r['verdict'] == 'INCOMPLETE' and r['gflops'] != 0 and r['peak_percent'] != 0"
# Thread 0 never ends, so the time is over and the last check is not.
: >burn.out
TT_SMI_BURNIN_FAULT=hang tt-smi -b host -dur 0.5 --threads 2 --workload matmul --report report.json >burn.out 2>burn.err &
pid=$!
await_of $pid has_line burn.out Burning
nap 4
kill -TERM $pid
nap 1
check "asked once after its time is over, a burn makes its last check" kill -0 $pid
kill -TERM $pid
wait $pid
rc=$?
cp burn.out "$out" && cp burn.err "$err"
rc_is 4 "asked twice it leaves it out"
verdict_is host INCOMPLETE stopped "and says that"
run tt-smi -b host --iterations 1 --workload vector
rc_is 2 "work that a host does not have is refused"
err_code conflict '--workload' "and it says whose it is"
# Threads that share processors: the peak is that of the machine, whoever asks for how many.
if [ "$(nproc)" -le 32 ]; then
	run tt-smi -b host --iterations 1 --threads 1 --workload matmul --dtype float32 --report report.json
	json "the peak of one processor" "open('peak', 'w').write(str(r['peak_gflops'] or 1e9)) and r['settings']['processors'] > 0"
	run tt-smi -b host --iterations 1 --threads $(($(nproc) * 8)) --workload matmul --dtype float32 --report report.json
	json "eight threads a processor have no more than it has" "max(r['peak_gflops'] or 0, r['gflops']) < 3 * $(nproc) * float(open('peak').read())"
	json "and no more of its time" "r['targets'][0]['processor_share_percent'] <= 12.6"
	out_has "threads shared $(nproc) processor" "and are said to share it"
	out_lacks "other work" "which nobody else is blamed for"
else
	skip "eight threads a processor have no more than it has" "too many processors for a short test"
fi
if [ "$(nproc)" -gt 1 ]; then
	for threads in "" "--threads 2"; do
		run taskset -c "$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')" tt-smi -b host --iterations 1 --workload matmul --dtype float32 $threads --report report.json
		out_has "  1 of this machine's " "processors that had no load are told${threads:+ ($threads)}"
		json "in the report, too" "r['settings']['processors_burnt'] == 1 < r['settings']['processors']"
	done
else
	skip "processors that had no load are told" "there is one only"
fi

came stopped
mv stopped.json report.json
rc_is 4 "a load that is stopped for long does not pass"
verdict_is host INCOMPLETE stopped "with its reason"

mkdir empty
export TT_SMI_SIM_SPEED=100
for target in 0 0000:01:00.0 cards; do
	run tt-smi -b $target --root empty --report report.json
	rc_is 4 "a card that is not there ($target) does not pass"
	verdict_is "$target" INCOMPLETE no-device "and says why"
	json "in the report too" "r['verdict'] == 'INCOMPLETE' and r['exit_code'] == 4 and r['gflops'] is None and r['targets'][0]['errors'] is None"
done
for target in cards 0,1 "1 0000:01:00.0" all; do
	case $target in all) threads='--threads 1' ;; *) threads= ;; esac
	run tt-smi -b $target --sim p150a,p100a --report report.json --iterations 1 $threads --workload matmul
	rc_is 4 "simulated boards ($target) do not pass"
	verdict_is "0 0000:01:00.0 p150a" INCOMPLETE simulated "the first by its names, with the reason"
	verdict_is "1 0000:02:00.0 p100a" INCOMPLETE simulated "and the second"
	json "each is in the report" "sorted(t['target'][0] for t in r['targets'][-2:]) == ['0', '1'] and all(t['verdict'] == 'INCOMPLETE' and t['reason'] for t in r['targets'][-2:])"
done
out_has "host: PASS" "with all of them the host itself passes"
json "and its figures are the total" "r['verdict'] == 'INCOMPLETE' and r['gflops'] == r['targets'][0]['gflops'] > 0"
run tt-smi -b cards --sim '130*p150a' --no-reset -dur 1 --report report.json
rc_is 4 "a whole rack of boards is burnt"
json "and none of it is left out" "len(r['targets']) == 130 and all(t['reason'] for t in r['targets'])"
run tt-smi -b hsot
rc_is 2 "a word that is no target is a usage error"
err_has "hsot" "which names it"
TT_SMI_BURNIN_FAULT=output run tt-smi -b host cards --sim p150a --iterations 1 --threads 1 --workload matmul
rc_is 5 "FAIL comes before INCOMPLETE"

# Signals end it cleanly, whatever it is doing.
for signal in INT TERM; do
	: >burn.out
	tt-smi -b host -dur 100 --threads 2 --report report.json >burn.out 2>burn.err &
	pid=$!
	await_of $pid has_text burn.out GFLOP
	# A job in the background has SIGINT ignored; the program takes it nonetheless.
	kill -$signal $pid
	wait $pid
	rc=$?
	cp burn.out "$out" && cp burn.err "$err"
	rc_is 4 "SIG$signal ends it"
	verdict_is host INCOMPLETE stopped "with a verdict"
	json "and a report of what was done" "r['verdict'] == 'INCOMPLETE' and r['targets'][0]['words_verified'] > 0"
done
check "no process is left" [ -z "$(left_behind)" ]

# The load's own process, killed from outside.
: >burn.out
tt-smi -b host -dur 100 --threads 2 >burn.out 2>burn.err &
pid=$!
await_of $pid has_text burn.out GFLOP
kill -KILL "$(load_of $pid)"
wait $pid
rc=$?
cp burn.out "$out" && cp burn.err "$err"
rc_is 4 "kill -9 of the load is INCOMPLETE"
out_has "killed (signal 9)" "and says so"
: >burn.out
echo '{ "verdict": "PASS" }' >left.json
tt-smi -b host -dur 100 --threads 2 --report left.json >burn.out 2>burn.err &
pid=$!
await_of $pid has_text burn.out GFLOP
child=$(load_of $pid)
check "where memory runs out the load is what is killed" [ "$(cat /proc/$child/oom_score_adj)" = 1000 ]
kill -KILL $pid
wait $pid 2>/dev/null
check "kill -9 of the program ends the load with it" await has_ended "$child"
run tt-smi --merge left.json
rc_is 4 "and leaves no PASS of an earlier burn"
cp left.json report.json
verdict_is host INCOMPLETE not-finished "but a report that says so"

if sh -c 'ulimit -v 200000; exec tt-smi -v' >/dev/null 2>&1; then
	run sh -c 'ulimit -v 200000; exec tt-smi -b host --iterations 1 --threads 64'
	rc_is 4 "without memory it is INCOMPLETE"
else
	skip "without memory it is INCOMPLETE" "nothing starts in so little memory (sanitizers?)"
fi
# The kernel itself runs out of it, in a control group (of either version) with less than is taken.
group=
trap 'cd /; rm -rf "$work"; [ -z "$group" ] || rmdir "$group"' EXIT
for parent in /sys/fs/cgroup /sys/fs/cgroup/memory; do
	mkdir "$parent/tt-smi-test-$$" 2>/dev/null || continue
	group=$parent/tt-smi-test-$$
	for limit in memory.max memory.limit_in_bytes; do
		[ ! -w "$group/$limit" ] || break 2
	done
	rmdir "$group"
	group=
done
if [ -n "$group" ] && echo 400M >"$group/$limit"; then
	[ ! -w "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
	[ ! -w "$group/memory.memsw.limit_in_bytes" ] || echo 400M >"$group/memory.memsw.limit_in_bytes"
	run sh -c "echo \$\$ >$group/cgroup.procs && exec tt-smi -b host --iterations 1 --threads 64 --report report.json"
	rc_is 4 "a load that the kernel kills for lack of memory does not pass"
	verdict_is host INCOMPLETE no-memory "and the verdict says why"
	err_empty "the program itself goes on"
	check "nothing is left running" [ -z "$(left_behind)" ]
else
	skip "a load that the kernel kills for lack of memory" "no control group of memory can be made here"
fi
[ -z "$group" ] || rmdir "$group"
group=
run tt-smi -b host --iterations 1 --threads 1 --workload matmul --report /dev/full
rc_is 1 "a report that cannot be written is a failure"
err_has "/dev/full" "which names it"
out_has "host: PASS" "the verdict is still told"
run tt-smi -b host --report none/report.json
rc_is 1 "a report without a folder is found before the burn"
out_empty "which does not begin"
echo 0 >step
: >"$out"
CLOCK_STEP=$work/step LD_PRELOAD=$(shim clock_shim) TT_SMI_CPU_LEVEL=baseline tt-smi -b host -dur 4 --threads 1 --workload matmul \
	--dtype float32 --report report.json >"$out" 2>"$err" </dev/null &
await has_text "$out" "Burning the host"
echo -1000 >step
wait $!
rc=$?
rc_is 0 "a clock that is set changes no duration"
out_has "The system's clock was moved by -" "and is told"
json "in the report too" "r['clock_moved_seconds'] < -1 and 3.9 < r['seconds'] < 300"
json "which names the level of the processor that was asked for" "r['cpu_level'] == 'baseline'"

for cards in "cards --root nowhere" "cards --load nowhere" "cards --sim nobody" "hsot"; do
	run tt-smi -b $cards --report early.json
	check "-b $cards: ends before the burn" [ $rc -ne 0 ]
	case $rc in
	2) check "and leaves no report" [ -z "$(ls | grep early)" ] ;;
	*) check "and its report says so" sh -c '[ "$(ls | grep early)" = early.json ] && grep -q "\"verdict\": \"INCOMPLETE\"" early.json' ;;
	esac
	rm -f early.json
done
echo '{ "verdict": "PASS" }' >early.json
TT_SMI_CPU_LEVEL=baseline run tt-smi -b host --impl avx512 --report early.json
rc_is 1 "an implementation that the processor lacks is refused"
check "and leaves no PASS of an earlier burn" grep -q '"verdict": "INCOMPLETE"' early.json
rm -f early.json
for words in "host --no-reset" "host --first-light" "host --block 9" "host --held" "host --phases 2" "host --local" \
	"host --workload memory --channels 2" "host --cases 8" "host --pcc 1" "host --workload fft" "host --threads 0" "host --pattern x" \
	"host --size 1G" "host --workload memory --size 1X" "host --workload memory --size 101%" \
	"host --workload memory --size 1M" "host --workload memory --size 8M --threads 16" "host --report -" "profile -" "generate -" "list --size 1G" "list -dur 3" "check --threads 2" "host --iterations 0"; do
	run tt-smi -b $words
	rc_is 2 "usage: -b $words"
done
check "and no file of that name is made" [ ! -e - ]
run tt-smi -b
rc_is 1 "a burn of nothing named is refused"
err_code nothing-named '-b' "and it says so"
run tt-smi -s --sim p150a --threads 2
rc_is 2 "--threads belongs to the burn-in"
done_testing
