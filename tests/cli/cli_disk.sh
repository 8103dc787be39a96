# SPDX-License-Identifier: GPL-2.0-or-later
# A dump on a disk that is slow, full or goes away, and on a terminal that stands still.
. "$top_srcdir/tests/rig/lib.sh"

python=$(command -v python3)
[ -n "$python" ] || { skip "dumps on odd disks" "no python3"; done_testing; exit; }

card0=0_p150a_0000-01-00.0

reads() {	# what name arguments...
	what=$1 name=$2
	shift 2
	"$python" "$top_srcdir/tests/rig/dump_check.py" "$what" "$@" >"$out" 2>"$err"
	status=$?
	grep '^# ' "$out"
	result $status "$name"
}

dump() {	# folder arguments...: in the background; $pid
	folder=$1
	shift
	tt-smi -d -dir "$folder" "$@" </dev/null >"$out" 2>"$err" &
	pid=$!
	await has_rows "$folder/$card0.csv" 5
}

finish() {
	wait $pid
	rc=$?
}

# ---- folders and files that go away ----
dump gone -i 0.05 --sim p150a
rm -r gone
finish
rc_is 1 "a dump whose folder is removed ends by itself, with an error"
err_code moved-file "gone/$card0.csv" "that names what went"
err_has "nothing is left of the dump in" "and what there is"
err_lacks "--finish" "not what cannot be done"

dump two -i 0.05 --sim p150a,n300
rm "two/$card0.csv"
finish
rc_is 1 "a file that is removed ends the dump"
err_code moved-file "two/$card0.csv" "and is named"
check "the index does not call it complete" grep -q '"complete": false' two/index.json
check "and says why" grep -q '"error": "two/'$card0'.csv: was removed' two/index.json
run tt-smi --finish two
rc_is 4 "a workbook can be made of the rest"

dump cut -i 0.05 --sim p150a,n300
: >"cut/$card0.csv"
finish
rc_is 1 "a file that is cut short ends the dump, too"
err_code moved-file "cut/$card0.csv" "and is named"
err_has "something of it is gone: tt-smi --finish cut" "with what can be done"
check "nor is it complete" grep -q '"complete": false' cut/index.json
run tt-smi --finish cut
rc_is 4 "of the rest there is a workbook"
err_code corrupt "cut/$card0.csv" "and the file is named once more"

dump moved -i 0.05 --sim p150a
mv moved elsewhere
mkdir moved
kill -INT $pid
finish
check "a dump goes on in its folder when that is renamed" grep -q '"complete": true' elsewhere/index.json
err_code moved-file '' "and says so"
err_has "$work/elsewhere" "with where it is"
check "the workbook is made there" test -s elsewhere/telemetry.xlsx
check "and nothing in the folder that has its name now" test -z "$(ls -A moved)"

