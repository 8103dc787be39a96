# SPDX-License-Identifier: GPL-2.0-or-later
# SIGTERM and SIGHUP end every mode within a second, also where stdin, stdout and
# stderr are a terminal that takes nothing more.  The times are printed; only one
# that is beyond any loaded machine's fails.
. "$top_srcdir/tests/rig/lib.sh"

python=$(command -v python3)
[ -n "$python" ] || { skip "the end under a dead terminal" "no python3"; done_testing; exit; }


cat >dead.py <<'EOP'
"""dead.py SIGNAL DELAY ARGUMENTS...: how tt-smi ends on a terminal that is full."""
import fcntl, os, pty, signal, subprocess, sys, termios, time
master, slave = pty.openpty()
flags = fcntl.fcntl(slave, fcntl.F_GETFL)
fcntl.fcntl(slave, fcntl.F_SETFL, flags | os.O_NONBLOCK)
try:
    while True:
        os.write(slave, b"x" * 512)
except BlockingIOError:
    pass
fcntl.fcntl(slave, fcntl.F_SETFL, flags)
termios.tcflow(slave, termios.TCOOFF)  # as after Ctrl-S
# Under nohup SIGHUP is ignored by all that is started: not by this one.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
env = dict(os.environ, TERM="xterm-256color")
stdout = slave
if sys.argv[3] == "|":  # the overview's: a pipe that is full
    del sys.argv[3]
    reader, stdout = os.pipe()
    os.set_blocking(stdout, False)
    try:
        while True:
            os.write(stdout, b"x" * 512)
    except BlockingIOError:
        pass
    os.set_blocking(stdout, True)
said = slave
if sys.argv[3] == "2>":  # what is said is read
    del sys.argv[3]
    said = open("said", "wb")
p = subprocess.Popen(["tt-smi"] + sys.argv[3:], stdin=slave, stdout=stdout, stderr=said,
                     start_new_session=True, env=env,
                     preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
time.sleep(float(sys.argv[2]))
early = p.poll()
began = time.monotonic()
p.send_signal(getattr(signal, sys.argv[1]))
try:
    code = p.wait(20)
except subprocess.TimeoutExpired:
    code = "never"
took = time.monotonic() - began
def left():  # processes of its session; those that have ended are for process 1 to reap
    found = False
    for name in os.listdir("/proc"):
        try:
            state, _, _, session = open("/proc/%d/stat" % int(name)).read().rsplit(")", 1)[1].split()[:4]
        except (ValueError, OSError):
            continue
        found = found or (int(session) == p.pid and state != "Z")
    return found
# Processes that read cards end with the one that started them.
while left() and time.monotonic() - began < 20:
    time.sleep(0.05)
gone = time.monotonic() - began
if code == "never":
    p.kill()
print("# %s %s: %s%.2f s, its processes %.2f s, exit code %s" % (sys.argv[1],
      " ".join(sys.argv[3:]), "had ended before; " if early is not None else "", took, gone, code))
sys.exit(0 if early is None and gone < 5 else 1)
EOP

# Modes that run until they are told to stop, or wait; the one-shot ones have output that
# the terminal does not take, and a card that keeps them.  "|": stdout is a full pipe;
# "2>": stderr is a file, in which no word of what stdout did not take may stand.
modes() {
	cat <<-'TABLE'
	|-s --timeout 60 --sim p150a:slow,p150a
	|-s -f - --sim 32*p150a
	|-ls --timeout 60 --sim p150a:slow,p150a
	|-ls --json --sim 32*p150a
	|-d -dir dump -i 0.1 --sim p150a,p150a
	|-d --ndjson -i 0.1 --sim p150a
	|--sim p150a,n300
	|| --timeout 60 --sim p150a:slow,p150a
	|--sim p150a:slow,p150a --timeout 60
	|-b host -dur 60 --sim p150a
	|| -b host -dur 60 --sim p150a
	|--burnin bench
	|--burnin check
	|--burnin generate
	|--burnin profile
	|-wr --sim p150a
	|-wr 0 --sim p150a
	|-wr 0 -y --sim p150a
	|-r 0 --sim p150a
	|| -r --sim 32*p150a,p150a:held
	|-r 0 --sim p150a:held --wait
	|-glx_reset --sim 32*galaxy-wh
	|-mr
	|-glx_reset_tray 1 --ipmi 127.0.0.1:1
	|--check-memory all --sim p150a,p150a:slow
	|-d -dir dump2 -i 0.1 --sim p150a -dur 60
	|-h
	|2> -s -f - --sim 32*p150a
	|2> -ls --json --sim 32*p150a
	|2> -b host -dur 60 --sim p150a
	|2> --burnin bench
	|2> -wr 0 --sim p150a
	|2> -d -dir dump3 -i 0.1 --sim p150a -dur 60
	|2> -h
	TABLE
}
# Ctrl-C too where text goes through stdio.
signals() {
	case $1 in
	*--burnin*) echo TERM HUP INT ;;
	*) echo TERM HUP ;;
	esac
}
i=0
modes >modes
while IFS='|' read -r _ mode; do
	for s in $(signals "$mode"); do
		i=$((i + 1))
		mkdir $i
		# shellcheck disable=SC2086
		(cd $i && "$python" ../dead.py SIG$s 2 $mode >result 2>&1; echo $? >rc) &
	done
	# A few at a time
	[ $((i % 6)) -ne 0 ] || wait
done <modes
wait
i=0
while IFS='|' read -r _ mode; do
	for s in $(signals "$mode"); do
		i=$((i + 1))
		out=$work/$i/result
		grep '^# ' "$out"
		result "$(cat $i/rc)" "SIG$s ends tt-smi ${mode#| } on a terminal that takes nothing"
		[ -e $i/said ] || continue
		check "and is no trouble of the terminal's" sh -c '! grep "cannot write" "$1"' sh $i/said
	done
done <modes

# ---- a signal that comes when the exit code is known does not replace it ----

shim=$(shim eio_shim)
late() {	# rc, options...: of a run to whose last moment a signal comes
	local code=$1 s
	shift
	for s in 2 15 1; do
		run env LATE_SIGNAL=$s LD_PRELOAD="$shim" "$@"
		rc_is "$code" "signal $s after the end of $*"
		rm -rf late
	done
}
if [ -e "$shim" ] && LD_PRELOAD=$shim tt-smi -v >/dev/null 2>&1; then
	late 0 tt-smi -wr 0 -y --sim p150a
	TT_SMI_SIM_SPEED=8 late 5 tt-smi -wr 0 -y --sim p150a:deadbeat
	late 0 tt-smi -d -dir late -dur 0.1 --sim p150a
	late 0 tt-smi --textfile late --once --sim p150a
else
	skip "a signal after the end" "the shim cannot be preloaded"
fi
done_testing
