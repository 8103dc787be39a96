# SPDX-License-Identifier: GPL-2.0-or-later
# Warm reset from outside: right verdict, exit code and words for every way that
# a reset can go; the reasons against it; nothing left locked, nothing left behind.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_VIRTUAL_TIME=1795000000

reset() {	# SPEC options: what comes of it stands in $out, $err, $rc
	spec=$1
	shift
	run timeout 60 tt-smi --sim "$spec" "$@"
}

# board:fault, driver or -, verdict, exit code, words of the output, code of the reason
while IFS='|' read -r spec driver verdict code words reason; do
	[ "$driver" = - ] || export TT_SMI_SIM_DRIVER="$driver"
	reset "$spec" -r --report report.json
	unset TT_SMI_SIM_DRIVER
	name="$spec, driver $driver"
	rc_is "$code" "$name: exit code"
	out_has " $verdict in " "$name: $verdict"
	[ -z "$words" ] || out_has "$words" "$name: says '$words'"
	check "$name: code ${reason:-null}" has_text report.json '"code": '"${reason:+\"}${reason:-null}${reason:+\"}"
	check "$name: at most 2 KB for a card" test "$(cat "$out" "$err" | wc -c)" -le 2048
done <<'TABLE'
n150|-|recovered|0|fire ASIC_RESET
n300|-|recovered|0|1 of 1 card recovered
p100a|-|recovered|0|
p150a|-|recovered|0|
p150a:hang|-|recovered|0|
p150a:stuck|-|recovered|0|
n150:hang|-|recovered|0|
n150:stuck|-|lost|5|the chip was not reset: its config space was never touched|not-reset
n150:stuck|-|lost|5|power the host off and on|not-reset
n150:off|-|lost|5|the card did not come back on the bus|off-bus
n150:gone|-|lost|5|try: echo 1 >/sys/bus/pci/rescan; tt-smi -wr 0000:01:00.0|off-bus
p150a:off|-|lost|5|the card did not come back on the bus|off-bus
p150a:noreset|-|lost|5|the driver's marker is still set|not-reset
n150:noreset|-|lost|5|the driver's marker is still set|not-reset
p150a:dmc|-|recovered|0|fire ASIC_DMC_RESET
n150:dmc|-|recovered|0|fire ASIC_DMC_RESET
p150a:falsefail|-|recovered|0|failed, the driver reports a failure
n150:falsefail|-|recovered|0|failed, the driver reports a failure
p150a:eintr|-|recovered|0|
n150:eintr|-|recovered|0|
p150a:vanish|-|recovered|0|
n150:vanish|-|recovered|0|
p150a:unbound|-|lost|5|try: echo 1 >/sys/bus/pci/devices/0000:01:00.0/remove; echo 1 >/sys/bus/pci/rescan; tt-smi -wr 0000:01:00.0|no-driver
n150:unbound|-|lost|5|the driver has not taken it|no-driver
p150a:renumber|-|recovered|0|now /dev/tenstorrent/1, was 0
n150:renumber|-|recovered|0|now /dev/tenstorrent/1, was 0
p150a:narrow|-|degraded|5|PCIe link at Gen4 x8, was Gen5 x16|link-slow
n150:narrow|-|degraded|5|try: tt-smi -wr 0000:01:00.0 --dmc|link-slow
p150a:deadbeat|-|lost|5|ASIC_RESET: the firmware's heartbeat does not move; ASIC_DMC_RESET:|not-reset
n150:deadbeat|-|lost|5|the firmware's heartbeat does not move|not-reset
p150a:mute|-|degraded|5|the firmware does not answer messages|firmware-down
n150:mute|-|degraded|5|try: tt-smi -wr 0000:01:00.0 --dmc|firmware-down
n150:mute|2.8.0|recovered|0|the firmware was not sent a message: its driver has no power states
p150a:mute|2.5.0|recovered|0|the firmware was not sent a message: its driver has no power states
p150a:untrained|-|degraded|5|memory channel 2 not trained|memory-untrained
n150:untrained|-|degraded|5|memory channel 2 not trained|memory-untrained
n150:linklost|-|degraded|5|ethernet channel 2 down: no heartbeat|link-down
n150:linklost|-|degraded|5|are not up again yet (--require-links waits for them)|link-down
p150a:eth|-|recovered|0|ethernet channel 2 down: no heartbeat (as before)
p150a:hang:eth|-|degraded|5|ethernet channel 2 down: no heartbeat|link-down
p150a:width|-|recovered|0|PCIe link at Gen4 x8 as before, can do Gen5 x16
n150:hang:width|-|degraded|5|PCIe link at Gen3 x8, can do Gen4 x16|link-slow
p150a:garbage|-|recovered|0|7 readings are impossible: voltage, current, power ... (as before)
p150a:hang:garbage|-|degraded|5|7 readings are impossible|implausible
p150a:hot|-|recovered|0|throttle limit 90 °C (as before)
n300:hang:peerlost|-|degraded|5|: second chip (1): the link to this chip is down|link-down
n300:peerlost|-|degraded|5|: second chip (1): the link to this chip is down|link-down
n300:held|-|recovered|0|second chip (1): not verified: not read: process 1 holds the board
p150a:exported|-|refused|6|the driver refuses it: Device or resource busy|held
n150:exported|-|refused|6|a process has exported its memory: end it|held
p150a:resetfail|-|lost|5|the card did not come back on the bus|off-bus
n150:resetfail|-|lost|5|ASIC_DMC_RESET: the card did not come back on the bus|off-bus
p150a:olddriver|-|recovered|0|fire CONFIG_WRITE
n150:olddriver|-|recovered|0|fire reset message
p150a|2.4.1|recovered|0|fire ASIC_RESET
n150|2.8.0|recovered|0|fire ASIC_RESET
n150|1.29|recovered|0|fire reset message
e75|2.1.0|recovered|0|fire tensix reset
e75|2.0.0|recovered|0|the cores of 96 tiles are held in reset
e150|2.0.0|recovered|0|its compute cores alone were reset
e75:noreset|2.1.0|lost|5|the cores were not reset|not-reset
e75:hang|2.1.0|lost|5|power the host off and on|hung
e75:deadbeat|2.1.0|lost|5||timeout
e75:stuck|2.1.0|lost|5|power the host off and on|timeout
e75:untrained|2.1.0|degraded|5|not trained|memory-untrained
TABLE

