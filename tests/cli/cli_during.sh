# SPDX-License-Identifier: GPL-2.0-or-later
# --during: a command runs as if nothing else did, and a receipt says what the cards did meanwhile.
. "$top_srcdir/tests/rig/lib.sh"
ulimit -c 0
unset SLURM_JOB_ID
tty() { run timeout 120 python3 "$top_srcdir/tests/rig/during_tty.py" "$@"; }
during() { run timeout 120 tt-smi --during --sim p150a "$@"; }
has_left() { err_has "still running when the command ended: $1" "$2"; }

# The command's own end
during -- sh -c 'echo out; echo err >&2'
rc_is 0 "a command that ends well"
check "stdout is the command's alone" [ "$(cat "$out")" = out ]
check "stderr begins with the command's" [ "$(head -n 1 "$err")" = err ]
err_has "tt-smi: receipt: sh -c 'echo out; echo err >&2'" "the receipt names it, as a shell takes it"
err_has 'exit code 0' "and says how it ended"
during -- sh -c 'exit 3'
rc_is 3 "its exit code passes through"
err_has 'exit code 3' "and is in the receipt"
during sh -c 'exit 4'
rc_is 4 "-- may be left out"
for s in HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM XFSZ; do
	n=$(kill -l "$s")
	during -- sh -c "kill -$s \$\$"
	rc_is $((128 + n)) "killed by SIG$s"
	err_has "killed by signal $n (" "the receipt says so of SIG$s"
done
during -- ./no-such-program
rc_is 127 "a command that is not there"
check "is named, and there is no receipt" [ "$(cat "$err")" = "tt-smi: ./no-such-program: cannot start it: No such file or directory [no-program]" ]
touch plain
during -- ./plain
rc_is 126 "one that is not executable"
err_code no-program './plain' "is named"
during -- /
rc_is 126 "nor is a folder"
echo 'exit 5' >script && chmod +x script
during -- ./script
rc_is 5 "a script without a first line runs, as in a shell"

# Nothing of us is in it
same() {	# name command...: what it prints is the same with and without us
	same_name=$1
	shift
	"$@" >plain.txt 2>&1 7<script
	tt-smi --during --sim 2*p150a --report r.json -- "$@" >ours.txt 2>&1 7<script
	check "$same_name" cmp plain.txt ours.txt
}
same "environment" env -u _
same "descriptors" sh -c 'ls /proc/self/fd; readlink /proc/self/fd/7'
same "limits" sh -c 'ulimit -S -a; ulimit -H -a'
same "signals and umask" grep -E '^(Sig(Blk|Ign|Cgt)|Umask|NoNewPrivs|Cap)' /proc/self/status
same "process group, session, terminal" sh -c 'cut -d" " -f6-8 /proc/self/stat'
same "nice value, affinity and timer slack" sh -c 'nice; grep Cpus_allowed: /proc/self/status; cut -d" " -f18,19 /proc/self/stat'
ls /proc/self/fd <&- >plain.txt
tt-smi --during --sim p150a --report r.json -- ls /proc/self/fd <&- >ours.txt
check "a stdin that was not given is not there" cmp plain.txt ours.txt
(trap '' HUP PIPE INT; exec grep SigIgn /proc/self/status) >plain.txt
(trap '' HUP PIPE INT; exec tt-smi --during --sim p150a --report r.json -- grep SigIgn /proc/self/status) >ours.txt
check "signals that were ignored stay so" cmp plain.txt ours.txt
run env --ignore-signal=CHLD tt-smi --during --sim p150a -- sh -c 'exit 6'
rc_is 6 "where SIGCHLD is ignored there is an exit code all the same"
echo input | tt-smi --during --sim p150a -- cat >"$out" 2>"$err"
check "stdin is the command's" [ "$(cat "$out")" = input ]

# Signals
cat >counts <<'END'
import os, signal, sys, time
seen = []
for s in ("INT", "TERM", "HUP", "USR1"):
    signal.signal(getattr(signal, "SIG" + s), lambda n, f: seen.append(n))
print("ready", flush=True)
end = time.monotonic() + 60
while not seen and time.monotonic() < end:
    time.sleep(0.02)
