# SPDX-License-Identifier: GPL-2.0-or-later
# make proof-slurm: a real Slurm of 8 nodes on this machine, each with cards of its own (simulated), and
# contrib/slurm at work in it: which nodes it drains, why, and when they come back; what a prolog does whose
# tool is in state D; and a burn of all nodes, of which one computes wrong and one is killed.
. "$top_srcdir/tests/rig/lib.sh"

nodes=8 interval=5
contrib=$top_srcdir/contrib/slurm
for need in slurmctld slurmd munged sinfo srun python3; do
	command -v $need >/dev/null || { echo "no $need here: Debian's slurm-wlm and munge"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "a Slurm needs root"; exit 77; }

# Every process of it, munged and those of jobs, has the name of this file in its environment.
export SLURM_CONF=$work/slurm.conf
ours() {
	for p in /proc/[0-9]*; do
		{ tr '\0' '\n' <"$p/environ"; } 2>/dev/null | grep -qxF "SLURM_CONF=$SLURM_CONF" && echo "${p#/proc/}"
	done
}
# One that is about to end has no environment any more.
all_gone() {
	[ -z "$(ours)" ] || return 1
	for p in $ended; do
		! grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$p/status" || return 1
	done
}
ended=
end_all() {
	for signal in TERM KILL KILL KILL; do
		left=$(ours)
		ended="$ended $left"
		! all_gone || return 0
		# shellcheck disable=SC2086
		kill -$signal $left 2>/dev/null
		for _ in $(seq 50); do
			! all_gone || return 0
			sleep 0.1
		done
	done
	return 1
}
trap 'end_all; remove_work' EXIT
# For as long as a busy machine may need.
await_long() {
	for _ in $(seq 600); do
		"$@" && return 0
		sleep 0.5
	done
	return 1
}

# A node's cards: boards/NODE says their kind.  What a prolog sees may be said apart.
mkdir boards logs
cat >tool <<END
#!/bin/sh
board=$work/boards/\$SLURMD_NODENAME
[ ! -e "\$board.\${PROOF_OF:-}" ] || board=\$board.\$PROOF_OF
read -r kind cards <"\$board"
export TT_SMI_STATE_DIR=$work/state.\$SLURMD_NODENAME
case \$kind in
sim) export TT_SMI_SIM="\$cards" ;;
ttsim) export TT_SMI_TTSIM="\$cards" TT_SMI_TTSIM_STILL=1000 ;;
D) exec python3 $top_srcdir/tests/rig/uninterruptible.py ;;
esac
[ "\$1" != --health ] || set -- "\$@" --timeout 60	# a busy machine may keep a card waiting
exec $TT_SMI "\$@"
END
for program in healthcheck prolog epilog; do	# Slurm gives them hardly any environment
	cat >$program <<END
#!/bin/sh
export SLURM_CONF=$SLURM_CONF TT_SMI_SLURM_CONF=$work/settings PROOF_OF=$program PATH=$PATH
log=$work/logs/\$SLURMD_NODENAME
echo "$program" >>\$log
$contrib/$program 2>>\$log
code=\$?
echo "$program: \$code" >>\$log
exit \$code
END
done
chmod +x tool healthcheck prolog epilog
cat >settings <<END
TT_SMI=$work/tool
EXPECTED=2
DEADLINE=60
[ ! -e $work/boards/\$SLURMD_NODENAME.short ] || DEADLINE=5
STATE=$work/drained
logger() { :; }
END
board() { echo "$2" >"boards/new.$1" && mv "boards/new.$1" "boards/$1"; }
for i in $(seq $nodes); do
	board "n$i" 'sim 2*p150a'
done

dd if=/dev/urandom of=key bs=1 count=1024 2>/dev/null
chmod 600 key
munged --force --socket="$work/munge" --key-file="$work/key" --pid-file="$work/munge.pid" \
	--log-file="$work/munge.log" --seed-file="$work/munge.seed" 2>munge.err ||
	{ cat munge.err; echo "munged does not start"; exit 77; }