reset n150:linklost -r --require-links
rc_is 5 "links that are required and missing"
out_has "are not up" "are named"
for board in n300 n300-new n150-old p150a-old p150a:hang; do
	reset "$board" -r --require-links --report links.json
	rc_is 5 "$board: links that nobody knew before are not proved"
	out_has "the ethernet links cannot be checked" "$board: which is said"
	check "$board: in the report, too" jq -e '.cards[0] | .verdict == "degraded" and
		(.reason | test("which were up before is not known"))' links.json
done
reset n150,p150a:off,n300:hang -r --report fw.json
check "a report names the firmware before and after, where it was read" jq -e '.cards |
	map([.firmware_before, .firmware_after]) == [["19.10.0.0", "19.10.0.0"], [null, null],
		[null, "18.3.0.0"]]' fw.json
reset p100a -r --require-links
rc_is 0 "a board without ethernet has no link to lose"
reset n150-old -r
rc_is 0 "and whoever does not ask for links is not told of them"
out_lacks "ethernet" "with a word"
reset p150a -r --dmc
out_has "fire ASIC_DMC_RESET" "--dmc begins with the board's controller"
rc_is 0 "and recovers"
reset p150a:noreset -r --forbid dmc
out_lacks "fire ASIC_DMC_RESET" "a forbidden way is not tried"
reset p150a -r --forbid asic,dmc
rc_is 2 "all ways forbidden is a usage error"
reset p150a -r --forbid magic
rc_is 2 "a way that does not exist, too"
TT_SMI_SIM_DRIVER=1.29 reset p150a -r
rc_is 6 "a driver without any way to reset a Blackhole: refused"
err_code driver-old '2.4.1' "and what to do"
reset e75 -r
rc_is 6 "a Grayskull under a driver that does not bind it is refused"
err_code driver-old 'Grayskull: tt-kmd' "by name"
TT_SMI_SIM_DRIVER=2.1.0 reset e75 -r --dmc
rc_is 6 "nor has its board a controller that is asked"
TT_SMI_SIM_DRIVER=2.0.0 reset n150 -r --dmc
rc_is 6 "--dmc with a driver that has none is refused, not passed over"
err_code driver-old '--dmc' "with what to do"
TT_SMI_SIM_DRIVER=2.1.0 reset e75 -r --dry-run
out_has "fire 20 s, wait 10 s, verify 20 s" "a plan names no phase that would not happen"
TT_SMI_SIM_DRIVER=2.1.0 reset e75:held -r
out_has "heartbeat and tables not checked: they are not read here" "and what is not checked is said"
TT_SMI_SIM_DRIVER=2.1.0 reset e75 -r --forbid tensix
rc_is 2 "a Grayskull's only way can be forbidden, too"

