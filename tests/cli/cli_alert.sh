# SPDX-License-Identifier: GPL-2.0-or-later
# Alerts of the configuration in a dump: what raises and clears them, where that is said, and
# --on-alert, whose program may do what it likes.
. "$top_srcdir/tests/rig/lib.sh"

now=1795000000	# virtual
card0=0_p150a_0000-01-00.0

rules() {	# line...: the configuration from now on
	printf '%s\n' '[alerts]' "$@" >conf
}
TT_SMI_CONFIG=$work/conf; export TT_SMI_CONFIG

# A program that says its facts, one line a run: what is between is the lines given.
program() {
	printf '%s\n' '#!/bin/sh' "$@" >prog
	chmod 755 prog
}
prog=$work/prog
says='{ printf "%s " "$TT_SMI_ALERT_NAME" "$TT_SMI_ALERT_STATE" "$TT_SMI_ALERT_CHIP"
	echo; } >>'"'$work/said'"

# Time stamps of the rows in which an alert was raised or cleared: "5.500000 raised: hot"
events() {	# file of the dump
	sed -n 's/^\([0-9.]*\),.*; alert \([a-z]*: [a-z]*\).*/\1 \2/p' "$1"
}

# ---- raised and cleared ----
rules 'hot = asic_temperature > 85 clear 80'
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir hot -dur 30 --sim 'p150a:hot@5-20,p150a'
rc_is 0 "a dump in which a card gets hot"
printf '%s\n' '5.500000 raised: hot' '20.500000 cleared: hot' >want
events hot/$card0.csv >here
check "the second hot sample raises the alert, the second cool one clears it" cmp want here
check "a row between the two says that there is one" \
	grep -q '^10\.000000,.*,warn: over-limit gddr-hot throttled alert; simulated' hot/$card0.csv
check "and one after them does not" sh -c "tail -n 1 hot/$card0.csv | grep -q ',ok; simulated'"
check "the card beside it has none" sh -c '! grep -q alert hot/1_*.csv'
err_has "alert hot raised: 0 p150a 0000:01:00.0: Core Temp 93.9 °C is above 85 °C" \
	"stderr says what was raised"
err_has "alert hot cleared: 0 p150a 0000:01:00.0: Core Temp 60.7 °C is not above 80 °C" "and cleared"
err_has "alerts: 1 raised, 1 cleared" "and how many there were"
check "the workbook has the rows" test -s hot/telemetry.xlsx

run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d --ndjson -dur 30 --sim 'p150a:hot@5-20,p150a'
check "an object of a stream has its alerts" test "$(grep -c '"alerts": ' "$out")" -eq 2
out_has '"timestamp": 5.5, "utc": "2026-11-18T11:06:45.500000Z", "index": 0, "board": "p150a", "bdf": "0000:01:00.0", "boards": "simulated", "health": "warn", "alerts": [{"name": "hot", "state": "raised"}]' \
	"the one in which they were raised"

rules 'hot = asic_temperature > 85 clear 80' 'gone = lost' 'slow=aiclk<500 clear 800' \
	'hotter = asic_temperature > 86 clear 80'
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir lost -dur 40 --sim 'p150a:hot@5-30:gone@10-20'
printf '%s\n' '10.500000 raised: gone' >want
events lost/$card0.csv | grep -e gone | head -n 1 >here
check "a card that goes is an alert of its own" cmp want here
check "and comes back" test "$(events lost/$card0.csv | grep -c 'cleared: gone')" -eq 1
check "what was raised before stays raised: it is not raised again" test \
	"$(grep -c '; alert raised: hot;' lost/$card0.csv)" -eq 1
check "and cleared once, after the card is back" test \
	"$(grep '; alert cleared: hot' lost/$card0.csv | cut -d. -f1)" -eq 30
err_has "alert gone raised: 0 p150a 0000:01:00.0: not on the bus any more" "it is said why"
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir stopped -dur 30 --sim 'p150a:stuck@5-20,p150a'
err_has "alert gone raised: 0 p150a 0000:01:00.0: firmware silent for" "so is one whose firmware has stopped"
err_has "alert gone cleared: 0 p150a 0000:01:00.0: it answers again" "until it goes on"
err_lacks "gone raised: 1" "the card beside it is not"

