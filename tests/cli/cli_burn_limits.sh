# SPDX-License-Identifier: GPL-2.0-or-later
# What ends a burn for its machine's sake, on a made-up tree whose sensors change
# while it burns; and that nobody who reads its lines, or stops it, keeps it.
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

hwmon=tree/sys/class/hwmon/hwmon0
temp() { echo "$1" >$hwmon/new && mv $hwmon/new $hwmon/temp1_input; }
tree() {
	rm -rf tree
	mkdir -p $hwmon
	echo coretemp >$hwmon/name
	echo "Package id 0" >$hwmon/temp1_label
	echo 100000 >$hwmon/temp1_crit
	temp 50000
}
export TT_SMI_BURNIN_DWELL=4	# first figures within seconds, however slow the processor is
burn="tt-smi -b host --threads 1 --workload matmul --dtype float32 --report report.json"

begin() {	# options: burns in the background, at little load, until its first figures
	rm -f report.json
	: >burn.out
	$burn --pattern ramp "$@" >burn.out 2>burn.err &
	pid=$!
	await_of $pid has_text burn.out GFLOP
}
finish() {
	wait $pid
	rc=$?
	cp burn.out "$out" && cp burn.err "$err"
}

tree
run $burn --root tree --iterations 1
rc_is 0 "a sensor that is cool enough ends nothing"
out_lacks "not watched" "and is watched"
json "the report says at which temperature it would have ended" \
	"r['stop_rules'] == [{'rule': 'coretemp Package id 0: ends the burn at 100.0 °C', 'applied': True}]"
json "and what the sensor told" \
	"r['host_sensors'][0]['sensor'] == 'coretemp Package id 0' and r['host_sensors'][0]['most'] == 50 and r['host_sensors'][0]['limit'] == 100"

begin --root tree -dur 1000
temp 100000
finish
rc_is 4 "a sensor at its critical temperature ends the burn"
verdict_is host INCOMPLETE too-hot "with its reason"
out_has "coretemp Package id 0 is at 100.0" "and the sensor"
json "long before its time" "r['seconds'] < 900 and r['verdict'] == 'INCOMPLETE' and r['targets'][0]['words_verified'] > 0"
json "the report has the way up" "r['host_sensors'][0]['least'] == 50 and r['host_sensors'][0]['most'] == 100"
tree
TT_SMI_BURNIN_FAULT=output begin --root tree -dur 1000
await_of $pid has_line burn.out " [1-9][0-9]* wrong"
temp 100500
finish
rc_is 5 "with a wrong word it is FAIL all the same"
verdict_is host FAIL wrong-words "which names the words"
out_has "coretemp Package id 0 is at 100.5" "and the temperature"

tree
begin --root tree -dur 1000 --max-temp 60
temp 60000
finish
rc_is 4 "--max-temp ends it earlier"
verdict_is host INCOMPLETE too-hot "and says so"
json "the command to run it again has it, too" "'--max-temp 60' in r['command']"
tree
begin --root tree -dur 1000 --max-temp 60
rm $hwmon/temp1_input
finish
rc_is 4 "a sensor that is removed meanwhile ends it as well"
verdict_is host INCOMPLETE not-watched "for that reason"
tree
begin --root tree -dur 5 --max-temp 60
rm $hwmon/temp1_input
finish
rc_is 4 "nor does a burn pass that comes to its end before that"
verdict_is host INCOMPLETE not-watched "since its end was not watched"
tree
echo 40000 >$hwmon/temp2_input
begin --root tree -dur 5 --max-temp 60
rm $hwmon/temp2_input
finish
rc_is 4 "one of two sensors that is removed is no PASS either"
verdict_is host INCOMPLETE not-watched "is not watched"
out_has "coretemp temp2" "and is named"
out_has "not watched: coretemp temp2: its temperature is not known" "with what was not watched"

mkdir empty
run $burn --root empty --iterations 1
rc_is 0 "a machine without sensors can pass"
out_has "not watched: host temperature: there is no sensor" "but is told that nobody watched"
json "in the report too" "r['stop_rules'] == [{'rule': 'host temperature: there is no sensor', 'applied': False}]"
run $burn --root empty --iterations 1 --max-temp 60
rc_is 4 "a limit that was asked for and cannot be watched is no PASS"
verdict_is host INCOMPLETE not-watched "and says so"
for junk in 0 hot -300000 4294967295 ''; do
	tree
	temp "$junk"
	run $burn --root tree --iterations 1
	rc_is 0 "a sensor that says '$junk' ends nothing"
	out_has "not watched: coretemp Package id 0: its temperature is not known" "and is not believed"
	json "nor printed" "r['host_sensors'][0]['most'] is None"
done

# Cards that are in the same machine.
run $burn --sim p100a,p150a:hot -dur 1000
rc_is 4 "a card over its limit ends the burn of the host"
verdict_is host INCOMPLETE too-hot "since it is too hot"
out_has "card 1 0000:02:00.0 is at " "and is named"
run $burn --sim p100a,p150a:hang --iterations 1
rc_is 0 "a card that does not answer ends nothing"
out_has "not watched: card 1 0000:02:00.0" "but is not watched"

# A program that is stopped cannot watch: the load rests until it goes on.
cpu_time() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
rests() {	# the load's own process gets no processor any more
	local was=
	for _ in $(seq 60); do
		was=$(cpu_time "$1")
		nap 0.9
		[ $(($(cpu_time "$1") - was)) -gt 4 ] || return 0
	done
	return 1
}
load_of() {	# the process of a burn that has the threads of the load
	ps -o nlwp=,pid= --ppid "$1" | sort -n | tail -n 1 | awk '{ print $2 }'
}
for kind in matmul "memory --size 64M"; do
	rm -f report.json
	: >burn.out
	# shellcheck disable=SC2086
	$burn --root empty --threads 2 -dur 9 --workload $kind >burn.out 2>burn.err &
	pid=$!
	await_of $pid has_line burn.out 'GFLOP|GB/s of memory'
	load=$(load_of $pid)
	kill -STOP $pid
	check "the load rests while the program is stopped ($kind)" rests "$load"
	kill -CONT $pid
	finish
	rc_is 0 "and comes to its end afterwards"
	json "which says how long it rested" "r['rested_seconds'] > 0.5"
done

# Nobody reads: no line is waited for, and the report is there in time.
mkfifo fifo
rm -f report.json
sleep 1000 <fifo &
reader=$!
$burn --root empty --iterations 1 >fifo 2>burn.err &
pid=$!
exec 9>fifo
dd if=/dev/zero of=/dev/fd/9 bs=4096 count=1000 oflag=nonblock 2>/dev/null
await has_text report.json '"verdict": "PASS"'
json "a pipe that is full keeps neither the load nor the report" "r['verdict'] == 'PASS'"
kill -TERM $pid
finish
rc_is 0 "and whoever has the verdict may stop waiting for the pipe"
# After a SIGINT the verdict waits for the reader, too.
name="a SIGINT beside a pipe that is full for a while: the verdict is written"
rm -f report.json
(await [ -s report.json ]; nap 0.9; : >begun) &	# and the load has begun
[ $py = none ] && skip "$name" "no python3" || check "$name" \
	$py "$top_srcdir/tests/rig/late_reader.py" 4 "host: INCOMPLETE: stopped before its end" \
	tt-smi -b host --threads 1 --workload matmul --dtype float32 --report report.json
kill $reader
exec 9>&-
run sh -c "$burn --root empty --iterations 1 >/dev/full"
rc_is 1 "lines that cannot be written are a failure"
err_code no-space 'stdout' "which is named"
done_testing