reset n300 -r
out_lacks "not verified" "an n300's second chip is verified where it can be"
reset n300,p150a:exported -r
rc_is 5 "one recovered and one refused: not all is well"
out_has "1 of 2 cards recovered, 1 refused" "and both are counted"

# One card costs the others nothing, and each has its own verdict.
reset 'n150:off,p150a,p150a:narrow,n300' -r
rc_is 5 "a lost card among good ones"
out_has "2 of 4 cards recovered, 1 degraded, 1 lost" "the summary counts all"
check "the good ones were done long before the lost one" \
	sh -c "grep -n -e 'recovered in' -e 'lost in' '$out' | tail -n 1 | grep -q 'lost in'"
reset '32*p150a' -r
rc_is 0 "32 cards at once"
out_has "32 of 32 cards recovered" "all of them"

# Whom it concerns.
reset 'n150,p150a' -r 1
out_lacks "0000:01:00.0" "-r 1 leaves card 0 alone"
for target in 0 0000:01:00.0 01:00.0 /dev/tenstorrent/0 all "0,1" "0 1"; do
	# shellcheck disable=SC2086
	reset 'n150,p150a' -r $target
	rc_is 0 "-r $target"
done
reset p300 -r 0
rc_is 6 "half a p300 is refused"
err_code other-half '0 and 1' "with what to name"
err_lacks "root" "being root is not said to help"
reset p300 -r 0,1
rc_is 0 "both halves are reset"
reset n300 -r 7
rc_is 3 "a card that is not there"
printf '{"wh_link_reset": {"pci_index": [1]}, "gs_tensix_reset": {"pci_index": []}}' >config.json
reset 'n150,n150' -r config.json
rc_is 0 "upstream's reset configuration"
out_has "1 of 1 card recovered" "names its card"
out_has "0000:02:00.0" "by its node"
echo '{"wh_link_reset": {"pci_index": ["x"]}}' >bad.json
reset n150 -r bad.json
rc_is 2 "a configuration that is none"
echo '{"wh_link_reset": {"pci_index": []}}' >bad.json
reset n150 -r bad.json
rc_is 2 "a configuration without a card does not mean all"
err_code nothing-named 'bad.json' "and that is said"
TT_VISIBLE_DEVICES=1 reset 'n150,p150a' -r
out_has "1 of 1 card recovered" "what a job may not see it does not reset"

TT_VISIBLE_DEVICES=0 reset p300,p150a -r
rc_is 6 "half a board is refused, too, where a job may not see the other half"
err_code other-half '0000:02:00.0' "which is named"
out_lacks "fire" "and nothing is fired"
TT_VISIBLE_DEVICES=0,1 reset p300,p150a -r
rc_is 0 "a whole board that a job may see is reset"