# Two reads of one sample of the firmware, which writes ten a second
rules 'hot = asic_temperature > 85 clear 80'
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir fast -i 0.02 -dur 3 --sim 'p150a:hot@1'
echo '1.120000 raised: hot' >want
events fast/$card0.csv >here
check "an alert takes two samples of the firmware" cmp want here
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir dead -i 0.5 -dur 8 --sim 'p150a:hot:stuck'
check "and none of firmware that has stopped" sh -c '! grep -q "alert raised" dead/*.csv'

# Flaps around both values without ever staying for two samples in a row
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir flap -dur 60 -i 1 \
	--sim "p150a$(i=3; while [ $i -lt 9 ]; do printf ':hot@%s.9-%s.1' $i $((i + 1)); i=$((i + 2)); done)"
check "three hot samples are in the dump" test \
	"$(grep -c over-limit flap/$card0.csv)" -eq 3
check "single samples beyond the threshold raise nothing" sh -c '! grep -q "alert raised: hot" flap/*.csv'

# ---- a recording ----
rules 'hot = asic_temperature > 85 clear 80' 'gone = lost'
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir taken -dur 30 --record taken.rec \
	--sim 'p150a:hot@5-20'
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir played -dur 60 --replay taken.rec
events taken/$card0.csv >want
events played/$card0.csv >here
check "a recording raises and clears what its cards did" sh -c 'test -s want && cmp want here'
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir again -dur 60 --replay taken.rec
check "each time it is played" cmp played/$card0.csv again/$card0.csv

# ---- what is wrong with a rule ----
rules 'hot = asic_temperature > 80 clear 85' 'odd = asic_temperatur > 1 clear 1' \
	'good = asic_temperature > 85 clear 80'
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir wrong -dur 30 --sim 'p150a:hot@5-20'
rc_is 0 "a line that is wrong ends no dump"
err_code bad-config "'hot'" "but is named, with what is wrong"
err_code bad-config "'asic_temperatur'" "each of them"
err_has "alert good raised" "the others hold"

# ---- --on-alert ----
rules 'hot = asic_temperature > 85 clear 80' 'gone = lost'
program 'env | grep ^TT_SMI_ALERT_ | sort >>facts; echo >>facts'
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir facts.d -dur 30 \
	--on-alert "$prog" --sim 'p150a:hot@5-20,n300:gone@8'
cat >want <<'EOW'
TT_SMI_ALERT_BDF=0000:01:00.0
TT_SMI_ALERT_BOARD=p150a
TT_SMI_ALERT_CHIP=0
TT_SMI_ALERT_FIELD=asic_temperature
TT_SMI_ALERT_NAME=hot
TT_SMI_ALERT_STATE=raised
TT_SMI_ALERT_TEXT=alert hot raised: 0 p150a 0000:01:00.0: Core Temp 93.9 °C is above 85 °C
TT_SMI_ALERT_THRESHOLD=85
TT_SMI_ALERT_TIME=2026-11-18T11:06:45.500000Z
TT_SMI_ALERT_UNIT=°C
TT_SMI_ALERT_VALUE=93.948

TT_SMI_ALERT_BDF=0000:02:00.0
TT_SMI_ALERT_BOARD=n300 L
TT_SMI_ALERT_CHIP=1
TT_SMI_ALERT_FIELD=
TT_SMI_ALERT_NAME=gone
TT_SMI_ALERT_STATE=raised
TT_SMI_ALERT_TEXT=alert gone raised: 1 n300 L 0000:02:00.0: not on the bus any more; it is read again when it is back
TT_SMI_ALERT_THRESHOLD=
TT_SMI_ALERT_TIME=2026-11-18T11:06:48.500000Z
TT_SMI_ALERT_UNIT=
TT_SMI_ALERT_VALUE=

TT_SMI_ALERT_BDF=0000:01:00.0
TT_SMI_ALERT_BOARD=p150a
TT_SMI_ALERT_CHIP=0
TT_SMI_ALERT_FIELD=asic_temperature
TT_SMI_ALERT_NAME=hot
TT_SMI_ALERT_STATE=cleared
TT_SMI_ALERT_TEXT=alert hot cleared: 0 p150a 0000:01:00.0: Core Temp 60.7 °C is not above 80 °C
TT_SMI_ALERT_THRESHOLD=80
TT_SMI_ALERT_TIME=2026-11-18T11:07:00.500000Z
TT_SMI_ALERT_UNIT=°C
TT_SMI_ALERT_VALUE=60.746

