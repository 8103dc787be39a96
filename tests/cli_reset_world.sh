# SPDX-License-Identifier: GPL-2.0-or-later
# Warm reset where it is hard to keep the promises: output that does not arrive,
# a state directory that cannot be written, signals and kills in each phase.
. "$top_srcdir/tests/lib.sh"
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
report = "unread-" + kind + ".json"
p = subprocess.Popen(["tt-smi", "-r", "--sim", "4*p150a,p150a:narrow", "--report", report],
    stdout=w, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    env=dict(os.environ, TERM="dumb"))
end = time.monotonic() + 20
while not os.path.exists(report) and time.monotonic() < end:
    time.sleep(0.02)
print("over while unread:", os.path.exists(report))
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

done_testing