time.sleep(0.3)     # a second one would come now
print("signals", *[signal.Signals(n).name for n in seen], flush=True)
sys.exit(9)
END
for s in INT TERM HUP USR1; do
	tty $s tt-smi --during --sim p150a -- python3 counts
	out_has "signals SIG$s" "SIG$s to tt-smi is passed on"
	check "once" [ "$(grep -o SIG "$out" | wc -l)" = 1 ]
	out_has 'code 9' "and the exit code is the command's"
	err_has 'exit code 9' "with a receipt, SIG$s"
	tty $s tt-smi --during --sim p150a -- sh -c 'echo ready; exec sleep 60'
	out_has "code $((128 + $(kill -l $s)))" "a command that SIG$s ends"
	err_has 'killed by signal' "has a receipt"
done
tty interrupt "tt-smi --during --sim p150a -- python3 counts"
out_has 'signals SIGINT' "Ctrl-C reaches the command"
check "once, by the terminal alone" [ "$(grep -c 'SIGINT SIGINT' "$out")" = 0 ]
out_has 'exit code 9' "and the receipt follows"
check "before the exit code" grep -qx 'code 9' "$out"
tty suspend "tt-smi --during --sim p150a -- sh -c 'trap \"echo went on; exit 8\" CONT; echo ready; while :; do sleep 0.1; done'"
out_has 'Stopped' "Ctrl-Z stops the job"
check "and fg continues it" grep -qx 'went on' "$out"
check "to its own end" grep -qx 'code 8' "$out"
tty type "tt-smi --during --sim p150a -- sh -c 'test -t 0 && test -t 1 && echo ready; read x; echo got \$x'"
check "the terminal is the command's" grep -qx 'got typed' "$out"
check "and its exit code" grep -qx 'code 0' "$out"

# Ends that are none
mkfifo started
timeout 120 tt-smi --during --sim p150a -- sh -c 'echo $$ >started; exec sleep 60' 2>"$err" &
read -r victim <started
kill -KILL "$victim"
wait $!
rc=$?
rc_is 137 "a command that is killed"
err_has 'killed by signal 9' "has its receipt"
during -- sh -c 'sleep 60 >/dev/null 2>&1 & echo $! >pid'
rc_is 0 "a command that leaves a process"
has_left "$(cat pid) (" "the receipt names it"
kill "$(cat pid)"
during -- sh -c 'setsid sh -c "sleep 60 & echo \$! >pid" >/dev/null 2>&1'
has_left "$(cat pid) (" "and a daemon of a session of its own"
kill "$(cat pid)"
cat >orphans <<'END'
for i in 1 2 3 4; do (sh -c 'sleep 0.01; echo >>ended' &); done
for i in $(seq 600); do
	[ "$(cat ended 2>/dev/null | wc -l)" = 4 ] && ! cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v us=$PPID -v me=$$ '$4 == us && $1 != me && $2 != "(tt-smi)"' | grep -q . && exit 0
	sleep 0.1
done
exit 1
END
during -- sh ./orphans
rc_is 0 "of what a command leaves behind and that ends no zombie stays"
err_lacks 'still running' "and nothing is said of it"

# Cards that are not well
during --sim 3*p150a:hang -- sh -c 'exit 3'
rc_is 3 "where no card answers the command runs all the same"
check "each is n/a, and none is 0" sh -c "! grep -E '^ +[0-9] 0000' '$err' | grep -v : | grep -qE ' 0(\\.0)? '"
run timeout 60 tt-smi --during --sim '4*p150a:slow,p150a' -- true
rc_is 0 "cards that keep who reads them do not keep the command"
run timeout 60 tt-smi --during --root "$work" -- sh -c 'exit 3'
rc_is 3 "where there is no card it runs"
err_has 'there was no card to read' "and the receipt says so"
run timeout 60 tt-smi --during --report r.json --root "$top_srcdir/tests/fixtures/sysfs/blackhole" -- sh -c 'sleep 1; exit 3'
rc_is 3 "with copied files it runs"
check "and nothing of them is a measurement" python3 -c "
import json
r = json.load(open('r.json'))
assert 'nothing was measured' in r['missing'], r['missing']
assert r['method'] is None and r['sum'] is None and r['cards'] == [], r"
for sim in '' '--sim p150a'; do
	# shellcheck disable=SC2086
	TT_VISIBLE_DEVICES=banana run timeout 60 tt-smi --during ${sim:---root "$top_srcdir/tests/fixtures/sysfs/blackhole"} -- touch ran
	rc_is 2 "a wrong TT_VISIBLE_DEVICES is a usage error, ${sim:-without --sim}"
	check "and the command is not started" [ ! -e ran ]
