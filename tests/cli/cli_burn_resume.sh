# SPDX-License-Identifier: GPL-2.0-or-later
# --resume: a burn goes on where the process before it ended.
. "$top_srcdir/tests/rig/lib.sh"

py=python3
command -v $py >/dev/null || py=none

json() {	# name expression of the report r
	if [ $py = none ]; then
		skip "$1" "no python3"
	else
		check "$1" $py -c "import json; r = json.load(open('report.json')); t = r['targets'][0]; assert $2, r"
	fi
}

export TT_SMI_BURNIN_DWELL=64	# blocks of each operands, of 512
load="--threads 1 --workload matmul,memory --size 8M --dtype float32 --resume soak.burn"

counter() {	# the n-th of the first worker in the file: 1 rounds, 2 errors, 3 words
	sed -n 's/^worker //p' soak.burn 2>/dev/null | head -n 1 | cut -d ' ' -f "$1"
}

begin() {	# options: in the background, until a round has been done and stands in the file
	: >burn.out
	# shellcheck disable=SC2086
	tt-smi -b host $load "$@" >burn.out 2>burn.err &
	pid=$!
	await_of $pid has_line burn.out "round ([2-9]|[1-9][0-9])"
}

# Stopped.
begin --iterations 400
kill -INT $pid
wait $pid
rc=$?
rc_is 4 "a burn that is stopped is INCOMPLETE"
rounds=$(counter 1)
check "its rounds stand in the file" [ "${rounds:-0}" -ge 1 ]
words=$(counter 3)
sed "s/^elapsed .*/elapsed 0/" soak.burn >stopped
# shellcheck disable=SC2086
run tt-smi -b host $load --iterations 401 --report report.json
rc_is 4 "other settings are refused"
verdict_is host INCOMPLETE other-settings "for that reason"
out_has "iterations 400, not iterations 401" "with what differs"
check "and the file stays" [ -s soak.burn ]
# shellcheck disable=SC2086
run tt-smi -b host $load --iterations 400 --seed 5 --report report.json
verdict_is host INCOMPLETE other-settings "another seed too"
seed=$(sed -n 's/^settings seed \([0-9]*\);.*/\1/p' soak.burn)
out_has "seed $seed, not seed 5" "both are named"

# The same file with a few rounds less to do; the hash is made again, as a thief would.
seal() {	# stdin: lines without a hash
	cat >lines
	printf 'sha256 %s\n' "$(sha256sum lines | cut -d ' ' -f 1)" >hash
	cat lines hash >soak.burn
}
grep -v '^sha256' soak.burn | sed "s/iterations 400/iterations $((rounds + 2))/" | seal
# shellcheck disable=SC2086
run tt-smi -b host $load --iterations $((rounds + 2)) --report report.json
rc_is 0 "it goes on to its end"
out_has "Continues after " "and says that it does"
json "with the seed of the file, also in the command" \
	"r['settings']['seed'] == hex($seed) and r['command'].endswith(' --seed $seed')"
json "with the rounds of both together" "t['rounds'] == $rounds + 2 and r['runs_before'] == 1"
json "and the words of both" \
	"t['words_verified'] >= $words + 2 * 6 * $TT_SMI_BURNIN_DWELL * t['words_verified'] / t['work'][0]['blocks']"
json "and with the next pass of memory" "t['memory']['passes'] >= $rounds + 2"
check "at its own end the file goes" [ ! -e soak.burn ]

# Killed.
begin -dur 90
counts() { [ "$(counter 1)" ] && [ "$(counter 1)" -ge 1 ]; }
await_of $pid counts
kill -KILL $pid
wait $pid 2>/dev/null
check "kill -9 leaves what was written before" [ "$(counter 3)" -gt 0 ]
rounds=$(counter 1)
elapsed=$(sed -n 's/^elapsed //p' soak.burn)
grep -v '^sha256' soak.burn | sed "s/duration 90 s/duration $((elapsed / 1000000000 + 2)) s/" | seal
# shellcheck disable=SC2086
run tt-smi -b host $load -dur $((elapsed / 1000000000 + 2)) --report report.json
rc_is 0 "and it goes on from there"
json "for the time that was left" \
	"r['seconds_before'] == $elapsed / 1e9 and t['rounds'] >= $rounds and r['runs_before'] == 1"

