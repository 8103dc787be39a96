# SPDX-License-Identifier: GPL-2.0-or-later
# Where output goes when its name is no plain new file, and what may be read.
. "$top_srcdir/tests/rig/lib.sh"

is_snapshot() { [ "$(head -c 1 "$1")" = '{' ] && [ "$(tail -n 1 "$1")" = '}' ]; }

# ---- -f FILE ----
mkfifo fifo
run timeout 20 tt-smi -s --sim p150a -f fifo
rc_is 1 "a FIFO without a reader is refused"
err_code not-found 'fifo' "and the reason is said"
check "it is still a FIFO" test -p fifo
timeout 20 cat fifo >got &
reader=$!
i=0
while run timeout 20 tt-smi -s --sim p150a -f fifo && [ $rc -ne 0 ] && [ $i -lt 100 ]; do
	sleep 0.1	# until the reader is there
	i=$((i + 1))
done
rc_is 0 "a FIFO with a reader is written to"
wait $reader
check "it gets the whole snapshot" is_snapshot got
check "and is still a FIFO" test -p fifo
out_empty "which is not called a saved file"

mkdir real
echo old >real/target
ln -s real/target link
run tt-smi -s --sim p150a -f link
rc_is 0 "a link to a file is followed"
check "the link is still one" test -L link
check "and its file has the snapshot" is_snapshot real/target
ln -s real/new dangling
run tt-smi -s --sim p150a -f dangling
check "a link to a file that is not there yet makes it" is_snapshot real/new
ln -s loop loop
run tt-smi -s --sim p150a -f loop
rc_is 1 "a link to itself is refused"

(umask 077 && echo old >secret)
run tt-smi -s --sim p150a -f secret
check "a file of mode 0600 keeps it" test "$(stat -c %a secret)" = 600
check "and has the snapshot" is_snapshot secret
echo old >one
ln one two
run tt-smi -s --sim p150a -f two
check "a file with two names keeps both" test one -ef two
check "with the snapshot" is_snapshot one
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=64k,mode=755 none small 2>/dev/null; then
	echo precious >small/one
	ln small/one small/two
	dd if=/dev/zero of=small/fill bs=1k count=56 2>/dev/null
	run tt-smi -s --sim '8*p150a' -f small/two
	rc_is 1 "on a full disk there is no room for it"
	check "and the text that was there stays" test "$(cat small/one)" = precious
	rm small/fill
	run tt-smi -s --sim p150a -f small/two
	check "where there is room it is overwritten" is_snapshot small/one
	umount small
else
	skip "a full disk" "needs root and a tmpfs"
fi
seq 20000 >one
run tt-smi -s --sim p150a -f two
check "a shorter text leaves nothing of a longer one" is_snapshot one
if [ "$(id -u)" -eq 0 ] && echo old >bound && unshare -m mount --bind one bound 2>/dev/null; then
	echo old >one
	run unshare -m sh -c 'mount --bind one bound && exec tt-smi -s --sim p150a -f bound'
	rc_is 0 "a file that is a mount point is written in place"
	check "and has the snapshot" is_snapshot one
else
	skip "a file that is a mount point" "needs root and unshare"
fi

sh -c 'echo before; tt-smi -s --sim p150a -f /dev/stdout' >together 2>"$err" </dev/null
check "/dev/stdout is stdout, and nothing in it is cut off" test "$(head -n 1 together)" = before
sed 1d together >rest
check "nor is anything said between" is_snapshot rest
tt-smi -s --sim p150a -f /dev/fd/3 3>third >"$out" 2>"$err" </dev/null
check "/dev/fd/3 is the descriptor" is_snapshot third
run tt-smi -s --sim p150a -f real
rc_is 1 "a folder is refused"
err_code wrong-kind 'real' "and called one"

if [ "$(id -u)" -eq 0 ] && mknod null c 1 3 2>/dev/null; then
	run tt-smi -s --sim p150a -f null
	rc_is 0 "the null device takes a snapshot"
	check "and is still a device" test -c null
	out_empty "which is no saved file"
	mknod full c 1 7
	run tt-smi -s --sim p150a -f full
	rc_is 1 "a device that is full is a failure"
	mknod log c 1 11
	run tt-smi -s --sim p150a -f log
	rc_is 1 "a device that is not made for text is refused"
	err_code wrong-kind 'log' "and called one"
	mknod disk b 7 250
	run tt-smi -s --sim p150a -f disk
	rc_is 1 "a disk is refused"
	check "and stays" test -b disk
else
	skip "devices are written to or refused" "needs root and mknod"