# Holders.
reset p150a:held -wr 0 -y
rc_is 6 "-wr refuses a card that is held"
err_has "process 1 (" "names the process"
err_has "nothing was reset" "and says that nothing was done"
reset p150a:held -wr 0 -y --force
rc_is 0 "--force resets all the same"
reset p150a:held -r
rc_is 0 "-r names holders and goes on"
err_has "process 1 (" "names"
reset p150a:held -r --check-busy
rc_is 6 "--check-busy makes -r refuse"
reset p150a:held -wr 0 -y --wait=0.3
rc_is 6 "--wait gives up after its time"
err_code held '' "and says so"
reset p150a:held@0-2 -wr 0 -y --wait=30
rc_is 0 "--wait waits until the card is free"
reset p150a:held@0-2:gone@1 -wr 0 -y --wait=30
rc_is 6 "a card that has left while it was waited for is not reset"
err_has "nothing was reset" "and that is said"
out_lacks "fire" "nothing is fired at where it was"

# An act of ours has nothing but the lock of a simulated card.
if command -v flock >/dev/null; then
	lock=$TT_SMI_STATE_DIR/sim-0000:01:00.0.lock
	hold_lock() {
		flock -F "$lock" sleep 600 &
		holder=$!
		await not flock -n "$lock" true
	}
	wait_for() {	# spec, options...: while somebody holds the lock
		spec=$1
		shift
		: >"$err"
		hold_lock
		tt-smi --sim "$spec" "$@" --wait >"$out" 2>"$err" </dev/null &
		tool=$!
		await grep -q "process $holder resets, burns or checks it: waiting for its end" "$err"
		check "$*: another reset, burn or check is waited for" [ $? = 0 ]
		kill "$holder"
		wait "$holder" 2>/dev/null
	}
	for options in '-wr 0 -y' '-r 0' '-r 0 --check-busy'; do
		# shellcheck disable=SC2086
		wait_for p150a $options
		wait $tool
		rc=$?
		rc_is 0 "$options: and then the card is reset"
	done
	wait_for p150a:held -wr 0 -y
	check "what began meanwhile is seen" await grep -q 'process 1 (' "$err"
	kill -TERM $tool
	wait $tool
	rc=$?
	rc_is 6 "and is waited for in its turn"
	out_lacks fire "without a reset"
	hold_lock
	reset p150a -wr 0 -y --wait=0.3
	rc_is 6 "a lock that is not given back in time"
	err_code held '0000:01:00.0' "is a refusal"
	kill "$holder"
	wait "$holder" 2>/dev/null
else
	skip "an act that has the lock" "no flock"
fi

# Questions.
for words in 0 all "all wait" "0 wait"; do
	# shellcheck disable=SC2086
	reset p150a -wr $words
	rc_is 0 "-wr $words: boards that are named where nobody can be asked are the consent"
	out_has "0000:01:00.0 p150a: recovered" "and are reset"
	case $words in
	*wait) err_code no-effect 'note' "-wr $words: of wait it is said" ;;
	*) err_lacks "wait" "-wr $words: without a word of it" ;;
	esac
done
reset p150a:held -wr 0
rc_is 6 "a board that is held is refused, with -y or not"
out_lacks "fire" "and nothing is fired"
reset p150a -wr wait
rc_is 2 "wait is no board"
reset p150a -rall
rc_is 2 "-rall is not taken"
err_has "is -r meant?" "and the nearest is named"
reset p150a -wr
rc_is 6 "the end of input is no answer"
out_has "0000:01:00.0" "after the cards were listed"
echo q | timeout 60 tt-smi --sim p150a -wr >"$out" 2>"$err"
rc=$?
rc_is 6 "q leaves"
echo 1 | timeout 60 tt-smi --sim 'n150,p150a' -wr >"$out" 2>"$err"
rc=$?
rc_is 0 "an index is taken from standard input"
out_has "0000:02:00.0 p150a: recovered" "and reset"

