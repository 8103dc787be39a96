# SPDX-License-Identifier: GPL-2.0-or-later
# --textfile and --metrics help: metrics for Prometheus, and the chips that there should be.
. "$top_srcdir/tests/rig/lib.sh"

file=$work/tt-smi.prom
has() { grep -qxF -e "$1" "$file"; result $? "$2"; }
lacks() { ! grep -qF -e "$1" "$file"; result $? "$2"; }
once() {	# board spec, further options
	spec=$1
	shift
	run tt-smi --textfile "$file" --once --sim "$spec" "$@"
}

umask 077
once 'n300,p150a:hang,p150a'
rc_is 0 "the text is written once"
err_empty "without a word"
out_empty "stdout has nothing"
check "others may read it, whatever the umask" [ "$(stat -c %a "$file")" = 644 ]
check "and nothing else was left in the folder" [ "$(ls -A | grep -cE 'prom|tmp')" = 1 ]
has 'tt_smi_up{bdf="0000:01:00.0",chip="0"} 1' "a card that is well is up"
has 'tt_smi_up{bdf="0000:02:00.0",chip="0"} 0' "one that does not answer is down after two samples"
has 'tt_smi_down_info{bdf="0000:02:00.0",chip="0",reason="failed"} 1' "with the reason"
lacks 'celsius{bdf="0000:02:00.0"' "and without readings"
lacks 'chip="1"' "the second chip of an n300, which is not read, has no series"
has 'tt_smi_chips_not_read 1' "but it is counted"
has 'tt_smi_chips_present 3' "it is there all the same"
has 'tt_smi_chips_expected 3' "and nothing else is expected"
check "rates need two samples, which were taken" grep -q '^tt_smi_pcie_receive_bytes_per_second{' "$file"
well_formed() {	# each name under its own head, once; a series no more than once
	awk '/^# HELP / { if (seen[$3]++) exit 1; next }
		/^# TYPE / { if ($4 != "gauge" && $4 != "counter") exit 1; name = $3; next }
		{ n = $1; sub(/{.*/, "", n); if (n != name || series[$1]++ || NF != 2) exit 1 }' "$1"
}
check "each name has one head, and each series is there once" well_formed "$file"
sed p "$file" >twice
check "a text with series twice is caught" sh -c "! awk '{ if (s[\$1]++) exit 1 }' twice"
run tt-smi --metrics help
rc_is 0 "--metrics help lists the metrics"
cut -d' ' -f1 "$out" | sort -u >names
check "each once" [ "$(wc -l <names)" = "$(wc -l <"$out")" ]
sed -n 's/^# TYPE \([a-z0-9_]*\) .*/\1/p' "$file" | sort -u >used
check "and no text has another" [ -z "$(comm -13 names used)" ]

# What contrib/ asks for is there, and what its alerts tell people to type works
contrib=$top_srcdir/contrib
grep -rhoE --exclude-dir=completion '[a-z:]*tt_smi_[a-z0-9_]+' "$contrib" | grep -v : | sort -u >asked
check "rules and dashboard ask for metrics" [ "$(wc -l <asked)" -gt 20 ]
check "which all exist" [ -z "$(comm -13 names asked | tee "$err")" ]
sed -n 's/^ *runbook: "\(.*\)"$/\1/p' "$contrib/prometheus/tt-smi.rules.yml" >runbooks
check "each alert has a line that says what to type" \
	[ "$(wc -l <runbooks)" = "$(grep -c -e '- alert: ' "$contrib/prometheus/tt-smi.rules.yml")" ]
grep -oE '`tt-smi [^`]*`' runbooks | tr -d '`' | sed 's/{{ $labels.bdf }}/0000:01:00.0/g; s/{{ $labels.tray }}/1/' |
	sort -u >typed
while read -r _ typed; do
	case $typed in -wr*|-glx_reset*) more=--dry-run ;; *) more= ;; esac
	case $typed in -glx*) board=galaxy-bh ;; *) board=p150a ;; esac
	case $typed in *' -dur 600 '*) typed="${typed% -dur 600 *} -dur 1 ${typed#* -dur 600 }" ;; esac
	# shellcheck disable=SC2086
	run tt-smi $typed $more --sim $board
	case $typed in
	-b*) rc_is 4 "tt-smi $typed: a simulated card computes nothing, so it did not pass" ;;
	*) rc_is 0 "tt-smi $typed" ;;
	esac
done <typed

# The unit, as systemd reads it
if command -v systemd-analyze >/dev/null; then
	sed "s|^ExecStart=[^ ]*|ExecStart=/bin/true|" "$contrib/systemd/tt-smi-exporter.service" >tt-smi-exporter.service
	run systemd-analyze verify --man=no ./tt-smi-exporter.service
	rc_is 0 "systemd-analyze verify: the unit"
	err_empty "without a word"