EOW
check "the program has the facts of each, in order" diff want facts
err_has "--on-alert: $prog ran 3 times" "and it is said how often it ran"

program "$says"
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir many -dur 12 --on-alert "$prog" --sim '32*p150a:hot@5'
check "32 cards that get hot at once are 32 runs" test "$(sort -u said | grep -c '^hot raised [0-9]* $')" -eq 32
check "and 32 rows" test "$(grep -h -c '; alert raised: hot' many/*.csv | grep -cx 1)" -eq 32
err_has "alerts: 32 raised, 0 cleared" "none is lost"

refused() {	# exit code, what is said, name; arguments
	code=$1 words=$2 name=$3
	shift 3
	run tt-smi -d -dir refused -dur 1 --sim p150a "$@"
	rc_is "$code" "$name"
	err_has "$words" "$name: and is told why"
	check "$name: before anything is made" test ! -e refused
}
refused 2 "has to be an absolute path" "a program is not looked for in PATH" --on-alert true
refused 2 "has to be an absolute path" "nor in the current folder" --on-alert ./prog
refused 1 "nowhere: cannot be run: No such file" "a program that does not exist is refused" --on-alert "$work/nowhere"
refused 2 "not a regular file" "so is a folder" --on-alert "$work"
chmod 644 prog
refused 1 "cannot be run: Permission denied" "one that may not be run" --on-alert "$prog"
chmod 4755 prog
refused 2 "rights of somebody else" "one that is set-user-ID" --on-alert "$prog"
chmod 755 prog
if [ "$(id -u)" -eq 0 ]; then
	mkdir theirs open group && cp prog theirs && cp prog open && cp prog group
	cp prog their-prog && cp prog open-prog && chmod 775 group
	chown 65534 theirs their-prog && chmod o+w open open-prog
	ln -s "$prog" their-link && chown -h 65534 their-link
	ln -s "$work/theirs/prog" way
	for odd in theirs/prog open/prog group/prog their-prog open-prog their-link way; do
		refused 6 "not used by root: " "root does not run $odd" --on-alert "$work/$odd"
	done
else
	skip "programs of others" "not root"
fi
rules
refused 2 "does nothing without alerts" "and any, where there is no alert" --on-alert "$prog"
run tt-smi -s --on-alert "$prog" --sim p150a
rc_is 2 "--on-alert is for dumps"
rules 'hot = asic_temperature > 85 clear 80'