done
run timeout 60 tt-smi --during --device 7 --sim p150a -- sh -c 'exit 3'
rc_is 3 "where the card that was named is not there it runs"
err_has "7" "and that is said"
run timeout 60 tt-smi --during --device 0123456789abcdef --sim '2*p150a' -- sh -c 'exit 3'
rc_is 3 "nor is a serial, which only a sample shows"
err_code no-device '' "which is said"
err_has 'there was no card to read' "and no other card is in the receipt"

# Figures
json() { python3 -c "import json,sys; r = json.load(open('r.json')); c = r['cards']; s = r['sum']; sys.exit(not ($1))"; }
in_json() { check "$2" json "$1"; }
virtual() { TT_SMI_VIRTUAL_TIME=1795000000 run timeout 120 tt-smi "$@"; }
for_a_while() {	# options...: in virtual time until 30 s are over there, however busy the machine is
	for real in 0.3 1 5 20; do
		virtual --during --report r.json "$@" -- sleep $real
		json 'r["duration_seconds"] > 30' && return
	done
}
for_a_while -i 1 --sim 'p150a,n150'
rc_is 0 "in virtual time"
err_empty "with --report nothing is printed"
in_json 'len(c) == 2 and c[0]["samples"] > 20' "there are samples"
in_json 'r["method"].startswith("sampled from outside") and r["interval_seconds"] == 1' "and how they were taken"
last=$(python3 -c "import json; print(json.load(open('r.json'))['duration_seconds'] + 0.5)")
virtual -d "$last" -i 1 -dir dumped --sim 'p150a,n150'
cat >integral <<'END'
import csv, glob, json, sys
receipt = json.load(open("r.json"))
for card in receipt["cards"]:
    name, = glob.glob("dumped/*%s*.csv" % card["board"])
    rows = list(csv.DictReader(open(name)))
    points = [(float(r["Timestamp (s)"]), float(r["Core Power (W)"])) for r in rows]
    idle = sum(float(r["AICLK (MHz)"]) <= {"p150a": 800}.get(card["board"], 500) for r in rows) / len(rows)
    if abs(idle - card["idle_clock_share"]) > 0.01:
        sys.exit(3)
    joules = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:]))
    print(card["board"], card["core_energy_joules"], joules, len(points), card["samples"])
    if not abs(card["core_energy_joules"] / joules - 1) <= 0.001:
        sys.exit(1)
    if card["core_peak_watts"] != max(p[1] for p in points):
        sys.exit(2)
END
run python3 integral
rc_is 0 "energy, peak and idle share are those of a dump of the same time"
in_json 'abs(s["core_energy_joules"] - sum(x["core_energy_joules"] for x in c)) < 0.001' "the sum is that of the cards"
in_json 'abs(c[0]["core_mean_watts"] - c[0]["core_energy_joules"] / c[0]["core_energy_seconds"]) < 0.01' "mean power is energy by time"
for_a_while -i 1 --sim 'p150a:hot@0-20'
in_json '19 <= c[0]["throttled_seconds_by_reason"]["thermal"] <= 21' "throttled time by reason"
in_json 'c[0]["aiclk_least_mhz"] < c[0]["aiclk_most_mhz"]' "and the clock's range"
for_a_while -i 1 --sim 'p150a:job@10-20,n150:job@10-20'
in_json 'all(0.3 < x["idle_clock_share"] < 1 for x in c)' "a job of 10 s leaves the rest of the time idle"
in_json 'min(x["idle_clock_share"] for x in c) <= s["idle_clock_share"] <= max(x["idle_clock_share"] for x in c)' "the share of the sum lies between"
virtual --during -i 1 --sim 'p150a:job@80000' -- sleep 0.3
err_has ', longest gap 0.0 s, 100 % at the idle clock' "the text says so"
err_has '  sampled from outside every 1 s: ' "and how it was measured"
for_a_while -i 20 --sim p150a
in_json 'c[0]["core_energy_joules"] is None and c[0]["gap_seconds"] > 20' "samples more than 11 s apart are no energy"
virtual --during -i 20 --sim p150a -- sleep 1
err_has 'its power is known for 0.0 of' "and that is said"
for_a_while -i 1 --sim 'p150a:gone@10'
in_json '9 <= c[0]["core_energy_seconds"] <= 11 and c[0]["trouble"]' "a card that goes keeps what it drew"
in_json 'c[0]["gap_seconds"] == c[0]["longest_gap_seconds"] > 18' "and the rest is a gap"
# A card that is not seen for a while: no energy is made up for it, and the receipt says why
for fault in off hang stuck reset gone eio slow; do
	for real in 3 10; do
		TT_SMI_SIM_SPEED=10 during -i 0.5 --report r.json --sim "p150a:$fault@10-13" -- sleep $real
		json 'c[0]["gap_seconds"] and r["duration_seconds"] > 18' && break
	done
	in_json '2.5 <= c[0]["longest_gap_seconds"] == c[0]["gap_seconds"] and "; it answers again" in c[0]["trouble"]' "$fault for 3 s is a gap with a reason"
	in_json 'abs(c[0]["core_energy_seconds"] + c[0]["gap_seconds"] - r["duration_seconds"]) < 3' "whose energy is not known, $fault"