# A program's line is taken as a whole or not at all.
piped() {	# FORMAT ARGUMENT...: as printf, to three cards
	# shellcheck disable=SC2059
	printf "$@" | timeout 60 tt-smi --sim '3*p150a' -wr >"$out" 2>"$err"
	rc=$?
}
piped '%s\t%s' 0 2
rc_is 0 "a line without an end, with a tab"
out_has "2 of 2 cards recovered" "names two cards"
piped '%s\r\n' 1
rc_is 0 "a line as Windows ends it"
piped '%s2\n' "$(printf '0,%.0s' {1..512})"
rc_is 0 "a line of 1025 bytes"
out_has "2 0000:03:00.0 p150a: recovered" "is read to its end"
piped '%s2\n' "$(printf '0,%.0s' {1..2048})"
rc_is 2 "a line that is too long is refused"
err_code invalid '4095' "with why"
out_lacks "fire" "and no card is reset"
piped '0\0,1\n'
rc_is 2 "one with a NUL, too"
out_lacks "fire" "and no card is reset for what stands before it"
mkfifo answers
exec 8<>answers
for signal in TERM INT; do
	: >"$out"
	timeout -s KILL 60 tt-smi --sim p150a -wr <answers >"$out" 2>"$err" &
	asked=$!
	await has_text "$out" "then Enter:"
	pkill -"$signal" -P $asked tt-smi
	wait $asked
	rc=$?
	rc_is 6 "SIG$signal ends it while it waits for the line of a pipe"
	err_code stopped '' "with what was done"
done
exec 8>&-
reset 'p150a,n150' -wr 0 --dry-run
rc_is 0 "--dry-run"
out_has "ASIC_RESET, if it does not help ASIC_DMC_RESET" "shows the ladder"
out_lacks "recovered" "and does nothing"

# Another program's reset, which holds no lock of ours.
reset p150a:reset@0-60 -wr 0 -y --wait 0.5
rc_is 6 "a card that a program is resetting is refused"
err_code being-reset '0 0000:01:00.0' "with why"
out_lacks "fire" "and is not reset under it"
reset p150a:reset@0-2 -wr 0 -y
rc_is 0 "the end of that reset is waited for"
err_has "waiting until this is over" "which is said"
err_lacks "not ended" "and no more"
reset p150a:reset@0-60,p150a:held -wr 0 1 -y
rc_is 6 "but not where a process holds another card"
err_lacks "waiting" "which it says at once"
reset p150a:reset@0-60 -wr 0 -y --dry-run --wait
rc_is 0 "--dry-run does not wait, not even with --wait"
err_code being-reset '0 0000:01:00.0' "and says what is against it"
err_lacks "waiting" "at once"
reset p150a:reset@0-60 -wr 0 -y --force
err_code being-reset '0 0000:01:00.0' "--force says so"
out_has "wait for that program's end, then: tt-smi -wr 0000:01:00.0" "what to do then"
out_lacks "power the host off" "is not to switch its power off"
out_lacks "fire ASIC_DMC_RESET" "and the next way is not tried under it"
reset p150a:reset@0-60 -r
rc_is 5 "-r resets at once, under it"
check "and once" test "$(grep -c ': fire ' "$out")" -eq 1
# A half whose own order is refused is reset by the other one's all the same.
reset p300b:exported -r --dmc
rc_is 0 "a half that the controller resets for the other one's order"
check "both are completed and verified" test "$(grep -c ': post .* done$' "$out")" -eq 2
out_has "0 0000:01:00.0 p300b: fire ASIC_DMC_RESET 0" "its own order is shown"
out_has "failed, the driver refuses it: Device or resource busy" "as refused"

# One that a program began and did not end, since it was ended itself: only a reset ends it.
for words in "-wr 0 -y" "-wr 0 -y --wait" "-r 0 --check-busy"; do
	# shellcheck disable=SC2086
	reset p150a:left $words
	rc_is 0 "$words: a card left in a reset is reset"
	out_has "1 of 1 card recovered" "$words: and comes back"
	err_code being-reset '0 0000:01:00.0' "$words: with a note"
done

