# SPDX-License-Identifier: GPL-2.0-or-later
# A card is taken once and given back once; "another program has it" is one text and one exit
# code, whichever sign shows it (its lock, the driver's lock, a process that has its node open) and
# whichever act meets it.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/burn_lib.sh"
command -v flock >/dev/null || { skip "who has a card" "no flock"; done_testing; exit; }
export TT_SMI_SIM_SPEED=100
mkdir -p "$TT_SMI_STATE_DIR"
lock=$TT_SMI_STATE_DIR/sim-0000:01:00.0.lock
: >"$lock"

# From the first reset's beginning to the verdict nobody else gets the card.
cat >thief.py <<'PYTHON'
import fcntl, os, subprocess, sys, time
lock, said = sys.argv[1], sys.argv[2]
st = os.stat(lock)
held = "%02x:%02x:%d " % (os.major(st.st_dev), os.minor(st.st_dev), st.st_ino)
burn = subprocess.Popen("exec tt-smi -b cards --sim p150a -dur 2 >%s 2>burn.err </dev/null" % said,
    shell=True)
while burn.poll() is None and held not in open("/proc/locks").read():
    time.sleep(0.001)
f, tries = open(lock), 0
while burn.poll() is None:
    tries += 1
    try:
        fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        continue
    if "INCOMPLETE: the card is simulated" not in open(said).read():
        sys.exit("the card was free at try %d" % tries)
    break
if burn.wait() != 4 or tries < 100:
    sys.exit("%d tries, exit code %d" % (tries, burn.returncode))
PYTHON
check "nobody gets a card from before its first reset to the verdict" python3 thief.py "$lock" burn.out
check "both resets were made" [ "$(grep -c 'recovered' burn.out)" = 2 ]
check "and then the card is free" flock -n "$lock" true

# act | its words | what it says that it left undone
acts() {
	cat <<'TABLE'
reset|-wr 0 -y|nothing was reset
burn|-b 0 --iterations 1|nothing was burnt
burn without resets|-b 0 --iterations 1 --no-reset|nothing was burnt
memory test|-b 0 --iterations 1 --workload memory|nothing was burnt
memory check|--check-memory 0|nothing was read
diag|--diag 1 --device 0|nothing was tested
TABLE
	[ -z "$computes" ] || echo "reference data|-b generate refs --device 0 --cases 8|nothing was burnt"
}
computes=	# what --sim shows computes nothing
refused() {	# sign, who, board, prefix command...
	sign=$1 who=$2 board=$3
	shift 3
	acts >acts
	while IFS='|' read -r act words undone <&3; do
		# shellcheck disable=SC2086
		run "$@" timeout 120 tt-smi $words $board
		rc_is 6 "$act, $sign: refused"
		cat "$err" >>"$out"
		out_has "another program has it: $who" "$act, $sign: in the same words"
		check "$act, $sign: and nothing was done" grep -Eq "$undone" "$out"
	done 3<acts
}

flock -F "$lock" sleep 600 &
holder=$!
await not flock -n "$lock" true
refused "locked" "process $holder resets, burns or checks it" "--sim p150a"
kill "$holder"
wait "$holder" 2>/dev/null
# Anybody can lock what all can open: every act says what ends that, and what passes it.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		flock -F /proc/self/fd/9 sleep 600 9<"$lock" &
	holder=$!
	await not flock -n "$lock" true
	way="end that process; a reset alone passes it: tt-smi -wr 0000:01:00.0 --force"
	refused "another user's lock" "process $holder of another user has locked it: $way" \
		"--sim p150a"
	kill "$holder"
	wait "$holder" 2>/dev/null
else
	skip "another user's lock" "this is not root, or there is no setpriv"
fi
refused "a process" "process 1 (" "--sim p150a:held"

# A reset of ours is waited for as any other's is, but not by what resets at once.
while IFS='|' read -r words code says; do
	: >first.out
	TT_SMI_SIM_SPEED=2 tt-smi -wr 0 -y --sim p150a:untrained >first.out 2>&1 </dev/null &
	first=$!
	await_of $first grep -q fire first.out
	# shellcheck disable=SC2086
	TT_SMI_SIM_SPEED=4 run timeout 120 tt-smi $words --sim p150a
	rc_is "$code" "$words beside a reset of ours: exit code"
	err_has "process $first resets, burns or checks it$says" "$words: and says so"
	wait $first
done <<'TABLE'
-wr 0 -y|0|: waiting 40 s at most for its end
-b 0 --iterations 1 --no-reset|4|: waiting 40 s at most for its end
--check-memory 0 --size 64k|0|: waiting 40 s at most for its end
-r 0|6|; nothing was reset
TABLE

