# SPDX-License-Identifier: GPL-2.0-or-later
# --diag from outside: what it will do is said before, the fault of each stage makes it FAIL and
# names the stage, what could not run is a SKIP and never a PASS, the cards are taken once, and a
# signal ends all of it with the report written.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/burn_lib.sh"
export TT_SMI_SIM_SPEED=100 TT_SMI_BURNIN_DWELL=16
unset TT_SMI_TTSIM_TIMED
few="--checks driver,memory --timeout 60"	# that can pass on a chip of a simulator, on any machine
mkdir -p "$TT_SMI_STATE_DIR"
: >none.conf
echo 'pcie-from wormhole 4000000000' >fast.conf

only=	# a command in front
diag() {	# level option...: with report.json
	rm -f report.json
	# shellcheck disable=SC2086
	run $only timeout 500 tt-smi --diag "$@" --report report.json
}
out_like() {	# regular expression, name
	check "$2" grep -q -- "$1" "$out"
}
stages() {	# name expression of the stages' results by id, and the report r
	if [ "$py" = none ]; then
		skip "$1" "no python3"
	else
		check "$1" $py -c "import json
r = json.load(open('report.json')); s = {x['stage']: x for x in r['stages']}
is_ = lambda i, w: s[i]['result'] == w
assert ($2), {k: (s[k]['result'], s[k]['items']) for k in s}"
	fi
}

# A card that dies fails the stage that saw it last, also if the stage had nothing to do on it.
for at in 0.1 0.3 0.5; do
	diag 1 --expected 2 --sim "p150a,p150a:gone@$at"
	rc_is 5 "a card that dies after $at s fails the diag"
	out_like '^FAIL .* 1 0000:02.* not on the bus any more' "and is named, with the cause"
	check "the other card does not fail" not grep -q '^FAIL .* 0 0000:01' "$out"
done

# Level 1, on a simulated board: nothing can be written to its memory, so that stage is a SKIP.
diag 1 --sim p150a
rc_is 4 "what could not run is no success"
check "what it will do and how long that takes is said first" \
	[ "$(sed -n 1p "$out" | cut -c1-14)" = "Diag level 1, " ]
check "with the seed" [ "$(sed -n 's/.*seed \([0-9]*\); about.*/\1/p' "$out")" ]
check "stage by stage, before the first begins" \
	sh -c "sed '/^health [.]/q' '$out' | grep -q '^  pcie  .* s: '"
out_has 'PASS  check-memory  0 0000:01:00.0 p150a: 8 channels, 256 KiB of each' "what passed"
out_has 'SKIP  pcie          0 0000:01:00.0 p150a: the card is simulated' "what did not run, and why"
out_like '^diag level 1: SKIP: pcie (0 0000:01:00.0 p150a); host and 1 card (simulated)' "the verdict names it"
out_has '  check-memory covered: ' "what was covered"
out_has 'not seen by it: memory that reads wrong the same each time' "and what that cannot see"
check "a stage that did not run covers nothing" sh -c "! grep -q 'pcie covered' '$out'"
stages "programs are told the same" "r['verdict'] == 'SKIP' and r['exit_code'] == 4 and
	[x['stage'] for x in r['stages']] == ['health', 'check-memory', 'pcie'] and
	is_('health', 'PASS') and is_('pcie', 'SKIP')"
stages "with the reports of the stages" "s['health']['report']['checks'] and
	s['check-memory']['report']['check_memory'][0]['verdict'] == 'agrees'"

# Each stage has its fault.  A card that failed is left alone.
diag 2 --sim p150a:lane,p150a --duration 1
rc_is 5 "health: a fault"
out_like '^diag level 2: FAIL: health (0 0000:01:00.0 p150a)' "is named"
out_has 'SKIP  check-memory  0 0000:01:00.0 p150a: left alone: it failed health' "its card is left alone"
out_has 'PASS  check-memory  1 0000:02:00.0 p150a' "and no other"
check "it does not burn" sh -c "! grep -q 'Burning 0 ' '$out'"
out_has 'Burning 1 0000:02:00.0' "which the other does"
diag 1 --sim p150a:lane --checks driver
rc_is 5 "check-memory: a fault"
out_like '^diag level 1: FAIL: check-memory (0 0000:01:00.0 p150a)' "is named"
diag 1 --sim p150a:hang@0,p150a --timeout 1
rc_is 5 "a card that hangs"
out_has 'FAIL  health        0 0000:01:00.0' "fails by its health"
out_like 'SKIP  pcie          0 0000:01:00.0.*: it cannot be read: ' "and no stage waits for it"
out_has 'PASS  check-memory  1 0000:02:00.0' "the other card is tested"