# It takes the card, and then cannot name the holder: nobody reads stderr, a full pipe,
# before the signal.  So the signal always comes between taking the card and firing.
has_open() {	# PID FILE
	for fd in "/proc/$1/fd"/*; do
		[ "$fd" -ef "$2" ] && return
	done
	return 1
}
mkfifo note
begin_reset() {	# a reset that has the card and has not fired
	exec 7<>note
	dd if=/dev/zero of=note oflag=nonblock bs=4096 2>full
	: >first
	tt-smi --sim p150a:held -wr 0 -y --force --timeout 60 >first 2>note </dev/null 7<&- &
	first=$!
	await_of $first has_open $first "$TT_SMI_STATE_DIR/sim-0000:01:00.0.lock"
}
end_reset() {	# somebody reads
	exec 8<note 7<&-
	tr -d '\0' <&8 >"$err"
	exec 8<&-
	wait $first
	rc=$?
	cp first "$out"
}
for signal in INT TERM; do
	begin_reset
	kill -$signal $first
	end_reset
	rc_is 6 "SIG$signal after the card is taken stops the reset"
	out_lacks "fire" "SIG$signal: before it fires"
	# After SIGTERM it writes only what the pipe takes at once.
	[ $signal = TERM ] || err_code stopped '' "SIG$signal: and says so"
done

# Two at once: the second one is refused, and the first one's end lets the next one in.
begin_reset
reset p150a -r
rc_is 6 "a second reset is refused"
err_code held "$first" "and names the first one's process"
end_reset
rc_is 0 "the first one is not disturbed"
reset p150a -r
rc_is 0 "then the card is free again"

# Killed between any two phases, then again.
for phase in fire wait rebind post verify; do
	: >killed
	env -u TT_SMI_VIRTUAL_TIME TT_SMI_SIM_SPEED=2 timeout 60 tt-smi -r --sim p150a >killed 2>&1 &
	victim=$!
	await has_text killed " $phase"
	pkill -KILL -P $victim tt-smi
	wait $victim 2>/dev/null
	reset p150a -r
	rc_is 0 "killed after $phase: the next one works"
done

# SIGINT: before the first step nothing is done, within one it is brought to its end.  The heartbeat
# keeps the reset going for 10 s, so that the signal comes in time on a busy machine.
: >"$out"
env -u TT_SMI_VIRTUAL_TIME TT_SMI_SIM_SPEED=4 tt-smi -r --sim p150a:deadbeat@0-10 >"$out" 2>"$err" &
victim=$!
await has_text "$out" fire
kill -INT $victim
wait $victim
rc=$?
rc_is 0 "SIGINT within a reset lets it end"
err_has "cannot be stopped safely" "and says why it waits"

# What remains.
reset p150a:narrow -r --report report.json
check "the report is JSON" sh -c "jq -e . report.json >/dev/null"
check "with the verdict" test "$(jq -r '.cards[0].verdict' report.json)" = degraded
check "all phases and their times" \
	test "$(jq '[.cards[0].phases[] | select(.took >= 0)] | length' report.json)" = 5
check "and the exit code" test "$(jq .exit_code report.json)" = 5
reset p150a -r --report /proc/none/report.json
rc_is 1 "a report that cannot be written is a failure"
err_code not-found '/proc/none/report.json' "and is named"
out_lacks "fire" "before a card is reset, not after it"
# What an earlier run wrote does not stay where this one did nothing.
while IFS='|' read -r board options code found; do
	reset p150a -r --report old.json
	# shellcheck disable=SC2086
	reset "$board" $options --report old.json
	rc_is "$code" "$board $options with a report"
	check "the report says so: $found" jq -e ".exit_code == $code and .tries == 0 and .cards == [] and ($found)" old.json
done <<TABLE
p150a:held|-wr 0 -y|6|.preflight[0].weight == "busy"
p150a:held|-r --check-busy|6|.preflight[0].weight == "busy"
p150a:off|-wr 0 -y|6|.preflight[0].weight == "hopeless"
p150a:gone|-wr 0 -y|6|.preflight[0].weight == "impossible"
p150a|-wr 7 -y|3|true
TABLE
cp old.json kept.json
reset p150a -wr 0 --dry-run --report old.json
rc_is 0 "--dry-run with a report"
reset p150a -wr 0 --forbid nothing --report old.json
rc_is 2 "a usage error with a report"
check "both leave it alone" cmp -s kept.json old.json
check "nor is a file left beside it" sh -c "! ls -A | grep -q '^\.*old.json.'"
check "the log has one JSON object a line" \
	sh -c "jq -e .event '$TT_SMI_STATE_DIR/reset.log' >/dev/null"
check "every reset that was fired is in it before its verdict" \
	sh -c "[ \$(grep -c '\"event\": \"fire\"' '$TT_SMI_STATE_DIR/reset.log') -ge 60 ]"
left() { for p in $(pgrep -x tt-smi); do [ "$(readlink "/proc/$p/cwd")" = "$PWD" ] && echo "$p"; done; }
check "no process is left behind" test -z "$(left)"
# Anybody can lock what all can open: so nobody may keep root away for good.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	lock=$TT_SMI_STATE_DIR/sim-0000:01:00.0.lock
	run tt-smi -r --sim p150a
	rc_is 0 "a card that nobody has locked is reset"
	take_as() {	# user command: runs it with the lock
		user=$1
		shift
		setpriv --reuid "$user" --regid "$user" --clear-groups \
			flock -F /proc/self/fd/9 "$@" 9<"$lock" &
		await not flock -n "$lock" true
	}
	take_as 65534 sleep 600
	holder=$!
	lines=$(wc -l <"$TT_SMI_STATE_DIR/reset.log")
	run tt-smi -r --sim p150a
	rc_is 6 "one that another user has locked is not"
	check "nor has the log a begin of it" [ "$(wc -l <"$TT_SMI_STATE_DIR/reset.log")" = "$lines" ]
	err_code held "$holder" "and that process is named"
	err_code held '--force' "with the way out"
	run tt-smi -r --force --sim p150a
	rc_is 0 "with --force root resets it all the same"
	err_code held "process $holder" "and says over whom"
	# Two that pass the same lock do not both reset: root has a lock of its own.
	rm first	# of an earlier test
	env -u TT_SMI_VIRTUAL_TIME TT_SMI_SIM_SPEED=8 tt-smi -r --force --sim p150a:noreset >first 2>&1 &
	first=$!
	await has_text first 'fire ASIC_RESET'
	kill -STOP "$first"
	run tt-smi -r --force --sim p150a
	rc_is 6 "a second one that passes it beside the first is refused"
	err_code held "$first" "and the first is named"
	kill "$holder"
	wait "$holder" 2>/dev/null
	run tt-smi -r --sim p150a
	rc_is 6 "so is one that needs not pass it any more"
	chmod 755 "$work" "$TT_SMI_STATE_DIR"
	cp "$TT_SMI" copy
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$work/copy" -r --sim p150a
	rc_is 6 "and that of a user, who cannot take root's lock"
	err_code held "$first" "but sees who has"
	kill -KILL "$first"
	wait "$first" 2>/dev/null
	flock -w 60 "$TT_SMI_STATE_DIR/sim-0000:01:00.0.root" true
	take_as 65534 sleep 600
	holder=$!
	kill "$holder"
	wait "$holder" 2>/dev/null
	take_as 65534 sh -c 'sleep 600 & echo $!' >left
	wait $!
	run tt-smi -r --force --sim p150a
	rc_is 0 "also where who took the lock has left it to a child"
	kill "$(cat left)"
	await has_ended "$(cat left)"
	take_as 0 sleep 600
	holder=$!
	run tt-smi -r --force --sim p150a
	rc_is 6 "a lock of root's own is not passed over"
	err_code held "$holder" "but named"
	kill "$holder"
	wait "$holder" 2>/dev/null
else
	skip "locks of other users" "this is not root, or there is no setpriv"
fi

done_testing