# Cards from a file are not here: each act refuses them before it touches anything of this machine.
tt-smi -s --sim p150a -f saved.json >"$out"
tt-smi -s --sim p150a --record played.rec >"$out"
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
echo '{"wh_mobo_reset": [{"mobo": "127.0.0.1:9", "credo": [], "nb_host_pci_idx": [0]}]}' >mobo.json
export TT_SMI_USER=a TT_SMI_PASSWORD=b	# no act ends early for want of them
traced=
may_trace && traced="strace -f -qq -e trace=openat,connect,flock,execve -o seen"
touches() {	# what is opened for writing, locked, started or connected to, or is a card of this machine
	grep -E '(connect|flock)\(|O_WRONLY|O_RDWR|O_CREAT|O_APPEND|"/(dev/tenstorrent|proc/bus|sys/bus/pci)' seen |
		grep -vE '"(/dev/null|/proc/self/oom_score_adj|tree/.*)"'	# a sample reads the tree
	grep -F 'execve(' seen | sed 1d
}
every_act() {
	acts
	cat <<'TABLE'
reference data|-b generate refs --device 0 --cases 8|nothing was burnt
host and cards|-b all --iterations 1 --threads 1|nothing was burnt
all cards|-b cards|nothing was burnt
-r|-r|nothing was reset
-tr|-tr 0|nothing was reset
-lr|-lr 0|nothing was reset
a mobo alone|-mr 127.0.0.1:9 6:0 -y|nothing was reset
a mobo and its cards|-mr mobo.json -y|nothing was reset
a mobo in a file of -r|-r mobo.json|nothing was reset
-glx_reset|-glx_reset|nothing was reset
-glx_reset_auto|-glx_reset_auto|nothing was reset
-glx_reset_tray|-glx_reset_tray 1|nothing was reset
--ipmi|-glx_reset --ipmi 127.0.0.1:9|nothing was reset
TABLE
}
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0	# beside a tracer there can be no look for leaks
export ASAN_OPTIONS
computes=
every_act >acts
while IFS='|' read -r option variable file does; do
	while IFS='|' read -r act words undone <&3; do
		: >seen
		# shellcheck disable=SC2086
		run timeout 120 $traced tt-smi $words $option $file
		rc_is 6 "$act, $option: refused"
		err_code recorded "$undone" "$act, $option: and why"
		out_empty "$act, $option: nothing was begun"
		[ -z "$traced" ] || check "$act, $option: and nothing of this machine was touched" \
			[ -z "$(touches | tee -a "$err")" ]
	done 3<acts
	for words in "-b 0" "--diag 1" "-wr 0 -y" "-mr 127.0.0.1:9 -y" "-glx_reset --ipmi 127.0.0.1:9"; do
		echo '{"verdict": "PASS", "exit_code": 0}' >report.json
		# shellcheck disable=SC2086
		run env "$variable=$file" tt-smi $words --report report.json
		rc_is 6 "$words, $variable: refused"
		err_code recorded "$variable" "$words, $variable: and why"
		check "$words, $variable: no earlier PASS remains" \
			sh -c "grep -q '\"exit_code\": 6' report.json && ! grep -q PASS report.json"
	done
	run timeout 120 tt-smi -b host --iterations 1 --threads 1 --workload matmul $option $file
	rc_is 0 "a burn of the host, $option: no card is meant"
done <<'TABLE'
--load|TT_SMI_LOAD|saved.json|shows a saved file
--replay|TT_SMI_REPLAY|played.rec|plays a recording
--root|TT_SMI_ROOT|tree|reads a recorded tree
TABLE
[ -n "$traced" ] || skip "what is touched for a file's cards" "$why_untraced"
unset TT_SMI_USER TT_SMI_PASSWORD ASAN_OPTIONS

# The same words name the same cards in every act; what cannot be named is a usage error in all.
while IFS='|' read -r words act; do
	: >seen
	for name in 0 0000:01:00.0 01:00.0 /dev/tenstorrent/0 01000146119ae6f0 all cards; do
		# shellcheck disable=SC2086
		run timeout 120 tt-smi $words $name $act --sim n300
		case $rc in 0 | 1 | 4) ;; *) echo "$name: $rc" >>seen ;; esac
		grep -q '0000:01:00.0' "$out" "$err" || echo "$name" >>seen
	done
	check "$words: every name of a card" [ ! -s seen ]
	# shellcheck disable=SC2086
	run timeout 120 tt-smi $words n300 $act --sim n300
	rc_is 2 "$words: a word that is no name of a card"
	# shellcheck disable=SC2086
	run env TT_VISIBLE_DEVICES=1 timeout 120 tt-smi $words 0 $act --sim n300,p150a
	case $rc in
	0) check "$words: a card that may not be seen" false ;;
	*) check "$words: a card that may not be seen" true ;;
	esac
	# shellcheck disable=SC2086
	run env TT_VISIBLE_DEVICES=1 timeout 120 tt-smi $words 0,1 $act --sim n300,p150a
	case $rc in
	4 | 6) check "$words: beside one that may, it is not dropped" \
		grep -qE 'not visible here: TT_V|^tt-smi: 0 .* may not be seen here \(TT_V.*=1\): nothing was ' "$out" "$err" ;;
	*) check "$words: beside one that may, it is not dropped" false ;;
	esac
done <<'TABLE'
-wr|--dry-run
-b|--iterations 1 --no-reset
--check-memory|--size 64k
--diag 1 --device|--checks driver
TABLE

# The driver's own lock, which programs in every container meet.
shim=$(shim kmd_shim)
if [ -x "$top_builddir/tests/rig/kmd_driver" ] && LD_PRELOAD=$shim tt-smi -v >/dev/null 2>&1; then
	root=$work/machine
	mkdir "$root"
	cp "$top_builddir/tests/rig/fake_ttsim.so" wh.so
	"$top_builddir/tests/rig/kmd_driver" "$root" n150 "$work/wh.so" claimed >driver.out 2>&1 &
	driver=$!
	await [ -S "$root/socket" ]
	computes=yes
	refused "the driver's lock" "one in another container, perhaps, holds the driver's lock" \
		"" env KMD_ROOT="$root" LD_PRELOAD="$shim"
	run env KMD_ROOT="$root" LD_PRELOAD="$shim" timeout 120 tt-smi -r 0
	rc_is 6 "-r does not pass over the driver's lock, either"
	err_code held '0000:01:00.0' "and says so"
	out_lacks fire "and no reset is begun"
	kill $driver
	wait $driver 2>/dev/null
else
	skip "the driver's lock" "not this processor, or not with these libraries preloaded"
fi

done_testing