else
	skip "systemd-analyze verify: the unit" "no systemd-analyze here"
fi
hiding='^(PrivateDevices|DevicePolicy|DeviceAllow|ProtectClock|ProtectProc|ProcSubset|PrivateUsers)='
check "nothing in it hides cards or processes" sh -c '! grep -qE "$1" "$2"' - "$hiding" "$contrib/systemd/tt-smi-exporter.service"

# The pod, with the entry point and the variables of our own image
pod=$contrib/kubernetes/tt-smi-exporter.yaml
words() { sed -n "s/^ *$1: \[ \(.*\) \]$/\1/p" "$pod" | tr -d ',"'; }
mkdir cardless
# shellcheck disable=SC2046
run env "$(sed -n 's/^ENV .*\(TT_SMI_SIM=.*\)/\1/p' "$contrib/container/Containerfile")" \
	"TT_SMI_SIM=$(sed -n 's/.*name: TT_SMI_SIM, value: "\(.*\)" .*/\1/p' "$pod")" \
	$(words command) $(words args | sed 's|[0-9.]*:9107|./socket|') -dur 0.1 --root cardless
rc_is 0 "the DaemonSet's command"
err_code no-device '' "has the node's cards, and none that are simulated"

# What is expected
once 'n300,p150a'
has 'tt_smi_chips_present 2' "a card fewer"
has 'tt_smi_chips_expected 3' "is missed, also by a program that never saw it"
has 'tt_smi_down_info{bdf="0000:03:00.0",chip="0",reason="missing"} 1' "by name"
check "and by its serial" grep -q '^tt_smi_chip_info{bdf="0000:03:00.0",chip="0",serial="[0-9a-f]*",board="p150a"' "$file"
once 'p150a:hang@0-0.3' --device 0
lacks "tt_smi_down_info{" "one sample that failed is not a chip that is down"
once 'p150a:slow,p150a:hang' --timeout 0.2 --device 0,1
check "two are, also of a chip that is left alone meanwhile" [ "$(grep -c '^tt_smi_up{.* 0$' "$file")" = 2 ]
once 'n300,p150a' --expected forget
has 'tt_smi_chips_expected 2' "--expected forget begins anew"
lacks 'reason="missing"' "and misses none"
once 'n300,p150a' --expected 4
has 'tt_smi_chips_expected 4' "--expected N counts"
once 'n300,p150a'
has 'tt_smi_chips_expected 2' "for that run alone"
once 'n300,p150a,p150a' --device 0
has 'tt_smi_chips_expected 1' "with --device only those are expected"
once 'n300,p150a'
has 'tt_smi_chips_expected 2' "and nothing is kept of it"
head -c 30 "$TT_SMI_STATE_DIR/roster-sim" >torn && mv torn "$TT_SMI_STATE_DIR/roster-sim"
once 'p150a'
rc_is 0 "a torn file of them"
err_code corrupt '' "is said"
has 'tt_smi_chips_expected 1' "and begun anew"
list=$TT_SMI_STATE_DIR/roster-sim
mv "$list" kept && mkdir "$list"
once 'p150a'
rc_is 0 "a list that cannot be read"
err_code wrong-kind 'roster-sim' "is named"
check "in one line" [ "$(wc -l <"$err")" = 1 ]
lacks tt_smi_chips_expected "and how many there should be is left out"
has 'tt_smi_chips_present 1' "but how many there are is not"
once 'p150a' --expected 2
has 'tt_smi_chips_expected 2' "--expected is known all the same"
rmdir "$list" && mv kept "$list"
for wrong in 0 x -1 321 2x; do
	once p150a --expected $wrong
	rc_is 2 "--expected $wrong is refused"
done
saved=$TT_SMI_STATE_DIR
unset TT_SMI_STATE_DIR
HOME=$work/home XDG_STATE_HOME=$work/xdg once 'p150a'
rc_is 0 "without TT_SMI_STATE_DIR"
check "nothing is kept of simulated boards" sh -c "! find '$work/home' '$work/xdg' -name 'roster*' 2>/dev/null | grep ."
TT_SMI_STATE_DIR=$saved
export TT_SMI_STATE_DIR