fi

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$work"
	cp "$TT_SMI" copy
	nobody="setpriv --reuid=65534 --regid=65534 --clear-groups $work/copy"
	echo old >theirs
	chown 65534:65534 theirs
	run tt-smi -s --sim p150a -f theirs
	check "another user's file is replaced by one of ours" test "$(stat -c %u:%g theirs)" = 0:0
	check "which has the snapshot" is_snapshot theirs
	chown 65534:65534 theirs
	run $nobody -s --sim p150a -f "$work/theirs"
	rc_is 0 "a file that one may write to in a folder that one may not"
	check "has the snapshot" is_snapshot theirs
	check "and its owner" test "$(stat -c %u:%g theirs)" = 65534:65534
	run $nobody -s --sim p150a -f "$work/x.log"
	rc_is 1 "a folder that may not be written to is a failure"
	err_lacks "root" "and no advice to try as root"
	run $nobody -d -dur 0.2 -dir "$work/x" --sim p150a
	rc_is 1 "nor may a dump be made there"
	err_lacks "root" "and that is no reason to become root either"
	mkdir -m 1777 sticky
	ln -s "$work/elsewhere" sticky/report
	chown -h 65534:65534 sticky/report
	run tt-smi -r 0 --sim p150a --report sticky/report
	rc_is 1 "another user's link is not followed for a report"
	err_has "name a file or folder that you may write to" "which root is told, too"
	err_lacks "try as root" "with no advice to become it"
	mkdir -m 1777 shared
	echo victim >victim
	ln -s ../victim shared/trap
	chown -h 65534 shared/trap
	run tt-smi -s --sim p150a -f shared/trap
	rc_is 1 "another user's link in a shared folder is not followed"
	check "and what it names is left alone" grep -q victim victim
	mkdir elsewhere
	ln -s ../elsewhere shared/trapdir
	chown -h 65534 shared/trapdir
	for to in shared/trapdir shared/trapdir/ shared/trapdir/deeper; do
		run tt-smi -d -dur 0.2 -dir $to --sim p150a
		rc_is 1 "-d -dir $to: nor is such a link to a folder"
		err_code unsafe-path 'shared/trapdir' "-d -dir $to: which is said"
	done
	check "nothing comes into the folder that it names" test -z "$(ls -A elsewhere)"
	(cd shared && ln -s ../elsewhere tt-smi-logs && chown -h 65534 tt-smi-logs &&
		run tt-smi -d -dur 0.2 --sim p150a; run tt-smi -s -f --sim p150a)
	check "nor by the name of the default folder" test -z "$(ls -A elsewhere)"
	ln -s ../elsewhere shared/mine
	run tt-smi -d -dur 0.2 -dir shared/mine --sim p150a
	rc_is 0 "a link of one's own is followed"
	check "and the dump is there" test -s elsewhere/index.json
else
	skip "owners stay" "needs root and setpriv"
fi

# ---- what no handler sees: a report that is being written leaves nothing half made ----
if [ "$(stat -f -c %T . 2>/dev/null)" = nfs ]; then
	skip "killed by a signal" "NFS has no files without a name"
else
	# The draft has its name, and the file that shall replace it is open.
	writes() {
		[ -e "on-$signal/r.json" ] &&
			find "/proc/$burn/fd" -lname "$work/on-$signal/*" 2>/dev/null | grep -q .
	}
	for signal in KILL ABRT USR1 USR2 ALRM SEGV BUS; do
		mkdir "on-$signal"
		(cd "on-$signal" && ulimit -c 0 &&
			exec tt-smi -b host --threads 1 -dur 60 --report r.json) >/dev/null 2>&1 </dev/null &
		burn=$!
		await writes
		kill "-$signal" $burn
		wait $burn 2>/dev/null
		check "SIG$signal leaves no temporary file" test -z "$(find "on-$signal" -type f ! -name r.json)"
	done
fi
# And the log of simulated boards is nobody else's file.
mkfifo simfifo
ln -s simtarget simlink
for log in simfifo simlink; do
	TT_SMI_SIM_LOG=$work/$log run timeout 20 tt-smi -s --sim p150a
	rc_is 1 "TT_SMI_SIM_LOG that is a ${log#sim} is refused"
done
check "and the link is not followed" test ! -e simtarget

# ---- the workbook in another user's folder ----
TT_SMI_VIRTUAL_TIME=1795000000; export TT_SMI_VIRTUAL_TIME
run tt-smi -d -dir dump -dur 5 --sim p150a
unset TT_SMI_VIRTUAL_TIME
rm dump/telemetry.xlsx
echo victim >victim
shim=$(shim eio_shim)
if [ -e "$shim" ] && LD_PRELOAD=$shim tt-smi -v >/dev/null 2>&1; then
	EVIL_DIR=$work/dump EVIL_LINK=$work/victim LD_PRELOAD=$shim run tt-smi --finish dump
	check "a neighbour who swaps names: the file that the link names is left alone" \
		grep -qx victim victim
	check "nor is the link made the workbook" \
		sh -c '! find dump -name "*.xlsx" -type l | grep -q .'
	# Without a name there is nothing to swap; where there has to be one it is not made.
	check "it is made whole or not at all" test "$rc" -eq "$(find dump -name '*.xlsx' | wc -l |
		tr 01 10)"
	rm -f dump/*.xlsx
	LD_PRELOAD=$shim run tt-smi --finish dump
	rc_is 0 "without such a neighbour it is made"
else
	skip "a replaced temporary file is not written to" "preloading does not work here (sanitizers?)"
fi

# ---- what is read ----
mkdir -p odd
mkfifo odd/index.json
run timeout 20 tt-smi --finish odd
rc_is 1 "--finish of a FIFO ends at once"
err_code wrong-kind 'odd/index.json' "and says what it is"
run timeout 20 tt-smi -s --load fifo
rc_is 1 "--load of a FIFO ends at once"
err_code wrong-kind 'fifo' "and says what it is"
run timeout 20 tt-smi -s --replay fifo
rc_is 1 "and so does --replay"
rm dump/0_*.csv
mkfifo dump/0_p150a_0000-01-00.0.csv
run timeout 20 tt-smi --finish dump
rc_is 4 "a FIFO among the CSV files is a missing file"
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
for f in $(cd tree && find . -name tt_aiclk -o -name power1_input -o -name cpuinfo -o -name passwd); do
	rm "tree/$f"
	mkfifo "tree/$f"
done
check "the tree has FIFOs" test -n "$(find tree -type p)"
run timeout 20 tt-smi -s --root tree
check "--root with FIFOs for files does not wait" test "$rc" -ne 124
run tt-smi -s --sim p150a
cat "$out" | timeout 20 tt-smi -s --load /dev/stdin >loaded 2>"$err"
check "--load takes a snapshot from a pipe" is_snapshot loaded
done_testing