# What was wrong stays wrong.
TT_SMI_BURNIN_FAULT=output
export TT_SMI_BURNIN_FAULT
begin -dur 90
unset TT_SMI_BURNIN_FAULT
check "a wrong word stands in the file at once" [ "$(counter 2)" -ge 1 ]
kill -KILL $pid
wait $pid 2>/dev/null
cp soak.burn kept
sed -n 's/^elapsed //p' soak.burn >elapsed
left=$(($(cat elapsed) / 1000000000 + 2))
grep -v '^sha256' kept | sed "s/duration 90 s/duration $left s/" | seal
# shellcheck disable=SC2086
run tt-smi -b host $load -dur $left --report report.json
rc_is 5 "and fails what continues it"
json "with the word that it was" \
	"r['verdict'] == 'FAIL' and r['errors'] >= 1 and t['mismatches'][0]['what'] == 'output' and int(t['mismatches'][0]['xor'], 16) > 0"

# A fault of the load itself, too.
rm -f soak.burn
# shellcheck disable=SC2086
TT_SMI_BURNIN_FAULT=segv run tt-smi -b host $load --iterations 2 --report report.json
rc_is 5 "a load that ends by SIGSEGV fails"
check "and its file is kept" [ -s soak.burn ]
# shellcheck disable=SC2086
run tt-smi -b host $load --iterations 2 --report report.json
rc_is 5 "and so does what continues it, to its end"
json "which says why" \
	"r['verdict'] == 'FAIL' and t['reason'].startswith('an earlier process of this burn: the load ended by signal 11')"

# What no later process can make good: a gap.  The processors are part of the settings.
begin -dur 90
await_of $pid counts
kill -KILL $pid
wait $pid 2>/dev/null
left=$(($(sed -n 's/^elapsed //p' soak.burn) / 1000000000 + 2))
grep -v '^sha256' soak.burn | sed "s/duration 90 s/duration $left s/" >whole
sed '/^workers /a gap thread 0 was moved from CPU 0 to CPU 1' whole | seal
# shellcheck disable=SC2086
run tt-smi -b host $load -dur $left --report report.json
rc_is 4 "a burn with a gap in an earlier process does not pass"
verdict_is host INCOMPLETE not-covered "but is INCOMPLETE"
out_has "an earlier process of this burn: thread 0 was moved from CPU 0 to CPU 1" "with the reason"
sed 's/;CPU [0-9]*/;CPU 9999/' whole | seal
# shellcheck disable=SC2086
run tt-smi -b host $load -dur $left --report report.json
verdict_is host INCOMPLETE other-settings "a burn is not continued on another processor"
out_has "CPU 9999, not CPU " "which is named"

# What is not to be believed.
refused() {	# name code of the reason
	# shellcheck disable=SC2086
	run tt-smi -b host $load -dur 90 --report report.json
	rc_is 4 "$1 is refused"
	verdict_is host INCOMPLETE "$2" "$1: with the reason"
	check "and the file is left alone" [ -e soak.burn ]
}
grep -v '^sha256' kept | sed 's/^host .*/host elsewhere, x86_64, none, machine 0/' | seal
refused "a file of another host" other-settings
for workers in 64 1024; do
	grep -v '^sha256' kept | awk -v n=$workers '/^workers/ { print "workers " n; next }
		/^worker / { for (i = 0; i < n; i++) print; next } { print }' | seal
	refused "a file of $workers workers" other-settings