# A WARN beside a SKIP is named, and counts with --strict as it does in --health
run tt-smi --diag 1 --sim p150a:garbage
rc_is 4 "a WARN beside a SKIP is 4"
out_like '^SKIP  health  .*; also WARN: readings' "the WARN is named"
run tt-smi --diag 1 --strict --sim p150a:garbage
rc_is 5 "and 5 with --strict"

lib wh
lib wh+smudge@1
lib wh+wrong@1
lib wh+shared@1
# shellcheck disable=SC2086
{
diag 1 --ttsim wh.so --duration 1 $few
rc_is 4 "a simulator's clock is no time"
out_like 'SKIP  pcie          0 .*: no rate: the simulator has no real clock; .* every word compared' "so there is no rate"
stages "not in the report, either" "s['pcie']['report']['cards'][0]['mb_per_s_to_card'] is None"
TT_SMI_TTSIM_TIMED=1 diag 1 --ttsim wh.so --duration 1 $few --floors none.conf
rc_is 0 "with a clock, all of level 1 passes"
out_like 'PASS  pcie          0 .*: [0-9.]* MB/s to the card, [0-9.]* MB/s from it; .* 6 channels, every word compared' "both ways"
out_like '^diag level 1: PASS; host and 1 card' "the verdict"
stages "the rates are reported" "s['pcie']['report']['cards'][0]['mb_per_s_from_card'] > 0"
TT_SMI_TTSIM_TIMED=1 diag 1 --ttsim wh.so --duration 1 $few --floors fast.conf
rc_is 5 "pcie: slower than its floor"
out_like 'FAIL: pcie (0 .*' "is named"
out_has 'MB/s from it: the floor from it is 4000000000' "with the floor"
diag 1 --ttsim wh+smudge@1.so --duration 1 $few
rc_is 5 "pcie: what comes back is not what was sent"
out_like 'FAIL  pcie          0 .*: memory channel [0-9], 0x.* came back, not ' "and where"
}

# Which word a core gets wrong is found in its first block, so the time does not matter much.
for seconds in 1 5 20 80; do
	# shellcheck disable=SC2086
	diag 2 --ttsim wh+wrong@1.so --duration $seconds $few
	[ "$rc" = 5 ] && break
done
rc_is 5 "burn: a core that computes wrong"
out_like '^diag level 2: FAIL: burn (0 ' "is named"
out_like 'SKIP  test-memory   0 .*: left alone: it failed burn' "its memory is not tested any more"
stages "its own report is in ours" "s['burn']['report']['targets'][0]['verdict'] == 'FAIL' and r['level'] == 2"
TT_SMI_BURNIN_FAULT=output diag 2 --sim p150a --duration 2 --checks driver
rc_is 5 "burn: a host that computes wrong"
out_like '^diag level 2: FAIL: burn (host)' "is named"
[ "$(nproc)" -gt 1 ] && only="taskset -c $(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')"
for seconds in 2 8 32; do	# until one processor completes the burn
	# shellcheck disable=SC2086
	diag 2 --ttsim wh+shared@1.so --duration $seconds $few
	has_line "$out" 'PASS  burn +host' && break
done
rc_is 5 "test-memory: two channels that are one"
out_has 'FAIL: test-memory (0 ' "is named"
stages "which all stages before it pass" "not any(is_(k, 'FAIL') for k in s if k != 'test-memory')"
if [ "$only" ]; then
	out_like '  burn  .*: conv2d and matmul on all processors of the host that this process may use' "burn: no more than it may use is planned"
	out_like 'PASS  burn          host: 1 thread on 1 of [0-9]* processors, ' "and how many had no load is told"
else
	skip "burn: how many processors had no load" "there is one only"
fi
only=
for seconds in 2 5 20 80; do
	# shellcheck disable=SC2086
	TT_SMI_TTSIM_TIMED=1 diag 2 --ttsim wh.so --duration $seconds $few --floors none.conf
	[ "$rc" = 0 ] && break
done
rc_is 0 "without a fault all of level 2 passes"
out_like '^diag level 2: PASS; host and 1 card' "and says so"
check "each stage says what it covered" [ "$(grep -c ' covered: ' "$out")" = 6 ]
check "and what it would not see" [ "$(grep -c '  not seen by it: ' "$out")" = 6 ]

