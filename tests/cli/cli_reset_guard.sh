# SPDX-License-Identifier: GPL-2.0-or-later
# A reset hits no program that opens the card after the look at its holders: with tt-kmd 2.10 and
# later the card is opened exclusively for the whole sequence (kmd_driver.c plays driver and card).
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/kmd_lib.sh"

says() { check "$2" grep -Eq "$1" "$out"; }
figure() {	# name expression of the report's first card c
	check "$1" python3 -c "import json; c = json.load(open('report.json'))['cards'][0]; assert $2, c"
}
reset() { smi -wr 0 -y --forbid dmc --report report.json "$@"; }
sequence() { grep -E '^(open|close e|reset)' "$root/log" | sed -n '/^reset 4/,$p' | sed 's/,.*//' | head -3 | tr '\n' ' '; }
stand_in() {	# a program whose pid stands for the newcomer's
	sleep 600 &
	holder=$!
}
gone() {
	kill $holder
	wait $holder 2>/dev/null
}

# The sequence of each driver.
for chip in 'n150 wh' 'p150a bh'; do
	plug $chip driver@2.10.0
	reset
	rc_is 0 "$chip: recovered"
	says 'fire ASIC_RESET .*no other program can open it until it is reset' "$chip: and it is said what kept others away"
	figure "$chip: as in the report" "c['exclusive'] is True"
	check "$chip: all on one exclusive handle" [ "$(sequence)" = "reset 4 reset 6 close exclusive " ]
	await all_closed
	check "$chip: which is closed" all_closed
	plug $chip driver@2.9.0
	reset
	rc_is 0 "$chip, 2.9: recovered"
	says 'fire ASIC_RESET .*others can open it meanwhile; tt-kmd 2.10 can prevent that' "$chip, 2.9: nothing kept others away, and that is said"
	figure "$chip, 2.9: as in the report" "c['exclusive'] is False"
	check "$chip, 2.9: the handle that fired is closed" [ "$(sequence)" = "reset 4 open passive reset 6 " ]
done
tt-smi -wr 0 -y --sim p150a --report report.json >/dev/null 2>&1
figure "a simulated board has no node to keep shut" "c['exclusive'] is None"

# A program that opens the card after the look at its holders.
stand_in
plug p150a bh driver@2.10.0
echo $holder >"$root/newcomer"
reset
rc_is 6 "a newcomer that stays: refused"
says "refused .*another program has it: process $holder .*: sleep 600" "and named"
figure "as in the report" "c['verdict'] == 'refused' and c['code'] == 'held'"
check "and nothing was reset" sh -c "! grep -q '^reset' '$root/log'"
check "though it was tried for a while" [ "$(grep -c '^busy' "$root/log")" -gt 50 ]
plug p150a bh driver@2.10.0
echo $holder >"$root/newcomer"
(sleep 1; rm "$root/newcomer") &
reset
rc_is 0 "a newcomer that leaves again is waited for"
check "and was not hit" sh -c "! grep -q 'hit the newcomer' '$root/log'"
for how in '-wr 0 -y --force' '-r 0'; do
	plug p150a bh driver@2.10.0
	echo $holder >"$root/newcomer"
	smi $how --report report.json
	rc_is 0 "$how: resets under it"
	says "fire ASIC_RESET .*another program has it: process $holder" "$how: and names it"
	figure "$how: as in the report" "c['exclusive'] is False"
	[ "$how" = '-r 0' ] || check "$how: without a long wait" [ "$(grep -c '^busy' "$root/log")" -lt 2000 ]
done
plug p150a bh driver@2.10.0
echo $holder >"$root/newcomer"
KMD_ROOT=$root LD_PRELOAD=$shim tt-smi -wr 0 -y --forbid asic --report report.json >"$out" 2>"$err" </dev/null &
tool=$!
await grep -qs '^busy' "$root/log"
pkill -KILL -P $tool tt-smi
wait $tool
rc=$?
rc_is 6 "a process that is killed before it has the card: refused as well"
figure "as in the report" "c['verdict'] == 'refused' and c['code'] == 'held'"
check "since nothing was reset" sh -c "! grep -q '^reset' '$root/log'"

# A process that is killed while it has the card exclusively leaves it neither locked nor in its reset.
plug p150a bh driver@2.10.0
start_reset() {	# until the chip has been told to reset
	KMD_ROOT=$root LD_PRELOAD=$shim tt-smi -wr 0 -y --forbid dmc --report report.json >"$out" 2>"$err" </dev/null &
	tool=$!
	await grep -qs '^reset 4' "$root/log"
}
start_reset
pkill -KILL -P $tool tt-smi
wait $tool
rc=$?
rc_is 0 "its process is killed during the reset: another one ends it"
out_has 'its process was killed; another one goes on' "which is said"
figure "as is that it was open to others" "c['verdict'] == 'recovered' and c['exclusive'] is False"
check "on one handle each" [ "$(sequence)" = "reset 4 close exclusive open passive " ]
await all_closed
check "and none is left" all_closed
plug p150a bh driver@2.10.0
start_reset
kill -KILL $tool
wait $tool 2>/dev/null
await all_closed
check "tt-smi itself is killed: its process ends the reset on its one handle" \
	[ "$(sequence)" = "reset 4 reset 6 close exclusive " ]