done
sed 's/^runs 1/runs 2/' kept >soak.burn
refused "a changed file" corrupt
sed '1s/ 3$/ 2/' kept | grep -v '^sha256' | seal
refused "a file of another version" other-version
head -c 300 kept >soak.burn
refused "half a file" corrupt
: >soak.burn
refused "an empty file" invalid
rm soak.burn
mkdir soak.burn
# shellcheck disable=SC2086
run tt-smi -b host $load -dur 90
rc_is 4 "a folder of that name is refused"
rmdir soak.burn
run tt-smi -b host --threads 1 --workload matmul --iterations 1 --resume none/soak.burn
rc_is 4 "a file that cannot be written is found out before the burn"
out_lacks "GFLOP/s" "which does not begin"

# Two burns with one file: the second one is refused, and the first never knows.
begin -dur 90
# shellcheck disable=SC2086
run tt-smi -b host $load -dur 90 --report report.json
rc_is 4 "a file that another burn goes on with is refused"
verdict_is host INCOMPLETE held "for that reason"
out_has "process $pid" "with the process that has it"
kill -INT $pid
wait $pid
rc=$?
rc_is 4 "the first one went on"
# shellcheck disable=SC2086
run tt-smi -b host $load -dur 0.1 --report report.json
verdict_is host INCOMPLETE other-settings "and let go of the file at its end"
rm soak.burn
# Also in the seconds before its first round is done.
: >burn.out
# shellcheck disable=SC2086
tt-smi -b host $load -dur 90 >burn.out 2>burn.err &
pid=$!
await_of $pid [ -e soak.burn ]
# shellcheck disable=SC2086
run tt-smi -b host $load -dur 90 --report report.json
verdict_is host INCOMPLETE held "from the moment that it is there"
kill -KILL $pid
wait $pid 2>/dev/null

# What is made before the load, and a dump's last tick after it, are no time of load.
ns() { sed -n 's/^elapsed //p' soak.burn; }
rm soak.burn
for nth in first second; do
	rm -f report.json
	# shellcheck disable=SC2086
	tt-smi -b host $load -dur 90 --report report.json >burn.out 2>burn.err &
	pid=$!
	await_of $pid [ -e report.json ] && await_of $pid [ -e soak.burn ]
	kill -INT $pid
	wait $pid
	check "a burn that is stopped at its beginning ($nth) keeps no time but its load's ($(ns))" \
		[ "$(ns)" -lt 60000000000 ]
	json "as its report has it" "t['coverage']['seconds']['done'] * 1e9 - $(ns) < 1e6"
done
rm soak.burn
begin -dur 90 -d -i 10 --sim p100a --report report.json
kill -INT $pid
wait $pid
json "nor does a dump that waits for its last tick add to it ($(ns))" \
	"$(ns) <= r['seconds'] * 1e9 + 1e6"
rm soak.burn

# Its own file is not written over.
cp kept soak.burn
ln -s soak.burn linked
for report in ./soak.burn linked; do
	# shellcheck disable=SC2086
	run tt-smi -b host $load -dur 90 --report $report
	rc_is 2 "a report in the place of the checkpoint ($report) is refused"
	err_has "--report $report: the burn is continued from this file (--resume)" "with the reason"
done
check "and the file is left as it was" cmp kept soak.burn
rm soak.burn linked

# The pattern of the load begins anew with its process.
ramp="tt-smi -b host --threads 1 --workload matmul --dtype float32 --pattern ramp -dur 90 --resume ramp.burn"
due() {	# the first share of the load that a line says is due
	sed -n 's/.* \([0-9]*\)[0-9.]* % of the load is due.*/\1/p' burn.out | head -n 1
}
ramp_until() {	# this line is there
	: >burn.out
	$ramp >burn.out 2>burn.err &
	pid=$!
	await_of $pid has_line burn.out "$1"
	kill -INT $pid
	wait $pid
}
ramp_until '^ *1[0-9] s .*is due'
ramp_until 'is due'
check "of a ramp that is continued no more is due than the load does ($(due) %)" [ "$(due)" -lt 10 ]

