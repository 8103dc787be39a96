# SPDX-License-Identifier: GPL-2.0-or-later
# Warm reset where it is hard to keep the promises: output that does not arrive,
# a state directory that cannot be written, signals and kills in each phase.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_SIM_SPEED=20

reset() {	# SPEC options: what comes of it stands in $out, $err, $rc
	spec=$1
	shift
	run timeout 60 tt-smi --sim "$spec" "$@"
}

# ---- stdout that does not take what is said: the code says what it would have said ----

while IFS='|' read -r spec options code; do
	# shellcheck disable=SC2086
	timeout 60 tt-smi --sim "$spec" $options >/dev/full 2>"$err" </dev/null
	rc=$?
	rc_is "$code" "$spec $options: full disk under stdout, exit code $code"
	# shellcheck disable=SC2086
	{ timeout 60 tt-smi --sim "$spec" $options 2>/dev/null </dev/null; echo $? >code; } |
		sleep 0
	check "$spec $options: broken pipe, exit code $code" test "$(cat code)" = "$code"
done <<'TABLE'
p150a|-r|1
p150a:narrow|-r|5
n150:off|-r|5
p150a:held|-wr 0 -y|6
p150a|-r 7|3
p150a|-r --forbid magic|2
TABLE

# Nobody reads stdout (a full pipe, socket, or terminal): the cards are reset all the same, and
# what was said of them is there once somebody reads.
cat >unread.py <<'E2'
import os, pty, socket, subprocess, sys, time, tty

def ends(kind):
    if kind == "pipe":
        return os.pipe()
    if kind == "socket":
        a, b = socket.socketpair()
        return a.detach(), b.detach()
    r, w = pty.openpty()
    tty.setraw(w)
    return r, w

def fill(fd):
    size = 0
    os.set_blocking(fd, False)
    for piece in (b"x" * 512, b"x"):
        try:
            while True:
                size += os.write(fd, piece)
        except BlockingIOError:
            pass
    os.set_blocking(fd, True)
    return size

kind = sys.argv[1]
r, w = ends(kind)
filled = fill(w)
state = os.path.abspath("unread-" + kind)
p = subprocess.Popen(["tt-smi", "-r", "--sim", "4*p150a,p150a:narrow"],
    stdout=w, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    env=dict(os.environ, TERM="dumb", TT_SMI_STATE_DIR=state))

def verdicts():
    try:
        return open(state + "/reset.log").read().count('"verdict":')
    except FileNotFoundError:
        return 0

end = time.monotonic() + 20
while verdicts() < 5 and time.monotonic() < end:
    time.sleep(0.02)
print("over while unread:", verdicts() == 5)
os.close(w)
text = b""
while True:
    try:
        got = os.read(r, 65536)
    except OSError:
        break
    if not got:
        break
    text += got
print("exit code:", p.wait(60))
text = text[filled:].decode()
print("verdicts:", text.count(" recovered in "), text.count(" degraded in "))
print("last line:", "4 of 5 cards recovered, 1 degraded" in text)
E2
for kind in pipe socket terminal; do
	run timeout 100 python3 unread.py $kind
	out_has "over while unread: True" "$kind that nobody reads: the reset does not wait for it"
	out_has "exit code: 5" "$kind: the exit code"
	out_has "verdicts: 4 1" "$kind: all verdicts arrive later"
	out_has "last line: True" "$kind: and the summary"
done

# ---- the machine that a card is in, on recorded trees: preflight says what it finds ----

above=tree/sys/devices/pci0000:00/0000:00:04.0