# Another dump under the name of ours is not ours: neither is it written to, nor told of.
run tt-smi -d -dir other -i 0.1 -dur 0.5 --sim p150a
swap() {	# what becomes of our folder...: the other dump takes its place
	rm -rf taken away
	dump taken -i 0.05 --sim p150a
	"$@"
	cp -r other taken
	(cd taken && cksum ./*) >before
}
unchanged() { (cd taken && cksum ./*) | cmp -s - before; }
for s in INT TERM; do
	swap mv taken away
	kill -$s $pid
	finish
	rc_is 0 "SIG$s: a dump whose name another dump has taken ends well"
	check "SIG$s: where it is now" grep -q '"complete": true' away/index.json
	err_has "samples of 1 card in $work/away" "SIG$s: and says so"
	check "SIG$s: the other dump is as it was" unchanged
done
err_has "tt-smi --finish $work/away makes" "and its own folder is what is to be finished"
swap rm -r taken
finish
rc_is 1 "a dump that was removed ends with an error, whatever has its name"
err_has "nothing is left of the dump in" "which says that nothing is left"
err_lacks "--finish" "and does not have the other one finished"
check "which is as it was" unchanged

# Nor where no /proc says which folder is ours.
cat >without_proc <<'EOS'
exec unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$@"
EOS
if [ "$(id -u)" -eq 0 ] && sh without_proc true 2>/dev/null; then
	for becomes in "mv taken away" "rm -r taken"; do
		rm -rf taken away
		sh without_proc tt-smi -d -dir taken -i 0.05 --sim p150a </dev/null >"$out" 2>"$err" &
		pid=$!
		await has_rows taken/$card0.csv 5
		$becomes
		cp -r other taken
		(cd taken && cksum ./*) >before
		kill -INT $pid 2>/dev/null
		finish
		check "$becomes, no /proc: the other dump is as it was" unchanged
		err_code moved-file '' "$becomes, no /proc: which is said"
		err_lacks "in taken," "$becomes, no /proc: its samples are not called ours"
		err_lacks "--finish taken" "$becomes, no /proc: nor is it to be finished"
		[ "$becomes" = "rm -r taken" ] && continue
		err_has "1 card in $work/away" "$becomes, no /proc: where ours is is said"
		check "$becomes, no /proc: where it is complete" grep -q '"complete": true' away/index.json
	done
	run sh without_proc tt-smi -d -dir no_proc -i 0.05 -dur 0.2 --sim p150a
	rc_is 1 "no /proc: a dump whose workbook cannot be made fails"
	err_code not-found '--finish' "no /proc: it says what to do"
	check "no /proc: its samples are complete" grep -q '"complete": true' no_proc/index.json
	run tt-smi --finish no_proc
	rc_is 0 "no /proc: what it says does it"
else
	skip "another dump under the name of ours, without /proc" "needs root and unshare"
	skip "a dump without /proc" "needs root and unshare"
fi

# ---- full ----
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
	head -c 56k /dev/zero >small/fill
	run tt-smi -d -dir small/d -dur 1 --sim '8*p150a'
	rc_is 1 "a disk that is full at the start is an error"
	err_code no-space 'small/d/' "and is named"
	check "no torn index is left, nor a folder" test ! -e small/d
	umount small
else
	skip "a disk that is full at the start leaves nothing" "needs root and a tmpfs"
fi

# ---- few descriptors ----
sh -c 'ulimit -n 16; tt-smi -d -dir few -i 0.05 -dur 0.5 --sim p150a' >"$out" 2>"$err" </dev/null
csv_rows=$(wc -l <few/$card0.csv)
check "16 descriptors are enough to record a card" test "$csv_rows" -gt 5
sh -c 'ulimit -n 16; tt-smi -d -dir many -i 0.05 -dur 0.5 --sim "31*p150a"' >"$out" 2>"$err" </dev/null
rc=$?
rc_is 1 "but not for 31"
err_code no-descriptors 'many/' "which is said"
check "and nothing is left of the try" test ! -e many

# ---- SIGTERM ----
dump term -i 0.05 --sim p150a
kill -TERM $pid
finish
rc_is 0 "SIGTERM ends a dump well"
check "with a complete index" grep -q '"complete": true' term/index.json
check "without a workbook" test ! -e term/telemetry.xlsx
err_has "tt-smi --finish term makes the workbook" "but with what makes it"

# ---- a terminal that stands still: Ctrl-S, and then without a reader ----
cat >still.py <<'EOP'
import fcntl, os, pty, signal, subprocess, sys, time
master, slave = pty.openpty()
os.write(master, b"\x13")
if sys.argv[1] == "full":
    flags = fcntl.fcntl(slave, fcntl.F_GETFL)
    os.write(master, b"\x11")
    time.sleep(0.1)
    fcntl.fcntl(slave, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    try:
        while True:
            os.write(slave, b"x" * 512)
    except BlockingIOError:
        pass
    fcntl.fcntl(slave, fcntl.F_SETFL, flags)
time.sleep(0.1)
p = subprocess.Popen(["tt-smi", "-d", "-dir", sys.argv[1], "-i", "0.02", "--sim", "p150a"],
                     stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
name = sys.argv[1] + "/0_p150a_0000-01-00.0.csv"
def rows():
    return open(name).read().count("\n") if os.path.exists(name) else 0
for _ in range(200):
    if rows() > 100:
        break
    time.sleep(0.1)
n = rows()
p.send_signal(signal.SIGTERM)
try:
    code = p.wait(20)
except subprocess.TimeoutExpired:
    p.kill()
    code = "never"
print("# %d rows, exit code %s" % (n, code))
sys.exit(0 if n > 100 and code == 0 else 1)
EOP
for how in held full; do
	"$python" still.py $how >"$out" 2>"$err"
	status=$?
	cat "$out"
	result $status "rows and SIGTERM get past a terminal that is $how"
done

# ---- NDJSON into a pipe that is full and not read ----
cat >unread.py <<'EOP'
import fcntl, os, signal, subprocess, sys, time
r, w = os.pipe()
flags = fcntl.fcntl(w, fcntl.F_GETFL)
fcntl.fcntl(w, fcntl.F_SETFL, flags | os.O_NONBLOCK)
try:
    while True:
        os.write(w, b"x" * 4096)
except BlockingIOError:
    pass
fcntl.fcntl(w, fcntl.F_SETFL, flags)
# Under nohup SIGHUP is ignored by all that is started: not by this one.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
p = subprocess.Popen(["tt-smi", "-d", "--ndjson", "-i", "0.05", "--sim", "p150a"],
                     stdin=subprocess.DEVNULL, stdout=w)
time.sleep(1)
early = p.poll()
p.send_signal(getattr(signal, sys.argv[1]))
try:
    code = p.wait(20)
except subprocess.TimeoutExpired:
    p.kill()
    code = "never"
print("# %s: exit code %s" % (sys.argv[1], code))
sys.exit(0 if early is None and code == 0 else 1)
EOP
for s in SIGTERM SIGINT SIGHUP SIGQUIT; do
	"$python" unread.py $s >"$out" 2>"$err"
	status=$?
	cat "$out"
	result $status "$s ends NDJSON that is not read"
done

# ---- NDJSON into what fills up: its last line is whole, or the code says that it is not ----
cat >torn.py <<'EOP'
import fcntl, os, pty, signal, subprocess, sys, termios, time
if sys.argv[1] == "pipe":
    r, w = os.pipe()
    fcntl.fcntl(w, 1031, 4096)  # F_SETPIPE_SZ
else:
    r, w = pty.openpty()
p = subprocess.Popen(["tt-smi", "-d", "--ndjson", "-i", "0.01", "--sim", "8*p150a"],
                     stdin=subprocess.DEVNULL, stdout=w)
waiting, same = -1, 0
while same < 5:  # until it takes nothing more
    time.sleep(0.1)
    now = int.from_bytes(fcntl.ioctl(r, termios.FIONREAD, b"1234"), sys.byteorder)
    same = same + 1 if now == waiting and now else 0
    waiting = now
p.send_signal(signal.SIGTERM)
code = p.wait(20)
os.set_blocking(r, False)
text = b""
try:
    while True:
        text += os.read(r, 65536)
except BlockingIOError:
    pass
print("# %s: exit code %s, whole: %s" % (sys.argv[1], code, text.endswith(b"\n")))
sys.exit(0 if code == (0 if text.endswith(b"\n") else 1) else 1)
EOP
for to in pipe terminal; do
	"$python" torn.py $to >"$out" 2>"$err"
	status=$?
	cat "$out"
	result $status "NDJSON into a full $to ends with a whole line, or the code is 1"
done
check "into a pipe it is whole" sh -c "'$python' torn.py pipe | grep -q 'code 0, whole: True'"

# ---- slow and broken ----
shim=$(shim eio_shim)
if ! { [ -e "$shim" ] && LD_PRELOAD=$shim tt-smi -v >/dev/null 2>&1; }; then
	skip "slow disks" "the preloaded library does not work here (sanitizers?)"
	done_testing
	exit
fi
# One file after the other, each row of eight cards would wait for eight syncs and more.
SYNC_LOG=$work/log SLOW_SYNCS=1 LD_PRELOAD=$shim aside slow tt-smi -d -dir slow -i 0.1 -dur 5 --sim '8*p150a'
SYNC_LOG=$work/log2 SLOW_SYNCS=1 LD_PRELOAD=$shim aside aside tt-smi -d -dir aside -i 0.05 -dur 6 --rotate 4k --sim p150a
came slow
rc_is 0 "eight cards on a disk that needs a second for each sync"
err_has "the disk had rows up to " "which is said at the end"
check "and stands in the index" grep -q '"unsynced_most": [1-9]' slow/index.json
# The round that runs and the next one, and no sync of the index between them.
reads synced "every row is on the disk after a few syncs" slow log 8
came aside
rc_is 0 "files in parts on such a disk"
reads aside "rows are synced while the index is written anew" log2
check "which is whole at the end" grep -q '"complete": true' aside/index.json
SYNC_LOG=$work/fine LD_PRELOAD=$shim run tt-smi -d -dir fast -i 0.1 -dur 2 --sim '8*p150a'
reads synced "every row of a quick disk is on it too" fast fine 20
if command -v script >/dev/null; then
	run env SLOW_SYNCS=2 LD_PRELOAD="$shim" script -qec \
		'tt-smi -d -dir line -i 0.1 -dur 4 --sim p150a' /dev/null
	out_has "s behind" "the status line says that the disk is behind"
else
	skip "the status line says that the disk is behind" "no script(1)"
fi
NO_DUP=1 SYNC_LOG=$work/log3 LD_PRELOAD=$shim run tt-smi -d -dir nodup -i 0.1 -dur 2 --sim p150a
rc_is 0 "a dump needs no further descriptor to sync"
reads synced "and syncs all without one" nodup log3 20

SLOW_SYNCS=30 LD_PRELOAD=$shim dump stuck -i 0.05 --sim p150a,n300
await has_rows stuck/$card0.csv 20	# the first sync is under way
kill -TERM $pid
finish
rc_is 1 "SIGTERM ends a dump while a sync takes for ever"
err_code timeout '' "and says what the disk has not"
err_has "tt-smi --finish stuck makes the workbook" "and what makes the workbook"
check "nothing temporary stays" sh -c '! ls stuck | grep -q tmp'
run tt-smi --finish stuck
rc_is 0 "which it does"

EIO_WRITES=9 LD_PRELOAD=$shim run tt-smi -d -dir eio -i 0.01 -dur 5 --sim p150a,n300
rc_is 1 "a write that fails ends the dump"
check "which is not complete" grep -q '"complete": false' eio/index.json
check "and says why" grep -q '"error": .*Input/output error' eio/index.json
check "its ticks are those that every file has" test \
	"$(sed -n 's/.*"ticks": \([0-9]*\).*/\1/p' eio/index.json)" -eq "$(($(cat eio/1_*.csv | wc -l) - 1))"
err_has "tt-smi: 3 samples of 2 cards" "as many as are told"

# ---- -s -f ----
is_full() { [ -n "$(ls save)" ]; }
for s in INT TERM; do
	rm -rf save && mkdir save
	SLOW_SYNCS=2 LD_PRELOAD=$shim "$python" -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' tt-smi -s --sim p150a -f save/x.log >"$out" 2>"$err" &
	pid=$!
	await is_full
	kill -$s $pid
	wait $pid
	check "SIG$s in a slow save leaves no temporary file" sh -c '! ls save | grep -q tmp'
done
done_testing
