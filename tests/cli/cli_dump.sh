# SPDX-License-Identifier: GPL-2.0-or-later
# -d and --finish as a user runs them: files, faults, signals, kills, full disks.
. "$top_srcdir/tests/rig/lib.sh"

python=$(command -v python3)

# csv_is_right DIR NAME / book_is_right DIR NAME: by Python's csv and by openpyxl
reads() {	# what name arguments...
	what=$1 name=$2
	shift 2
	if [ -z "$python" ]; then
		skip "$name" "no python3"
		return
	fi
	"$python" "$top_srcdir/tests/rig/dump_check.py" "$what" "$@" >"$out" 2>"$err"
	status=$?
	grep '^# ' "$out"
	if [ $status -eq 77 ]; then
		skip "$name" "python3 has no reader for it (openpyxl, pandas)"
	else
		result $status "$name"
	fi
}
csv_is_right() { reads csv "$2" "$1"; }
book_is_right() { reads book "$2" "$1" "$1/telemetry.xlsx"; }

card0=0_p150a_0000-01-00.0

# ---- a dump, its files and its workbook ----
run tt-smi -d -dir one -dur 0.5 -i 0.05 --sim p150a,n300
rc_is 0 "a dump of two cards ends by itself"
out_empty "a dump writes nothing to stdout"
err_has "dumping to one (simulated boards)" "that boards are simulated is said"
check "in the index as well" grep -q '"boards": "simulated"' one/index.json
check "and in each row, but not in the first line" sh -c \
	'! head -n 1 one/0_*.csv | grep -q simulated && ! tail -n +2 one/0_*.csv | grep -qv "; simulated"'
err_lacks "$(printf '\r')" "there is no status line without a terminal"
check "each deadline before the end has a sample or is counted as lost" test "$(sed -n \
	's/^tt-smi: \([0-9]*\) samples.* \([0-9]*\) lost.*/\1 + \2/p' "$err")" != "" -a "$(($(sed -n \
	's/^tt-smi: \([0-9]*\) samples.* \([0-9]*\) lost.*/\1 + \2/p' "$err")))" -eq 10
csv_is_right one "the CSV files are what the index says"
book_is_right one "every cell of the workbook is the CSV's"
reads summary "the summary's figures are Python's" one one/telemetry.xlsx
reads look "its sheets are frozen, ruled and a page wide" one one/telemetry.xlsx
reads pandas "pandas reads the same numbers" one
run tt-smi -d -dir warm -dur 0.3 -i 0.05 --sim p150a:hot,n150,p150a:hang
reads look "a hot and a dead card are marked, and empty columns hidden" warm warm/telemetry.xlsx
[ -z "$python" ] || out_has "# 4 lines of limits" "the limits of temperature and clock are in the charts"
check "nothing temporary is left behind" sh -c '! ls one | grep -v -e csv$ -e ^index.json$ -e ^telemetry.xlsx$'
run tt-smi -d -dir one -dur 1 --sim p150a
rc_is 1 "a folder that holds a dump is not written to"
err_code exists 'one' "and is named"
run tt-smi --finish one
check "a workbook that is there is never replaced" test -s one/telemetry-2.xlsx

TT_SMI_VIRTUAL_TIME=1795000000; export TT_SMI_VIRTUAL_TIME
run tt-smi -d -dur 5 --sim p150a
check "the default folder bears the time" test -s tt-smi-logs/tt-smi-dump_2026-11-18_11-06-40/index.json
run tt-smi -d -dur 5 --sim p150a
check "and is never used twice" test -s tt-smi-logs/tt-smi-dump_2026-11-18_11-06-40-2/index.json
run tt-smi -d -dir ten -dur 600 --sim '31*p150a,n300'
rc_is 0 "ten minutes of 32 boards"
check "has a row every half second" test "$(wc -l <ten/$card0.csv)" -eq 1201
check "and drifts by nothing" grep -q '^599.500000,' ten/$card0.csv
csv_is_right ten "ten minutes of 32 boards read well"
run tt-smi -d -dir few -dur 60 --sim '31*p150a:hang@10,n300'
book_is_right few "the workbook of 32 boards with faults is the CSVs'"
reads summary "and its summary is Python's" few few/telemetry.xlsx
reads look "and eight cards are in a chart, no more; those that are well need no paper" few few/telemetry.xlsx