machine() {	# what to change in the tree; what it has to say stands in $err
	rm -rf tree
	cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
	chmod -R u+w tree
	sed -i 's/ hypervisor//' tree/proc/cpuinfo
	echo D0 >$above/power_state
	echo '16.0 GT/s PCIe' >$above/current_link_speed
	echo 16 >$above/current_link_width
	header 07 00
	"$@"
	run timeout 60 tt-smi -r --dry-run --root tree
}
header() {	# byte 4 (command) and byte 62 (bridge control) of the port's config space
	{
		printf '\066\033\014\000'
		# shellcheck disable=SC2059
		printf "\\x$1"
		head -c 9 /dev/zero
		printf '\001'
		head -c 47 /dev/zero
		# shellcheck disable=SC2059
		printf "\\x$2"
		head -c 193 /dev/zero
	} >$above/config
}
ones() { head -c 256 /dev/zero | tr '\0' '\377' >$above/config; }
errors() { printf 'Undefined 0\nDLP 2\nTOTAL_ERR_%s %s\n' "$2" "$3" >"$1"; }
counted() {
	errors "$1/aer_dev_correctable" COR 7
	errors "$1/aer_dev_nonfatal" NONFATAL 2
	errors "$1/aer_dev_fatal" FATAL 1
}
no_port() {
	mv $above/0000:01:00.0 tree/sys/devices/pci0000:00/
	rm tree/sys/bus/pci/devices/*
	ln -s ../../../devices/pci0000:00/0000:01:00.0 tree/sys/bus/pci/devices/0000:01:00.0
	ln -sfn ../../devices/pci0000:00/0000:01:00.0/tenstorrent/tenstorrent!0 \
		tree/sys/class/tenstorrent/tenstorrent!0
}
quiet() { err_lacks "PCIe port" "$1"; }

machine true
quiet "a port that is well is not mentioned"
err_lacks "virtual machine" "nor is a machine of metal"
rc_is 6 "a recorded tree is not reset"
out_has "0000:01:00.0 p150a: ASIC_RESET" "but its plan is shown"
while IFS='|' read -r change words; do
	machine eval "$change"
	err_has "$words" "$change: says '$words'"
done <<'TABLE'
echo D3cold >$above/power_state|its PCIe port 0000:00:04.0 (D3cold, Gen4 x16) is powered down
header 07 40|holds the card in reset
header 05 00|forwards no loads and stores
header 03 00|is not a bus master
ones|does not answer: its config space reads all ones
counted $above|1 fatal and 2 non-fatal errors on its port's PCIe link
counted $above/0000:01:00.0|1 fatal and 2 non-fatal errors on its PCIe link
no_port|no PCIe port is seen above it
echo "flags: fpu hypervisor" >tree/proc/cpuinfo|in a virtual machine: a card that does not come back needs a reset by the host
mkdir -p tree/proc/sys/kernel && echo 6.1.0-50-arm64 >tree/proc/sys/kernel/osrelease|on Arm hosts
: >tree/.dockerenv|in a container: processes outside of it that hold a card cannot be seen
: >tree/.dockerenv; echo 2.7.0 >tree/sys/module/tenstorrent/version|nor a reset that goes on there
mkdir -p tree/sys/hypervisor; echo xen >tree/sys/hypervisor/type; echo HVM >tree/sys/hypervisor/guest_type|in a Xen guest: a card that does not come back needs a reset by the host
TABLE
machine eval ': >tree/.dockerenv'
err_lacks "nor a reset that goes on there" "from tt-kmd 2.8 on the driver keeps resets apart"
run timeout 60 tt-smi -r --root tree
rc_is 6 "without --dry-run it is refused as well"
err_code recorded '--root' "and why"
check "nothing is said to be lost" sh -c "! grep -q lost '$out'"

# Who holds a card: by pid, command and how.
process() {	# pid, command, a line of its maps, its cgroup
	mkdir -p "tree/proc/$1"
	printf '%s' "$2" | tr ' ' '\0' >"tree/proc/$1/cmdline"
	printf '%s\n' "$3" >"tree/proc/$1/maps"
	printf '%s\n' "$4" >"tree/proc/$1/cgroup"
}
held_by_all() {
	box=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
	printf '4242\n4243\n4244\n4245\n0\n' >tree/proc/driver/tenstorrent/0/pids
	process 4242 'python3 job.py' '7f00-7f01 rw-s 0 00:05 1 /dev/tenstorrent/0' 0::/user.slice
	process 4243 ./app '7f00-7f01 rw-s 0 00:05 1 /usr/lib/x.so' "0::/system.slice/docker-$box.scope"
	process 4244 '/usr/bin/tt-smi -d' '' 0::/user.slice
	process 4245 '/usr/bin/tt-smi -r 0' '' 0::/user.slice
}
machine held_by_all
err_code held 'process 4242 (?) has it mapped' "a window that is mapped"
err_code held 'process 4243 (? in container docker:0123456789ab)' \
	"an open node, and the container"
err_has "process 4244 (?, /usr/bin/tt-smi -d) watches it, lets go by itself and comes back" \
	"our own monitor"
err_code held 'process 4245 (?)' \
	"but not a reset of ours, which goes on and does not let go"
err_code held 'a process of another container' "one that this container cannot see"
held_by_monitors() {	# and perhaps by one more
	for pid in $(seq 5001 "$1"); do
		echo "$pid"
		process "$pid" '/usr/bin/tt-smi -d' '' 0::/user.slice
	done >tree/proc/driver/tenstorrent/0/pids
}
machine held_by_monitors 5063
err_lacks "are not known" "as many holders as are listed"
machine held_by_monitors 5065
err_code holders-unknown '' \
	"a list that is cut is no free card"
run tt-smi -s --root tree
check "and a snapshot says so, too" has_text "$out" '"processes_unknown": "there are more than are listed'

# ---- a log that cannot be kept: said before anything is fired, and the reset goes on ----

not_logged() {	# words "name": stdout and stderr together, in $out
	rc_is 0 "$2: the reset goes on"
	out_has "no log of this reset is kept" "$2: and says that no log is kept"
	out_has "$1" "$2: and why"
	check "$2: before anything is fired" sh -c "
		[ \$(grep -n 'no log of' '$out' | cut -d: -f1) -lt \$(grep -n ' fire ' '$out' |
			cut -d: -f1) ]"
}
log=$TT_SMI_STATE_DIR/reset.log
both() { timeout 60 tt-smi --sim p150a -r </dev/null 2>&1; }
mkdir -p "$TT_SMI_STATE_DIR"
rm -f "$log"
mkfifo "$log"
both >"$out"
rc=$?
not_logged "$log: cannot be written" "a FIFO in the log's place"
rm -f "$log"
ln -s "$work/elsewhere" "$log"
both >"$out"
rc=$?
not_logged "$log: cannot be written" "a link in the log's place"
check "the link is not followed" test ! -e elsewhere
rm -f "$log"
mkdir "$log"
both >"$out"
rc=$?
not_logged "$log: cannot be written" "a folder in the log's place"
rmdir "$log"
(
	ulimit -f 0
	both
	echo "rc $?"
) | cat >"$out"
rc=$(sed -n 's/^rc //p' "$out")
not_logged "$log: cannot be written: File too large" "a disk that takes no byte"
rm -f "$log"
env -u TT_SMI_STATE_DIR -u HOME XDG_STATE_HOME="$work/xdg" sh -c '
	[ "$(id -u)" = 0 ] && exit 77
	timeout 60 tt-smi --sim p150a -r' >"$out" 2>&1 </dev/null
rc=$?
if [ $rc = 77 ]; then
	skip "XDG_STATE_HOME has the log of others than root" "runs as root"
else
	check "XDG_STATE_HOME has the log of others than root" test -s xdg/tt-smi/reset.log
fi
ln -sf /dev/full full.json
reset p150a -r --report full.json
out_has "1 of 1 card recovered" "a report on a full disk does not hide the verdict"

# Each line is on the disk before what it tells of: the disk needs 1 s for that.
slow=$(shim eio_shim)
if [ -e "$slow" ] && LD_PRELOAD=$slow tt-smi -v >/dev/null 2>&1; then
	rm -f "$log"
	SLOW_SYNCS=1 LD_PRELOAD=$slow TT_SMI_SIM_LOG=$work/sim.log timeout 60 \
		tt-smi --sim p150a -r >"$out" 2>"$err" </dev/null &
	slow_one=$!
	await has_text "$log" '"fire"'
	check "while the log is on its way to the disk nothing is fired" \
		sh -c "grep -q '\"fire\"' '$log' && ! grep -q '^reset ' sim.log"
	wait $slow_one
	check "then it is" grep -q '^reset ' sim.log
else
	skip "the log is on the disk first" "LD_PRELOAD does not work here (sanitizers)"
fi

# ---- signals and kills at any moment; what the log says then; the next reset works ----

struck() {	# SIGNAL DELAY: a line "SIGNAL DELAY code fires verdicts next" into a file
	export TT_SMI_STATE_DIR="$work/struck-$1-$2"
	TT_SMI_SIM_SPEED=4 tt-smi --sim p150a -r >/dev/null 2>&1 </dev/null &
	pid=$!
	if [ "$2" = fired ]; then
		await has_text "$TT_SMI_STATE_DIR/reset.log" '"fire"'
	else
		sleep "$2"
	fi
	kill "-$1" $pid 2>/dev/null
	wait $pid
	code=$?
	fires=$(grep -cs '"fire"' "$TT_SMI_STATE_DIR/reset.log")
	verdicts=$(grep -cs '"verdict"' "$TT_SMI_STATE_DIR/reset.log")
	# The log has the order before the card is taken: until then it can be stopped.
	grep -qs '"verdict": "stopped"' "$TT_SMI_STATE_DIR/reset.log" && fires=0
	timeout 60 tt-smi --sim p150a -r >/dev/null 2>&1 </dev/null
	echo "$1 $2 $code ${fires:-0} ${verdicts:-0} $?" >"$work/struck-$1-$2.got"
}
for delay in 0.01 0.04 0.08 0.12 0.16 0.2 0.24 0.28 0.32 0.36 0.4 0.45 0.5 0.6 fired; do
	for signal in KILL TERM HUP; do
		struck $signal $delay 2>/dev/null &
	done
	wait
done
cat struck-*.got >struck
check "45 were struck" test "$(wc -l <struck)" = 45
check "the next reset works after each" test "$(awk '$6 != 0' struck | wc -l)" = 0
check "one that was told to end and had fired has a verdict, and its code is 0" \
	test "$(awk '$1 != "KILL" && $4 > 0 && ($5 == 0 || $3 != 0)' struck | wc -l)" = 0
check "one that had not fired says so by its code, and has no verdict" \
	test "$(awk '$4 == 0 && ($3 == 0 || $5 > 0 && $3 != 6)' struck | wc -l)" = 0
check "one that was killed has no verdict that it did not reach" \
	test "$(awk '$1 == "KILL" && $3 == 137 && $5 > 1' struck | wc -l)" = 0
check "one was killed between the two" \
	sh -c "awk '\$1 == \"KILL\" && \$4 > 0 && \$5 == 0' struck | grep -q ."

done_testing