# Who has a card: a recorded tree with a pod, a job, and one in another namespace
cp -R "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
id=3f4e8c1b2a7d9e6f5c0b1a2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f607
printf '4711\n4712\n0\n0\n' >tree/proc/driver/tenstorrent/0/pids
holder() {	# pid cgroup
	mkdir -p "tree/proc/$1"
	printf 'Name:\tx\nUid:\t0\t0\t0\t0\n' >"tree/proc/$1/status"
	printf 'vllm\0--api-key\0"s"\0' >"tree/proc/$1/cmdline"
	echo "$2" >"tree/proc/$1/cgroup"
}
holder 4711 "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod5c1d7f3e_0b9a_4c2d_8e6f_112233445566.slice/cri-containerd-$id.scope"
holder 4712 "0::/system.slice/slurmstepd.scope/job_99/step_0/user/task_0"
of_tree() {	# further options
	run tt-smi --textfile "$file" --once --root "$work/tree" "$@"
	rc_is 0 "metrics of a recorded tree $*"
	card=$(sed -n 's/^tt_smi_up{\(.*\)} .*/\1/p' "$file")
}
of_tree
has "tt_smi_holder_info{$card,pid=\"4711\",user=\"0\",container_id=\"$id\",pod_uid=\"5c1d7f3e-0b9a-4c2d-8e6f-112233445566\"} 1" "a pod has its uid and its container's id"
has "tt_smi_holder_info{$card,pid=\"4712\",user=\"0\",job_id=\"99\"} 1" "a process of Slurm has its job"
has "tt_smi_holder_info{$card} 1" "those in another namespace are one"
check "and there is no other" [ "$(grep -c '^tt_smi_holder_info' "$file")" = 3 ]
lacks 'api-key' "command lines are left out"
has 'tt_smi_holders_listed 1' "all are listed"
lacks process_memory "memory is left out where no runtime says it"
of_tree --commands
check "--commands adds them" grep -qF 'command="vllm --api-key \"s\""' "$file"
of_tree --external
has "tt_smi_holder_info{$card,pid=\"4711\"} 1" "--external leaves the pid alone"
lacks "$id" "and names no container"
run tt-smi -s --root "$work/tree"
out_has '"container": "job:99.0"' "a snapshot has the job, too"
run tt-smi -s --root "$work/tree" --external
out_lacks '"container": "' "and with --external none"
out_has '"container": null' "but null"
rm "tree/proc/driver/tenstorrent/0/pids"
of_tree
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 777 open
	cp -R tree open/tree
	mkdir -p open/tree/proc/4711/fd
	chmod 711 "$work"
	chmod -R a+rX open
	chmod 700 open/tree/proc/4711/fd
	run setpriv --reuid 65534 --clear-groups --inh-caps=-all "$TT_SMI" --textfile "$work/open/f.prom" -i 0.01 -dur 1 --root "$work/open/tree"
	rc_is 0 "a user of its own"
	check "is not shown other people's holders, which is said once" [ "$(grep -c 'other users' "$err")" = 1 ]
	check "and in the text" grep -qx 'tt_smi_holders_listed 0' open/f.prom
else
	skip "a user of its own" "needs root and setpriv"
fi

# Again and again
TT_SMI_VIRTUAL_TIME=1795000000 run tt-smi --textfile "$file" -i 15 -dur 8h --sim 'p150a:gone@3600,n150:hang@60-120'
rc_is 0 "eight hours in virtual time"
err_code not-covered '' "with samples that are too far apart to count energy"
lacks energy_joules_total "there is none"
lacks throttled_seconds_total "and no throttled time"
has 'tt_smi_resets_total{bdf="0000:02:00.0",chip="0",result="lost"} 0' "and other counters are there"
check "the unit does not ask for that" [ "$(sed -n 's/^#.* -i //p' "$contrib/systemd/tt-smi-exporter.service")" -le 10 ]
has 'tt_smi_up{bdf="0000:01:00.0",chip="0"} 0' "a card that went is down"
has 'tt_smi_up{bdf="0000:02:00.0",chip="0"} 1' "one that came back is up"
run timeout 20 tt-smi --textfile "$work/none/x.prom" --sim p150a
rc_is 1 "a file that cannot be written at first is a failure"
err_code not-found 'none/x.prom' "and named"
mkdir away
: >"$err"
tt-smi --textfile away/x.prom -i 0.01 --sim p150a 2>"$err" &
pid=$!
check "a file for each tick" await test -s away/x.prom
mv away gone
check "a folder that goes is said" await grep -q 'away/x.prom: ' "$err"
mv gone away
check "and that it is back" await grep -q 'written again' "$err"
check "once" [ "$(wc -l <"$err")" = 2 ]
kill -TERM $pid
wait $pid
rc=$?
rc_is 0 "SIGTERM ends it"
check "and it left a whole text" well_formed away/x.prom
run tt-smi --textfile a.prom --once -d
rc_is 2 "it goes with no other mode"
run tt-smi --metrics
rc_is 2 "--metrics wants its word"

done_testing