# ---- fields ----
run tt-smi --fields help
rc_is 0 "the fields are listed"
out_has "fan_rpm" "with their keys"
run tt-smi -d -dir chosen -dur 5 --fields fan_rpm --sim p150a
check "--fields chooses what follows the guide's columns" \
	grep -q '^Timestamp (s),.*,Outlet Temp 2 (°C),Fan Speed (RPM),' chosen/$card0.csv
run tt-smi -d -dir power -dur 5 --fields power --sim p150a
head -n 1 power/$card0.csv >"$out"
sed -n 's/.*Outlet Temp 2 (°C),\(.*\)/\1/p' "$out" | tr -d '\r' >after
check "one of the guide's twelve adds nothing but the limits, Skew and State" grep -qx \
	'Core Voltage Max (V),AICLK Max (MHz),Core Current Limit (A),Core Power Limit (W),Throttle Temp (°C),Skew (ms),State' after
run tt-smi -d --ndjson -dur 0.4 --fields power,asic_temperature --sim p150a
out_has '"readings": {"power": 94, "asic_temperature": 43.359}}' "an NDJSON line has the fields that are named alone"
run tt-smi -d -dir utc -dur 5 --fields memory,identity,telemetry,firmware --utc --sim p150a
check "--utc adds the time of day after the guide's columns" \
	grep -q '^4.500000,.*,2026-11-18T11:06:44.500000Z,' utc/$card0.csv
check "an id of digits keeps its zeros" grep -q ',0x0[0-9a-f]*,0x' utc/$card0.csv
csv_is_right utc "the columns are the index's"
book_is_right utc "the workbook has them too"
reads look "with room for the time of day" utc utc/telemetry.xlsx
reads summary "and no average of what is counted" utc utc/telemetry.xlsx
run tt-smi -s --utc --sim p150a
rc_is 2 "--utc without a dump is a usage error"
run tt-smi -d -dir blind -dur 5 --sim n300:hang,e75:hang
head -n 1 blind/0_*.csv >"$out"
out_lacks "L2CPU" "a blind Wormhole lists no clusters of CPUs"
out_has "Heartbeat" "but what it may have"
head -n 1 blind/1_*.csv >"$out"
out_lacks "Board Power (W)" "and a Grayskull no board power"
run tt-smi -d -dir no -dur 5 --fields fan_rmp --sim p150a
rc_is 2 "a field that is not one is a usage error"
err_has "fan_rmp" "and is named"
check "before anything is made" test ! -e no

# ---- faults of cards ----
run tt-smi -d -dir fault -dur 60 --sim 'p150a:hang@10-20,n300'
rc_is 4 "a card that failed on the way makes the dump partial"
check "its rows say so" grep -q '^12.000000,,,.*failed: ' fault/$card0.csv
check "it goes on in its file when it is back" sh -c "tail -n 1 fault/$card0.csv | grep -q ',ok'"
check "the other card has every row" sh -c 'test $(grep -c ",ok" fault/1_n300*.csv) -eq 120'
csv_is_right fault "a dump with a fault reads well"
book_is_right fault "and so does its workbook"
reads summary "the summary's figures are Python's, energy without the gap" fault fault/telemetry.xlsx
run tt-smi -d -dir silent -dur 30 --sim 'p150a:stuck@10-20,n300'
rc_is 4 "so does one whose firmware stopped"
err_has "; 15 rows of cards that could not be read" "whose rows count as not read"
reads summary "what it left behind is in no energy and no time" silent silent/telemetry.xlsx
reads look "and it is marked as lost" silent silent/telemetry.xlsx
run tt-smi -d -dir first -dur 2 --record taken.rec --sim p150a
run tt-smi -d -dir over -dur 10 --replay taken.rec
rc_is 0 "a dump may be longer than a recording"
check "the rows after its end say so" test "$(grep -c \
	'ok; repeated; note: the recording is over: its last sample is shown; recorded' over/$card0.csv)" -gt 10
