# SPDX-License-Identifier: GPL-2.0-or-later
# Every process that we start is reaped by us: no mode leaves a zombie to
# process 1, which in many containers reaps nothing.  Here it is a sleep.
# RUNS=50 tries each mode more often.
. "$top_srcdir/tests/rig/lib.sh"

# Does the world that follows exist here?
if ! unshare -r -p -f --mount-proc true 2>/dev/null; then
	skip "zombies under a process 1 that reaps nothing" "unshare is not allowed here"
	done_testing
	exit
fi

cat >pty.py <<'EOP'
# The live display in a terminal of its own: q after half a second.
import os, pty, select, signal, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execvp("tt-smi", ["tt-smi"] + sys.argv[1:])
end, sent = time.time() + 0.5, False
while True:
    if not sent and time.time() >= end:
        os.write(fd, b"q")
        sent = True
    if select.select([fd], [], [], 0.05)[0]:
        try:
            if not os.read(fd, 65536):
                break
        except OSError:
            break
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
EOP

printf '[alerts]\nhot = asic_temperature > 85 clear 80\n' >conf
printf '#!/bin/sh\necho alert >>alerts\nsetsid sleep 2999 &\nsleep 2999 &\n' >prog
chmod 755 prog

cat >inside.sh <<'EOS'
zombies() { cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z 1 '; }

try() {	# name command...: run it often, count what it leaves
	name=$1 before=$(zombies) i=0
	shift
	while [ $i -lt "$RUNS" ]; do
		"$@" >>talk 2>&1 </dev/null
		i=$((i + 1))
	done
	echo "$name|$(($(zombies) - before))|$(cat /proc/[0-9]*/cmdline 2>/dev/null |
		tr '\0' '\n' | grep -c '^tt-smi$\|^2999$')" >>counts
}

finish() { rm -f f/telemetry.xlsx; tt-smi --finish f; }
(sh -c 'sleep 0.1 & exec true')
for _ in $(seq 300); do
	[ "$(zombies)" -eq 0 ] || break
	sleep 0.1
done
echo "control|$(zombies)|0" >>counts
cards=2*p150a,n300
try "-s" tt-smi -s -f - --sim $cards
try "-ls" tt-smi -ls --sim $cards
try "-s with a hung card" tt-smi -s -f - --sim p150a:slow,p150a --deadline 0.1
try "-d" tt-smi -d -dir d -dur 0.2 -i 0.05 --sim $cards
tt-smi -d -dir f -dur 0.2 -i 0.05 --sim $cards >>talk 2>&1
try "--finish" finish
try "-d --on-alert" env TT_SMI_CONFIG="$PWD/conf" tt-smi -d --ndjson -dur 0.4 -i 0.05 \
	--on-alert "$PWD/prog" --sim p150a:hot
try "--ndjson" tt-smi -d --ndjson -dur 0.2 -i 0.05 --sim $cards
try "-d with a hung card" tt-smi -d -dir h -dur 0.5 -i 0.1 --deadline 0.1 --sim p150a:slow,p150a
if command -v python3 >/dev/null; then
	try "live" python3 pty.py --sim $cards
	try "live with a hung card" python3 pty.py --deadline 0.1 --sim p150a:slow,p150a
fi
echo over >over
EOS

RUNS=${RUNS:-3}; export RUNS
unshare -r -p -f --kill-child --mount-proc sh -c 'sh inside.sh & exec sleep 3000' &
world=$!
await_of $world test -e over
kill -9 $world
wait $world 2>>talk
cp counts "$out"; cp talk "$err"
out_has "control|1|0" "a process 1 that reaps nothing keeps a zombie: the count can fail"
while IFS='|' read -r mode zombies alive; do
	[ "$mode" = control ] && continue
	check "$mode leaves no zombie in $RUNS runs" test "$zombies" -eq 0
	check "$mode leaves no process running" test "$alive" -eq 0
done <counts
check "an alert was there in each run" test "$(wc -l <alerts)" -eq "$RUNS"
if command -v python3 >/dev/null; then
	out_has "live with a hung card" "every mode was tried"
else
	skip "the live display" "no python3"
fi
done_testing