# Without a name.
: >burn.out
tt-smi -b host --threads 1 --workload matmul --dtype float32 -dur 90 --resume >burn.out 2>burn.err &
pid=$!
await_of $pid has_text burn.out GFLOP
kill -INT $pid
wait $pid 2>/dev/null
check "a burn that is given no name for it keeps burnin-checkpoint" [ -s burnin-checkpoint ]

# The usual name is nobody's word: not in a folder, nor of a file, that belongs to somebody else.
if [ "$(id -u)" = 0 ]; then
	usual="tt-smi -b host --threads 1 --workload matmul --dtype float32 --iterations 1 --resume"
	mkdir theirs && chown 65534 theirs && cd theirs || exit 99
	run $usual
	rc_is 4 "the usual name in a stranger's folder is refused"
	out_has "host: INCOMPLETE: burnin-checkpoint: this folder is another user's" "with the reason"
	check "and nothing is written there" [ -z "$(ls)" ]
	run $usual own
	rc_is 0 "a name that was typed is taken"
	cd .. && mkdir ours && cp kept ours/burnin-checkpoint && chown 65534 ours/burnin-checkpoint && cd ours || exit 99
	run $usual
	rc_is 4 "so is a stranger's file of that name"
	out_has "host: INCOMPLETE: burnin-checkpoint: is another user's" "with the reason"
	cd ..
else
	skip "the usual name in a stranger's folder is refused" "only root can give folders away"
fi

# A disk that needs 3 s for each sync: the burn goes on meanwhile.
shim=$(shim eio_shim)
if [ -e "$shim" ] && LD_PRELOAD=$shim tt-smi -v >/dev/null 2>&1; then
	SLOW_SYNCS=3 LD_PRELOAD=$shim run tt-smi -b host --threads 1 --workload matmul --dtype float32 --pattern pulse -dur 8 --resume slow.burn
	rc_is 0 "a slow disk"
	lines=$(grep -c ' s .* round' "$out")
	check "keeps no line of the burn waiting ($lines of 7 seconds)" [ "$lines" -ge 5 ]
else
	skip "a slow disk keeps no line of the burn waiting" "the shim cannot be preloaded"
fi

# A load that is stopped: its time stands still, and nobody else is blamed for it.
burner() {	# the child whose threads have used the most time
	ps -o cputimes=,pid= --ppid "$1" | sort -n | tail -n 1 | awk '{ print $2 }'
}
: >burn.out
tt-smi -b host --threads 1 --workload matmul --dtype float32 --pattern pulse -dur 4 --report report.json >burn.out 2>burn.err &
pid=$!
await_of $pid has_text burn.out GFLOP
child=$(burner $pid)
kill -STOP "$child"
await has_text burn.out 'the load is stopped'
check "a load that is stopped is told of" grep -q 'the load is stopped from outside (SIGSTOP)' burn.out
figures=$(grep -c GFLOP burn.out)
sleep 9
check "figures that are no longer true are not repeated" [ "$(grep -c GFLOP burn.out)" = "$figures" ]
kill -CONT "$child"
wait $pid
rc=$?
cp burn.out "$out" && cp burn.err "$err"
rc_is 0 "it passes when it was continued"
out_has "the load goes on" "which is told as well"
out_has "the load was stopped (SIGSTOP) for " "and so is the time"
json "its time is what it burnt" "r['stopped_seconds'] > 8 and r['seconds'] > r['stopped_seconds'] + 2 and r['errors'] == 0"
# What is no file is refused, and not waited for.
mkfifo pipe
run timeout -s KILL 60 tt-smi -b host --threads 1 --iterations 1 --workload matmul --dtype float32 --resume pipe
rc_is 4 "a pipe is refused"
out_has "pipe: is not a file but a FIFO" "with the reason"
done_testing