reset
rc_is 0 "and the card can be reset again"
plug p150a bh driver@2.10.0
start_reset
pkill -KILL -P $tool tt-smi
kill -KILL $tool
wait $tool 2>/dev/null
await all_closed
check "both are killed: nobody has the card" all_closed
smi -s
rc_is 4 "a look at it waits for nothing"
err_code being-reset 'left in a reset that nobody ended' "and says how it is"
reset
rc_is 0 "and the next reset ends what was begun"

# Cards at once, and the halves of one board: each with a handle of its own.
for of in p150a p300; do
	plug $of bh driver@2.10.0
	add $of bh driver@2.10.0
	smi -wr 0 1 -y --forbid dmc --report report.json
	rc_is 0 "two $of: recovered"
	check "two $of: both kept others away" python3 -c "import json; assert [c['exclusive'] for c in json.load(open('report.json'))['cards']] == [True, True]"
	for log in log log1; do
		check "two $of, $log: all on one exclusive handle" \
			[ "$(grep -E '^(open e|close e|reset)' "$root/$log" | sed 's/,.*//' | tr '\n' ' ')" = "open exclusive reset 4 reset 6 close exclusive " ]
	done
done
plug p300 bh driver@2.10.0
add p300 bh driver@2.10.0
echo $holder >"$root/newcomer1"
smi -wr 0 1 -y --forbid dmc --report report.json
rc_is 6 "a newcomer at one half: refused"
check "and neither half was reset" not grep -q '^reset' "$root/log" "$root/log1"
plug p150a bh driver@2.9.0
echo $holder >"$root/newcomer"
reset
rc_is 0 "an older driver cannot keep it away"
out_has 'others can open it meanwhile' "and that is said"
rm "$root/newcomer"
await grep -q 'hit the newcomer' "$root/log"
check "which was hit" grep -q 'hit the newcomer' "$root/log"
gone

# Other tt-smi sample the card all the time, so fast that they keep it open: dumps, metrics, a job,
# the live display.
plug p150a bh driver@2.10.0
for every in 0.1 0.05 0.07; do
	KMD_ROOT=$root LD_PRELOAD=$shim tt-smi -d --ndjson -i $every >samples.$every 2>samples.err </dev/null &
	samplers="${samplers:-} $!"
done
KMD_ROOT=$root LD_PRELOAD=$shim tt-smi --textfile metrics.prom -i 0.1 2>/dev/null </dev/null &
samplers="$samplers $!"
KMD_ROOT=$root LD_PRELOAD=$shim tt-smi -i 0.1 --during -- sleep 600 >/dev/null 2>receipt </dev/null &
job=$!
script -qec "env TERM=xterm-256color KMD_ROOT='$root' LD_PRELOAD='$shim' tt-smi -i 0.1" live.out </dev/null >/dev/null 2>&1 &
live=$!
await [ -s live.out ]
await [ -s samples.0.07 ]
await [ -s metrics.prom ]
failed=0
for i in $(seq 20); do
	reset
	[ "$rc" = 0 ] && grep -q 'no other program can open it' "$out" && continue
	failed=$((failed + 1))
	grep -h 'fire\|recovered\|refused\|lost\|degraded' "$out" "$err" | sed 's/^/# /'
done
check "20 resets beside them: each recovered, and was exclusive" [ $failed = 0 ]
check "which did not end any of them" kill -0 $samplers $job $live
pkill -TERM -P $live
wait $live
pkill -P $job sleep
wait $job
check "the job's receipt has what it saw between the resets" grep -q 'energy' receipt
# shellcheck disable=SC2086
kill -INT $samplers
# shellcheck disable=SC2086
wait $samplers
cat >judge.py <<'PYTHON'
import json, sys
seen = {}
for name in sys.argv[1:]:
    for line in open(name):
        c = json.loads(line)
        key = (c.get("health"), c.get("code"))
        seen[key] = seen.get(key, 0) + 1
        if key[0] not in ("ok", "warn", None) and key[1] != "being-reset":
            sys.exit("%s: %s" % (name, line))
print(seen)
sys.exit(sum(n for (h, _), n in seen.items() if h in ("ok", "warn")) < 100)
PYTHON
check "no sample says that the card is dead" python3 judge.py samples.0.1 samples.0.05 samples.0.07
await all_closed
check "and nobody has it open" all_closed

# Somebody else has it exclusively: a look is a look, and no fault.
KMD_ROOT=$root LD_PRELOAD=$shim python3 -c \
	'import os, time; os.open("/dev/tenstorrent/0", os.O_RDWR | os.O_EXCL); open("held", "w"); time.sleep(600)' &
holder=$!
await [ -e held ]
smi -s
rc_is 0 "a look at a card that somebody else has exclusively"
reset
rc_is 6 "a reset of it is refused"
cat "$err" >>"$out"
out_has "process $holder" "and says who has it"
gone

# Who opens the card during its reset gets it afterwards.
plug p150a bh driver@2.10.0
{
	await grep -qs 'open exclusive' "$root/log"
	KMD_ROOT=$root LD_PRELOAD=$shim python3 -c 'import os; os.open("/dev/tenstorrent/0", os.O_RDWR)'
} &
reset
rc_is 0 "a reset while a program waits for the card"
wait $!
check "which waited" grep -q 'an open waits' "$root/log"
check "until the reset was over" \
	sh -c "sed -n '/an open waits/,/open active/p' '$root/log' | grep -q 'close exclusive'"
unplug
done_testing