done
TT_SMI_SIM_SPEED=10 during -i 0.5 --report r.json --sim p150a:off@0-3 -- sleep 2
in_json 'c[0]["gap_seconds"] >= 2.5 and c[0]["trouble"]' "so is the time before the first sample"
TT_SMI_SIM_SPEED=10 during -i 0.5 --report r.json --sim p150a:stuck -- sleep 1
in_json 'c[0]["samples"] == 0 and c[0]["core_energy_joules"] is None and c[0]["core_peak_watts"] is None and c[0]["asic_peak_celsius"] is None' "nothing counts of firmware that had stopped before"
in_json 's["core_peak_watts"] is None' "nor in the sum"
for real in 1 5 20; do
	during -i 0.2 --report r.json --sim p150a,p150a:stuck -- sleep $real
	json 's["core_energy_joules"]' && break
done
in_json 'c[0]["gddr_corrected_errors"] == 0 and c[1]["gddr_corrected_errors"] is None' "errors of one card of two are not known"
in_json 'r["cards_not_read"] == 1 and all(s[k] is None for k in ("gddr_corrected_errors", "gddr_uncorrected_errors", "eth_links_lost", "throttled_seconds"))' "so those of the sum are not"
in_json 's["core_energy_joules"] == c[0]["core_energy_joules"]' "and its energy is that of the other"
during -i 0.2 --sim p150a,p150a:stuck -- sleep 1
err_has "all: 1 of 2 cards were not read: the energy leaves them out" "which the text says"
for_a_while -i 1 --sim 'p150a:hot@1:stuck@5'
in_json '4 <= c[0]["core_energy_seconds"] <= 6 and "firmware silent" in c[0]["trouble"]' "so does one whose firmware stops"
in_json '2 <= c[0]["throttled_seconds"] <= 5' "and its clock is not called held down ever after"
for_a_while -i 1 --sim 'p150a:eth@10-20'
in_json 'c[0]["gddr_corrected_errors"] == 0' "memory errors are those that are new"
for real in 1 5 20; do	# holders are listed each second
	during --sim 'p150a:held' --report r.json -- sleep $real
	json 'not r["holders_unknown"] and c[0]["holders"]' && break
done
in_json 'len(c[0]["holders"]) == 1' "who else held a card"

# Options
during --job 'night 7' --json -- true
check "--json prints JSON" sh -c "python3 -c 'import json,sys; sys.exit(json.load(sys.stdin)[\"job\"] != \"night 7\")' <'$err'"
during --job 'night 7' -- true
err_has 'receipt of job night 7: true' "--job is in the text"
SLURM_JOB_ID=4711 run tt-smi --during --sim p150a -- true
err_has 'receipt of job 4711: true' "and Slurm's is where none is given"
during --external --report r.json -- sh -c 'exit 0'
check "--external leaves the command out" sh -c '! grep -q "exit 0" r.json'
run tt-smi --during
rc_is 2 "--during wants a command"
run tt-smi --during -- ''
rc_is 127 "an empty word is none"
run tt-smi --during --sim nonsense -- touch ran
rc_is 2 "wrong options of ours are a usage error"
check "and the command is not started" [ ! -e ran ]
run tt-smi --during -s -- touch ran
rc_is 2 "it goes with no other mode"
run tt-smi --during --sim p150a --report none/r.json -- touch ran
rc_is 1 "a report that cannot be written is found before"
check "the command is started" [ ! -e ran ]
mkdir away
during --report away/r.json -- sh -c 'rm -r away; exit 3'
rc_is 3 "one that cannot be written afterwards leaves the exit code alone"
err_has '"exit_code": 3' "and is printed"

done_testing