# A signal ends it; the report is written, and what was not begun is not called well.
lock=$TT_SMI_STATE_DIR/sim-0000:01:00.0.lock
: >"$lock"
rm -f report.json
tt-smi --diag 3 --sim p150a --report report.json >diag.out 2>diag.err </dev/null &
pid=$!
await has_line diag.out '^Burning the host'
stolen=$(flock -n "$lock" echo yes)
check "while a stage burns the card is ours" [ -z "$stolen" ]
stages "a report is there already, for the case that it is killed" \
	"r['verdict'] == 'SKIP' and r['exit_code'] == 4 and all(is_(i, 'SKIP') for i in s)"
kill "$pid"
wait "$pid"
rc=$?
check "a signal ends it with exit code 4" [ "$rc" = 4 ]
stages "the report is written" "r['stopped'] and r['verdict'] == 'SKIP' and r['exit_code'] == 4"
stages "what was not begun says so" \
	"s['test-memory']['items'][0]['text'] == 'stopped before it began' and is_('health-after', 'SKIP')"
stages "nor is any board looked at for it, which takes 0.2 s and more" \
	"min(s['test-memory']['seconds'], s['health-after']['seconds']) < 0.2"
check "and then the card is free" flock -n "$lock" true
none_left "stopped"
late() {	# seconds from the lock to the signal
	rm -f report.json begun
	(await has_line /proc/locks ":$(stat -c %i "$lock") "; nap "$1"; : >begun) &
	timeout 300 $py "$top_srcdir/tests/rig/late_reader.py" 4 "diag level 2: SKIP" \
		tt-smi --diag 2 --sim p150a --report report.json >late.out
}
for seconds in 0 1 4 15; do	# until the first stage has begun
	late $seconds
	late_rc=$?
	[ $late_rc = 3 ] || break
done
cp late.out "$out"
name="a SIGINT beside a pipe that is full for a while: the verdict is written"
[ $py = none ] && skip "$name" "no python3" || check "$name" test $late_rc = 0

# Nobody gets a card between two stages.
cat >thief.py <<'PYTHON'
import fcntl, os, subprocess, sys, time
lock = sys.argv[1]
st = os.stat(lock)
held = "%02x:%02x:%d " % (os.major(st.st_dev), os.minor(st.st_dev), st.st_ino)
diag = subprocess.Popen("exec tt-smi --diag 2 --sim p150a --duration 1 >thief.out 2>&1 </dev/null", shell=True)
while diag.poll() is None and held not in open("/proc/locks").read():
    time.sleep(0.001)
f, tries = open(lock), 0
while diag.poll() is None:
    tries += 1
    try:
        fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        continue
    if "diag level 2: " not in open("thief.out").read():
        sys.exit("the card was free at try %d" % tries)
    break
if diag.wait() != 4 or tries < 100:
    sys.exit("%d tries, exit code %d" % (tries, diag.returncode))
PYTHON
if [ "$py" = none ]; then
	skip "nobody gets a card between two stages" "no python3"
else
	check "nobody gets a card between two stages" $py thief.py "$lock"
fi

# Before anything is done.
run tt-smi --diag 4 --sim p150a
rc_is 2 "a level that there is not"
run tt-smi --diag 1 --sim p150a --checks nothing
rc_is 2 "a check that there is not"
run tt-smi --diag 1 --sim p150a --report /proc/report.json
rc_is 1 "a report that cannot be written"
check "nothing was begun" [ ! -s "$out" ]
echo '{ "verdict": "PASS", "exit_code": 0, "stages": [] }' >report.json
cp report.json passed.json
run tt-smi --diag 1 --sim p150a --device x,, --report report.json
rc_is 2 "a usage error"
check "leaves an earlier report" cmp -s report.json passed.json
run tt-smi --diag 2 --sim p150a:held --duration 1 --report report.json
rc_is 6 "a card that another program has"
err_has 'nothing was tested' "and nothing was done to it"
stages "the report says so, too" "r['verdict'] == 'SKIP' and r['exit_code'] == 6 and r['seconds'] < 300 and not s"
cp passed.json report.json
TT_VISIBLE_DEVICES=1 run tt-smi --diag 1 --sim '2*p150a' --device 0 --report report.json
rc_is 6 "a card that may not be seen"
stages "is refused before the report is opened, and stands in it" "r['verdict'] == 'SKIP' and r['exit_code'] == 6"
mkdir none
cp passed.json report.json
run tt-smi --diag 1 --root none --report report.json
rc_is 3 "without a card"
stages "no earlier PASS remains" "r['verdict'] == 'SKIP' and r['exit_code'] == 3 and not s"

done_testing