check "and no other row" test "$(grep -c 'ok; recorded' over/$card0.csv)" -ge 3
reads summary "they add no energy and no time" over over/telemetry.xlsx
reads look "and are no loss" over over/telemetry.xlsx
run tt-smi -s --sim p150a -f saved.json
run tt-smi -d -dir loaded -dur 2 --load saved.json
check "a loaded file has one sample alone" test "$(grep -c 'ok; repeated; loaded' loaded/$card0.csv)" -eq 4
reads summary "which is no energy either" loaded loaded/telemetry.xlsx
run tt-smi -d -dur 10 --ndjson --replay taken.rec
out_has '"health": "ok", "note": "the recording is over: its last sample is shown", "code": "recorded", "repeated": true' "a line of NDJSON says so as well"
run tt-smi -d -dir none -dur 5 --sim ''
check "without a card there is no dump" test ! -e none

# ---- rotation ----
run tt-smi -d -dir parts -dur 600 --rotate 60s --keep 3 --sim p150a
rc_is 0 "a dump in parts"
check "keeps the newest ones" test "$(ls parts/*.csv | wc -l)" -eq 3
check "which are the last" test -s parts/$card0.0010.csv
csv_is_right parts "each part has its header"
book_is_right parts "and the workbook holds what is kept"
for n in 10 09 08; do
	mv parts/$card0.00$n.csv parts/$card0.00$(printf '%02d' $((${n#0} + 1))).csv
done
sed 's/"complete": true/"complete": false/' parts/index.json >index && mv index parts/index.json
run tt-smi --finish parts
rc_is 0 "a dump cut off between a rotation and its index"
err_has ": 360 samples" "has every part in its workbook"
err_lacks "missing" "and misses none"
sed -i 1d parts/$card0.0011.csv
run tt-smi --finish parts
rc_is 4 "a part without its header is damaged"
err_code corrupt "parts/$card0.0011.csv" "and named"
err_has ": 359 samples" "with what else it has"
: >parts/$card0.0011.csv
run tt-smi --finish parts
rc_is 0 "one that a dump had just begun may be empty"
err_has ": 240 samples" "and adds nothing"
: >parts/$card0.0010.csv
run tt-smi --finish parts
rc_is 4 "one before it may not"
err_code not-found "parts/$card0.0010.csv" "and is named"
run tt-smi -d -dir ecc -dur 12 -i 1 --sim 'p150a:bitflip,p150a'
check "corrected memory errors that grow mark the rows from the first growth on" test \
	"$(sed 1d ecc/$card0.csv | sed 's/.*,"*//' | cut -d';' -f1 | uniq -c | tr -s ' \n' ' ')" = \
	" 5 ok 7 warn: gddr-growing "
check "and no row of the card beside it" sh -c '! grep -q gddr-growing ecc/1_*.csv'
unset TT_SMI_VIRTUAL_TIME

# ---- NDJSON ----
run env TT_SMI_VIRTUAL_TIME=1795252364 tt-smi -d --ndjson -dur 0.3 -i 0.1 --sim p150a,n300
rc_is 0 "a stream of objects"
check "as many of each card" test "$(grep -c '"index": 0' "$out")" -eq "$(grep -c '"index": 1' "$out")"
if command -v jq >/dev/null; then
	check "each with its readings" sh -c "jq -e '.readings.power > 0' '$out' | sort -u | grep -qx true"
else
	skip "each with its readings" "no jq"
fi
run env TT_SMI_VIRTUAL_TIME=1795252364 tt-smi -d --ndjson -dur 5 --sim p150a:stuck
rc_is 4 "a stream of a card whose firmware stopped is partial"
check "its lines say so, as those of files do" test \
	"$(grep -c '"health": "warn", "findings": \["heartbeat"\]' "$out")" -eq 5
err_code not-read '5 of 10' "and so does the last word"
(tt-smi -d --ndjson -i 0.01 --sim p150a 2>"$err" </dev/null; echo $? >code) | head -n 1 >"$out"
check "head ends it quietly" grep -qx 0 code
err_empty "without a word"

# ---- how a dump ends ----
tt-smi -d -dir eof -dur 0.4 -i 0.1 --sim p150a </dev/null 2>"$err"
check "the end of input is not Enter" awk -F, 'END { exit !($1 >= 0.25) }' eof/$card0.csv
tt-smi -d -dir closed -dur 0.3 -i 0.1 --sim p150a <&- >"$out" 2>"$err" &
wait $!
rc=$?
rc_is 0 "in the background and with stdin closed a dump runs until its time"
csv_is_right closed "and its files are in order"
# Under nohup, SIGHUP is ignored by all that is started, the tool included.
hangups='INT TERM HUP'
if [ $((0x$(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/$$/status) & 1)) -eq 1 ]; then
	hangups='INT TERM'
	skip "SIGHUP ends a dump well" "SIGHUP is ignored here"
fi
for s in $hangups; do
	tt-smi -d -dir sig$s -dur 60 -i 0.02 --sim p150a </dev/null >"$out" 2>"$err" &
	pid=$!
	await has_rows sig$s/$card0.csv 5
	kill -$s $pid
	wait $pid
	rc=$?
	rc_is 0 "SIG$s ends a dump well"
	if [ $s = TERM ]; then
		check "without a workbook, which takes time" test ! -e sig$s/telemetry.xlsx
	else
		check "with its workbook" test -s sig$s/telemetry.xlsx
	fi
done
if command -v script >/dev/null; then
	for key in '\n' q; do
		rm -rf tty keys
		mkfifo keys
		script -qec 'tt-smi -d -dir tty -i 0.05 --sim p150a; echo code $?' /dev/null <keys >"$out" 2>"$err" &
		pid=$!
		exec 3>keys
		await has_rows tty/$card0.csv 5
		# shellcheck disable=SC2059
		printf "$key" >&3
		wait $pid
		exec 3>&-
		out_has "code 0" "a key ends it on a terminal: $key"
	done
	run script -qec 'tt-smi -d -dir line -dur 2 -i 0.05 --sim p150a' /dev/null
	check "a terminal has a status line: elapsed, left, samples, late, lost, size" sh -c \
		"tr '\\r' '\\n' <'$out' | grep -qE '^0:00:0[01]  left 0:00:0[0-2]  [0-9]+ samples  [0-9]+ late  [0-9]+ lost  [0-9]+ kB '"
else
	skip "a key ends it on a terminal" "no script(1)"
fi

# ---- what stops and kills ----
tt-smi -d -dir stop -i 0.1 --sim p150a </dev/null >"$out" 2>"$err" &
pid=$!
await has_rows stop/$card0.csv 4
kill -STOP $pid
nap 0.5
kill -CONT $pid
await grep -q '; lost: ' stop/$card0.csv
kill -INT $pid
wait $pid
rc=$?
rc_is 0 "a dump that was stopped for a second goes on"
check "what it lost stands in the row after the gap" grep -q '; lost: [0-9]* before' stop/$card0.csv
csv_is_right stop "and no other gap is there"

for n in ${KILLS:-1 2 3 4 5}; do
	tt-smi -d -dir kill$n -i 0.01 --sim p150a,n300 </dev/null >"$out" 2>"$err" &
	pid=$!
	await has_rows kill$n/$card0.csv 2
	sleep "1.$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')"
	if [ -n "$python" ]; then
		"$python" "$top_srcdir/tests/rig/dump_check.py" kill kill$n $pid
	else
		kill -9 $pid
	fi
	wait $pid 2>/dev/null
	cp kill$n/$card0.csv whole
	sleep 0.1
	check "kill -9: nothing that was written goes away ($n)" cmp -s whole kill$n/$card0.csv
	reads killed "kill -9: every sample older than a second is there ($n)" kill$n
	run tt-smi --finish kill$n
	rc_is 0 "kill -9: the workbook is made afterwards ($n)"
	book_is_right kill$n "kill -9: and is the CSV's ($n)"
done
printf '9.0,1' >>kill1/$card0.csv
rm kill1/telemetry.xlsx
run tt-smi --finish kill1
rc_is 0 "a torn last line is no failure"
err_code corrupt '0_p150a_0000-01-00.0.csv' "but it is said"
book_is_right kill1 "and is not in the workbook"
run tt-smi --finish nowhere
rc_is 1 "--finish of what is no dump fails"
err_has "nowhere/index.json" "and names the file"

# ---- disks that fail ----
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=128k none small 2>/dev/null; then
	run tt-smi -d -dir small/d -i 0.001 -dur 20 --sim p150a
	rc_is 1 "a full disk ends the dump"
	err_code no-space 'small/d/0_p150a_0000-01-00.0.csv' "and is named"
	csv_is_right small/d "what was written is whole"
	run tt-smi --finish small/d
	rc_is 1 "a workbook that has no room is not made"
	check "and leaves nothing" sh -c '! ls small/d | grep -q xlsx'
	cp -r small/d roomy
	rm -r small/d
	for how in "" "--rotate 8k"; do
		run tt-smi -d -dir small/d -i 0.001 -dur 20 $how --sim '3*p150a'
		check "the index has room to say so $how" grep -q '"error": .*No space left' small/d/index.json
		rm -r small/d
	done
	umount small
	run tt-smi --finish roomy
	book_is_right roomy "it is made where there is room"
else
	skip "a full disk ends the dump" "needs root and a tmpfs"
fi
shim=$(shim eio_shim)
if [ -e "$shim" ] && LD_PRELOAD=$shim tt-smi -v >/dev/null 2>&1; then
	EIO_WRITES=8 LD_PRELOAD=$shim run tt-smi -d -dir eio -i 0.01 -dur 5 --sim p150a
	rc_is 1 "a write that fails ends the dump"
	err_code io-error "eio/$card0.csv" "and is told with the file"
	check "every row before it is there" test "$(wc -l <eio/$card0.csv)" -eq 8
	EIO_SYNCS=0 LD_PRELOAD=$shim run tt-smi -d -dir sync -i 0.05 -dur 5 --sim p150a
	rc_is 1 "a disk that cannot sync ends the dump"
	err_code io-error 'Input/output' "and is told"
	# Files change every second, so that a tick that waited for a sync would show.
	SLOW_SYNCS=${SLOW:-1} LD_PRELOAD=$shim run tt-smi -d -dir slow -i 0.1 -dur 3 --rotate 1s \
		--sim p150a
	rc_is 0 "a disk that takes long for a sync ends no dump"
	check "and no sample waits for it" sh -c 'cut -d, -f1 slow/0_*.csv | sort -n |
		awk "\$1 - last > 0.9 { bad = 1 } { last = \$1 } END { exit bad }"'
	csv_is_right slow "nor does anything get lost unsaid"
	check "the index is complete" grep -q '"complete": true' slow/index.json
else
	skip "a write that fails ends the dump" "the preloaded library does not work here (sanitizers?)"
fi
# Names that a user gave are plain text on stderr
odd=$(printf 'o\033[31mdd')
tt-smi -d -dir "$odd" -dur 0.1 -i 0.05 --sim p150a 2>"$err" </dev/null
rc=$?
rc_is 0 "a folder may have any name"
err_has 'o\x1b[31mdd' "and its escapes are written out"
tt-smi --finish "$odd" 2>>"$err"
check "nothing on stderr commands the terminal" sh -c "! grep -q '$(printf '\033')' '$err'"
done_testing