# ---- a program that does what it likes ----
seen() { [ -s "$work/pid" ]; }
lives() { kill -0 "$(cat "$1")" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$(cat "$1")/status" 2>/dev/null; }
dies() { ! lives "$1"; }

odd() {	# name, what is said of it, lines of the program...
	name=$1 words=$2
	shift 2
	rm -rf pid second odd
	program "echo \$\$ >'$work/pid'" "$@"
	run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir odd -dur 30 --on-alert "$prog" \
		--sim 'p150a:hot@5'
	rc_is 0 "$name: the dump is not harmed"
	check "$name: nor its files" test "$(wc -l <odd/$card0.csv)" -eq 61
	out_empty "$name: stdout is ours alone"
	err_has "$words" "$name: it is said"
	check "$name: nothing of it is left" await dies pid
}
odd "one that fails" "ran 1 time; 1 failed, the last: exit code 7" 'exit 7'
odd "one that is killed" "1 failed, the last: killed by signal 9" 'kill -9 $$'
odd "one that hangs" "still running, and ended" 'trap "" TERM INT HUP; sleep 600 & echo $! >'"'$work/second'" 'wait; sleep 600'
check "one that hangs: nor what it started" await dies second
odd "one that forks away" "ran 1 time" "setsid sh -c 'echo \$\$ >$work/second; exec sleep 600' >&- 2>&- &" \
	"until [ -s '$work/second' ]; do sleep 0.01; done"
check "one that forks away: nothing goes on behind our back" await dies second
odd "one that talks" "ran 1 time" 'exec 0<&-; head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2'
odd "one that kills its parent" "ran 1 time" 'kill -9 $PPID; sleep 600'
odd "one that goes away" "ran 1 time" "rm '$prog'"

# ---- a dump that ends otherwise ----
program "echo \$PPID >'$work/second'" "echo \$\$ >'$work/pid'" 'exec sleep 600'
rm -f pid second
tt-smi -d -dir killed -i 0.05 --on-alert "$prog" --sim p150a:hot </dev/null >"$out" 2>"$err" &
pid=$!
check "a program runs beside a dump" await seen
kill -9 $pid
wait $pid 2>/dev/null
check "kill -9: it ends with it" await dies pid
check "and so does the process that ran it" await dies second

for s in INT TERM; do
	rm -f pid
	tt-smi -d -dir "by$s" -i 0.05 --on-alert "$prog" --sim p150a:hot </dev/null >"$out" 2>"$err" &
	pid=$!
	await seen
	rows=$(wc -l <"by$s/$card0.csv")
	more() { [ "$(wc -l <"by$s/$card0.csv")" -gt $((rows + 5)) ]; }
	check "SIG$s: no row waits for it" await more
	kill -$s $pid
	wait $pid
	rc=$?
	rc_is 0 "SIG$s: a program that hangs does not keep it"
	check "SIG$s: and is ended" dies pid
done

# ---- a stderr that nobody reads, and one that is a terminal ----
for i in $(seq 32); do echo "rule-$i = aiclk > 1 clear 1"; done >lines
{ echo '[alerts]'; cat lines; } >conf
mkfifo unread
exec 3<>unread
TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir unread.d -dur 30 --sim '32*p150a' </dev/null >"$out" 2>unread
rc=$?
exec 3<&-
rc_is 0 "more than a stderr that nobody reads can take delays no dump"
check "each of 1024 alerts is in the rows all the same" test \
	"$(cat unread.d/*.csv | grep -o '; alert raised: rule-' | wc -l)" -eq 1024
{ echo '[alerts]'; cat lines; echo 'one-more = lost'; } >conf
run env TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir more -dur 1 --sim p150a
err_code bad-config "$work/conf" "one too many is named"
run tt-smi --config-check "$work/conf"
rc_is 5 "and is wrong for --config-check"
out_has "$work/conf:34: at most 32 alerts can be watched" "which names it, too"
rules 'hot = asic_temperature > 85 clear 80'
if command -v script >/dev/null; then
	run_typed "TT_SMI_VIRTUAL_TIME=$now tt-smi -d -dir tty -dur 10 --sim p150a:hot@5"
	check "on a terminal the status line makes room for what is said" \
		grep -q "$(printf '\r\033')\[Ktt-smi: alert hot raised: 0 p150a" "$out"
else
	skip "on a terminal the status line makes room for what is said" "no script(1)"
fi

if [ -e /dev/full ]; then
	program "$says"
	run sh -c "tt-smi -d --ndjson -i 0.05 -dur 2 --on-alert '$prog' --sim p150a:hot >/dev/full"
	rc_is 1 "a stdout that is full ends the stream"
fi
program "echo \$\$ >'$work/pid'" 'exec sleep 600'
rm -f pid
(tt-smi -d --ndjson -i 0.05 --on-alert "$prog" --sim p150a:hot 2>"$err" </dev/null; echo $? >code) | {
	await seen
	head -n 5 >/dev/null
}
check "a reader of stdout that goes away ends it quietly" grep -qx 0 code
check "with the program" dies pid
rm -f pid
tt-smi -d -dir closed -i 0.05 -dur 2 --on-alert "$prog" --sim p150a:hot <&- >&- 2>&-
rc=$?
rc_is 0 "without any of the three descriptors it is the same"
check "the program ran" seen
check "and is gone" dies pid
check "no row went astray" test "$(grep -c '; alert raised: hot' closed/$card0.csv)" -eq 1

if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
	program "$says"
	rm -f said
	run tt-smi -d -dir small/d -i 0.001 -dur 60 --on-alert "$prog" --sim p150a:hot
	umount small
	rc_is 1 "a full disk ends the dump"
	check "but not before the program had run" test "$(cat said)" = "hot raised 0 "
else
	skip "a full disk ends the dump" "needs root and a tmpfs"
fi
done_testing