set -- $(python3 -c 'import socket
s = [socket.socket() for i in range('$((nodes + 1))')]
[x.bind(("", 0)) for x in s]
print(*[x.getsockname()[1] for x in s])')
cat >slurm.conf <<END
ClusterName=proof
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$1
AuthType=auth/munge
AuthInfo=socket=$work/munge
CredType=cred/munge
ProctrackType=proctrack/pgid
ReturnToService=2
SlurmUser=root
StateSaveLocation=$work/ctld
SlurmdSpoolDir=$work/spool.%n
SlurmdPidFile=$work/%n.pid
SlurmctldPidFile=$work/ctld.pid
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/%n.log
SlurmdParameters=config_overrides
SwitchType=switch/none
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
BatchStartTimeout=300
MessageTimeout=100
SlurmdTimeout=600
HealthCheckProgram=$work/healthcheck
HealthCheckInterval=$interval
Prolog=$work/prolog
Epilog=$work/epilog
$(shift; for i in $(seq $nodes); do
	echo "NodeName=n$i NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$1 CPUs=2 State=UNKNOWN"
	shift
done)
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
mkdir ctld
slurmctld -D >ctld.out 2>&1 &
for i in $(seq $nodes); do
	mkdir "spool.n$i"
	slurmd -D -N "n$i" >"slurmd.n$i.out" 2>&1 &
done
now() { sinfo -h -N -o '%N|%T|%E' 2>/dev/null | sort >now; }
are() { now; diff "$1" now >"$out"; }
all_idle() { now; [ "$(grep -c '|idle|none$' now)" = $nodes ]; }
await_long all_idle || {
	tail -n 5 ctld.log n1.log slurmd.n1.out ctld.out
	echo "Slurm does not start here"
	exit 77
}
# Checks of a node that began after the mark; one that ran already may not see what has changed.
mark() { for i in $(seq $nodes); do echo mark >>"logs/n$i"; done; }
since_mark() { tac "logs/$1" | sed '/^mark$/q' | tac; }
checked() {	# times node...
	times=$1
	shift
	for n; do
		[ "$(since_mark "$n" | grep -c '^healthcheck$')" -gt "$times" ] || return 1
	done
}
all_nodes=$(seq -s ' ' -f n%.0f $nodes)

mark
# shellcheck disable=SC2086
check "each node is checked again and again" await_long checked 2 $all_nodes
all_idle
check "and those that are well are left alone" [ "$(grep -c '|idle|none$' now)" = $nodes ]

scontrol update nodename=n7 state=drain reason=maintenance
mark
board n2 'sim p150a,p150a:hang'
board n4 'sim p150a:hot,p150a'
board n6 'sim p150a'
board n7 'sim 2*p150a:hang'
drained() { now; [ "$(grep -c '|drained|' now)" = 4 ]; }
await_long drained
# shellcheck disable=SC2086
await_long checked 2 $all_nodes
now
cp now "$out"
check "exactly the ill nodes are drained" [ "$(grep -v '|idle|none$' now | cut -d'|' -f1,2 | tr '\n' ' ')" = 'n2|drained n4|drained n6|drained n7|drained ' ]
out_has 'n2|drained|tt-smi: 1 0000:02:00.0: answer: chip does not answer' "the one with a hung card for that"
out_has 'n4|drained|tt-smi: 0 0000:01:00.0: temperature: chip at ' "the one with a hot card for that"
out_has 'n6|drained|tt-smi: host: expected: 1 of 2 chips are here' "the one that lacks a card for that"
out_has 'n7|drained|maintenance' "what somebody else has drained keeps its reason"
for n in n2 n4 n6; do
	check "$n: within two checks" [ "$(since_mark $n | sed '/: drained: /q' | grep -c '^healthcheck$')" -le 2 ]
done
mark
for n in n2 n4 n6 n7; do
	board $n 'sim 2*p150a'
done
repaired() { now; [ "$(grep -c '|idle|none$' now)" = $((nodes - 1)) ]; }
check "repaired, they come back" await_long repaired
# shellcheck disable=SC2086
await_long checked 2 $all_nodes
now
check "what somebody else has drained stays so" grep -qx 'n7|drained|maintenance' now
scontrol update nodename=n7 state=resume

# A prolog: its tool in state D, and a card that is ill
mark
board n3.prolog D
: >boards/n3.short
run timeout 300 srun -w n3 true
rc_is 0 "a job starts below whose prolog the tool is in state D"
since_mark n3 >"$out"
out_has 'n3: not checked: ended after 7 s' "since that ends within its deadline, and says so"
out_has 'prolog: 0' "without a refusal"
rm boards/n3.prolog boards/n3.short
board n5.prolog 'sim p150a:hang,p150a'
run sbatch -w n5 -o job --wrap=true
refused() { now; grep -q '^n5|dr.*rolog' now; }
check "a card that is ill keeps the job off its node" await_long refused
since_mark n5 >"$out"
out_has 'is refused: 0 0000:01:00.0: answer: chip does not answer' "with the reason in the log"
rm boards/n5.prolog
scancel -u root
mark
await_long checked 2 n5
now
check "and that node, which Slurm has drained, is not resumed by the check" grep -q '^n5|dr.*rolog' now
scontrol update nodename=n5 state=resume
check "until somebody does" await_long all_idle

# A burn of all nodes
for lib in wh wh+wrong@1 wh+core@1; do
	cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/$lib.so"
done
for i in $(seq $nodes); do
	board "n$i" "ttsim $work/wh.so"
	echo 'sim 2*p150a' >"boards/n$i.healthcheck"
	cp "boards/n$i.healthcheck" "boards/n$i.prolog"
	cp "boards/n$i.healthcheck" "boards/n$i.epilog"
done
board n3 "ttsim $work/wh+wrong@1.so"
board n6 "ttsim $work/wh+core@1.so"	# a core that stands still: it burns until it is killed
reports=$work/reports
run sbatch -N $nodes -o "$work/burn.out" --export=ALL,TT_SMI="$work/tool",REPORTS="$reports" \
	"$contrib/burnin.sbatch" cards --iterations 1 --workload conv
rc_is 0 "a burn of all nodes is submitted"
job=$(sed -n 's/.* \([0-9]*\)$/\1/p' "$out")
# A report is there from the beginning, and is INCOMPLETE until the node's burn has ended.
began() { [ "$(ls "$reports" 2>/dev/null | wc -l)" = $nodes ]; }
unfinished() { grep -l '"verdict": "INCOMPLETE"' "$reports"/*.json; }
only_n6_burns() { began && [ "$(unfinished)" = "$reports/n6.json" ]; }
check "all but one end with a verdict" await_long only_n6_burns
burning() {	# the tool on n6, which has not started others of its name
	for p in $(ours); do
		{ tr '\0' '\n' <"/proc/$p/environ"; } 2>/dev/null | grep -qx SLURMD_NODENAME=n6 &&
			[ "$(cat "/proc/$p/comm" 2>/dev/null)" = tt-smi ] && echo "$p"
	done
}
burning >pids
check "that one burns still" test -s pids
# shellcheck disable=SC2046
kill -KILL $(cat pids)
over() { scontrol show job "$job" | grep -qE 'JobState=(COMPLETED|FAILED|CANCELLED|NODE_FAIL)'; }
check "and is killed in the middle" await_long over
cp burn.out "$out"
out_has 'merged: FAIL: 6 hosts passed of 8 that there should be; did not pass: n3, n6' "the verdict of all is FAIL, and names both"
out_has '  n3: 0 0000:01:00.0 n150 L: FAIL: 1 wrong word on 1 core; the first on core 4-5: conv2d' "the core that is wrong"
out_has 'INCOMPLETE  n6                 1 target: 0 0000:01:00.0 n150 L: the burn did not come to its end' "and the host that was killed"
out_lacks 'merged: PASS' "and nothing says PASS"
scontrol show job "$job" >"$out"
out_has 'ExitCode=5:0' "the job's exit code is the verdict's"
rm "$reports/n3.json"
run "$TT_SMI" --merge "$reports" --hosts n1,n2,n4,n5,n6,n7,n8
rc_is 1 "without the report of the wrong core it is INCOMPLETE, not PASS"

check "no process of it is left" end_all
done_testing
