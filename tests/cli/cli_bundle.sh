# SPDX-License-Identifier: GPL-2.0-or-later
# --bundle: what is in it is what was read, it opens again, it says what is missing, --external leaves
# nobody's names in it, and whatever goes wrong leaves no half file.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "--bundle" "jq is not installed"; done_testing; exit; }

bundle() {	# options...: into b.tar.gz, unpacked in b/
	rm -rf b b.tar.gz
	run tt-smi --bundle b.tar.gz "$@"
	mkdir b
	[ ! -e b.tar.gz ] || tar -xzf b.tar.gz -C b --strip-components=1
}
# Every value of every card, but what a second look alone tells.
values() {
	jq -S '[.device_info[] | {board_info, readings: (.readings | map_values([.value, .state]))}]' "$1"
}
opens() {	# name option...: reads as the bundle's snapshot
	local name=$1
	shift
	tt-smi -s --json "$@" >again.json 2>/dev/null
	values b/snapshot.json >was
	values again.json >now
	check "$name: it has values" test "$(grep -c . was)" -gt 40
	check "$name: they are the bundle's" diff was now
}
judged() {	# root: its health, whatever the root is called
	tt-smi --health --json --root "$1" 2>/dev/null | sed "s|\"$1/|\"ROOT/|" |
		jq '[.checks[] | .id, .index, .result, .text]'
}
misses() {	# what: of bundle.json
	jq -r --arg what "$1" '.missing[] | select(.what == $what) | .code' b/bundle.json
}

unpack() {	# what was made aside: rc, and b/
	came "$1"
	rm -rf b
	mkdir b
	tar -xzf $1.tar.gz -C b --strip-components=1
}

# What waits for its deadline runs beside the rest: a file of a card that never answers, then all of
# a card, then a controller.  The time is long, so that what answers does so before it.
hang=$(shim eio_shim)
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" still
chmod -R u+w still
aside file env HANG_READ=tt_fw_bundle_ver LD_PRELOAD="$hang" \
	tt-smi --bundle file.tar.gz --root still --deadline 10
aside card env HANG_READ=0000:01:00.0/config HANG_PREAD=/config LD_PRELOAD="$hang" \
	tt-smi --bundle card.tar.gz --root still --deadline 10 --timeout 0.5
printf '#!/bin/sh\nexec sleep 1000\n' >mute
chmod +x mute
aside mute env TT_SMI_SIM_IPMITOOL="$work/mute" tt-smi --bundle mute.tar.gz --sim galaxy-bh --deadline 10

# ---- simulated boards ----

bundle --sim 'p150a,n300,n150'
rc_is 0 "a healthy machine"
out_has "Bundle saved to b.tar.gz" "its name is said"
err_has "--external leaves them out" "and that it has names"
check "nothing is behind its end, where gzip has the length" \
	test "$(tail -c 4 b.tar.gz | od -An -tu4 | tr -d ' ')" = "$(zcat b.tar.gz | wc -c)"
check "for the owner alone" test "$(stat -c %a b.tar.gz)" = 600
for file in bundle.json snapshot.json health.json health.txt cards.rec; do
	check "it has $file" test -s b/$file
done
check "the verdict is in it" test "$(jq -r .verdict b/health.json)" = WARN
check "the heartbeat was judged" test "$(jq -r '[.checks[] | select(.id == "heartbeat") | .result] |
	unique | join(" ")' b/health.json)" = PASS
check "so is the version" test "$(jq -r .versions.tt_smi b/bundle.json | cut -c1-2)" = "6."
check "bundle.json lists the files" test "$(jq -r '.files | length' b/bundle.json)" = 4
opens "the recording" --replay b/cards.rec
opens "the snapshot" --load b/snapshot.json
check "a simulated board has no tree" test "$(misses tree)" = simulated

bundle --sim 'p150a,p150a:hang,p150a'
rc_is 5 "a card that hangs: the verdict"
err_code hung '1 0000:02:00.0' "stderr names it, and says why"
check "bundle.json says what is missing" test "$(misses '1 0000:02:00.0')" = hung
check "the others are there" test "$(jq '[.device_info[].readings.power.value | numbers] | length' \
	b/snapshot.json)" = 2
tt-smi -s --json --replay b/cards.rec 2>/dev/null |
	jq -S '[.device_info[].readings.power.value | numbers]' >now
jq -S '[.device_info[].readings.power.value | numbers]' b/snapshot.json >was
check "and in the recording" diff was now
bundle --sim '31*p150a:slow,p150a' --deadline 60 --timeout 0.3
rc_is 5 "31 slow cards"
check "a bundle all the same" test "$(jq '.missing | length' b/bundle.json)" -ge 31
echo 'expected_chips = 2' >conf
TT_SMI_CONFIG=conf bundle --sim p150a
rc_is 5 "what the configuration expects holds as for --health"
check "and that is in it" test "$(jq -r '.checks[] | select(.id == "expected") | .result' b/health.json)" = FAIL
bundle --sim 'p150a,n300,n150' --strict
rc_is 5 "--strict: a WARN"
echo '{ "firmware": "79.0.0" }' >golden.json
bundle --sim p150a --expect golden.json
rc_is 5 "--expect: the pins"
echo 'firmware blackhole 79.0.0' >floors
bundle --sim p150a --floors floors
check "--floors: the floors" grep -q 79.0.0 b/health.txt
bundle --sim p150a --floors nowhere
rc_is 1 "floors that are not there"
check "nothing was made" test ! -e b.tar.gz
bundle --sim p150a --device 7
rc_is 3 "a card that is not there"
check "nothing was made" test ! -e b.tar.gz
run tt-smi --bundle
rc_is 2 "without a name"
run tt-smi --bundle b.tar.gz --load b/snapshot.json
rc_is 2 "of a file: nothing could be recorded"
run tt-smi --bundle /dev/full --sim p150a
rc_is 1 "a device is no new file"

# ---- a tree ----

for chip in blackhole wormhole; do
	rm -rf tree
	cp -r "$top_srcdir/tests/fixtures/sysfs/$chip" tree
	chmod -R u+w tree
	bundle --root tree
	check "$chip: made" test -s b/snapshot.json
	opens "$chip: the tree" --root b/tree
	opens "$chip: the recording" --replay b/cards.rec
	judged tree >was
	judged b/tree >now
	check "$chip: health of the tree is as it was" diff was now
done
rm -rf tree
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
card=tree/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0
bundle --root tree
check "config space" cmp -n 256 $card/config b/$card/config
check "what was not there is named" test "$(misses driver.log)" = not-found
printf '%s\n' '6,1,100,-;usb 1-1: new device' '4,2,2500000,-;tenstorrent 0000:01:00.0: it \x1b[31mbroke' \
	' SUBSYSTEM=pci' '3,3,3000001,-;pcieport 0000:01:00.0: AER: error' \
	"$(printf '12,4,4,-;tenstorrent: a program says \033[31mso')" \
	"$(printf '4,5,5000000,-;tenstorrent: \033]0;title')" >tree/dev/kmsg
bundle --root tree
check "the driver's lines" grep -q '^\[    2.500000\] <4> tenstorrent 0000:01:00.0: it' b/driver.log
check "and the bus's of the card" grep -q 'AER: error' b/driver.log
check "and no others" test "$(grep -c . b/driver.log)" = 3
check "escape sequences are written out" sh -c "! grep -q \"$(printf '\033')\" b/driver.log"
yes '6,6,6000000,-;usb 1-1: new device' | head -c 9000000 >>tree/dev/kmsg
echo '6,7,7000000,-;tenstorrent: the last' >>tree/dev/kmsg
bundle --root tree
check "a log with more than is read has its first lines" test "$(grep -c . b/driver.log)" = 3
check "and is said to go on" test "$(misses driver.log)" = too-large

# ---- nobody's names ----

echo secret-host >tree/proc/sys/kernel/hostname
echo 4242 >tree/proc/driver/tenstorrent/0/pids
mkdir -p tree/proc/4242/fd tree/proc/4242/fdinfo
printf 'python3\0secret-train.py\0' >tree/proc/4242/cmdline
printf 'Uid:\t0\t0\t0\t0\n' >tree/proc/4242/status
ln -s /dev/tenstorrent/0 tree/proc/4242/fd/5
printf 'pos:\t0\nflags:\t02100002\n' >tree/proc/4242/fdinfo/5
echo 00000401deadbee1 >$card/tenstorrent/tenstorrent\!0/tt_serial
echo 1234567890abcdef >$card/tenstorrent/tenstorrent\!0/tt_asic_id
echo '6,9,100,-;tenstorrent: board 00000401DEADBEE1' >tree/dev/kmsg
names='secret-host|secret-train|deadbee1|1234567890abcdef|12345678|90abcdef'
bundle --root tree
check "without --external they are there" grep -rqiE "$names" b
bundle --root tree --external
check "made" test -s b/bundle.json
check "no serial, host, program" sh -c "! grep -rliE '$names' b"
check "nor a user" test "$(jq -r '.processes[].user' b/snapshot.json)" = N/A
check "what kind of board it is, is" grep -rq 00000401000000 b/$card/tenstorrent/tenstorrent\!0/tt_serial
err_lacks "--external leaves" "nothing to warn of"
opens "an external tree" --root b/tree --external
for spec in 'p150a,n300,n150:held' tt-galaxy-bh; do
	bundle --sim "$spec"
	jq -r '.device_info[] | .readings | .board_id.value, .asic_id.value, .asic_id_short.value | strings' \
		b/snapshot.json | grep -o '[0-9a-f]\{8\}$' | sort -u >ids
	jq -r '.processes[].cmdline, .host_info.Hostname' b/snapshot.json >>ids
	check "$spec: there are numbers" test "$(grep -c . ids)" -ge 2
	check "$spec: in the bundle" grep -rqFf ids b
	bundle --sim "$spec" --external
	check "$spec: and not with --external" sh -c "! grep -rlFf ids b"
	opens "$spec: an external recording" --replay b/cards.rec --external
done

# A word planted in each source, and in each line of it: none of it is in any file of the bundle.
# Each form comes alone, and with letters and digits around it.
cp -r tree planted
host=planted/proc/sys/kernel/hostname
words="hidden-host alice job-4711 02:1a:2b:3c:4d:5e 021a2b3c4d5e 10.77.33.99 /home/alice/x.pt
	--key=abc123 00000401DEADBEE1 0x401deadbee1 4411256127201 deadbee1 DEAD-BEE1 xdeadbee1y _deadbee1_"
find planted -type f ! -path '*/fd*' ! -path '*/4242/*' ! -name config >sources
mkdir -p planted/etc
printf 'PRETTY_NAME="Debian GNU/Linux 12 (%s)"\n' $words >planted/etc/os-release
for word in $words; do
	echo "6,9,100,-;tenstorrent 0000:01:00.0: opened by $word[77]"
	echo "6,9,100,-;tenstorrent 0000:01:00.0: Found a Tenstorrent Blackhole device $word"
	echo "6,9,100,-;Command line: root=UUID=$word tenstorrent.x=1"
	echo "6,9,100,-;pcieport 0000:01:00.0: AER: Corrected error received: $word"
done >planted/dev/kmsg
echo "6,9,100,-;tenstorrent 0000:01:00.0: Device is unresponsive, cannot reset." >>planted/dev/kmsg
for word in $words; do
	rm -rf each
	cp -r planted each
	for source in $(sed 's/^planted/each/' sources); do
		case $source in
		*kmsg | */vendor | */device | */pids | */dev/tenstorrent/*) ;;	# else it is no card of ours
		*) printf '%s\n%s x\nx%s\n' "$word" "$word" "$word" >>"$source" ;;
		esac
	done
	bundle --root each --external
	check "$word: made" test -s b/bundle.json
	check "$word: in no file of the bundle, nor a name" \
		sh -c "! find b | grep -iF -e '$word' && ! grep -raiF -e '$word' b"
done
check "a line of the driver is there" grep -q 'Device is unresponsive' b/driver.log
check "of the kernel's messages nothing else" test "$(grep -c . b/driver.log)" = 1
check "what was left out is counted" \
	test "$(jq '.left_out.lines[] | select(.what == "driver.log") | .lines' b/bundle.json)" = $((4 * $(echo $words | wc -w)))
check "files without a list are counted" test "$(jq .left_out.files b/bundle.json)" = 1
err_has "left out by --external: " "and on stderr"
# All that a bundle has without --external has a list, but what is named here.
bundle --root tree
jq -r '.files[]' b/bundle.json | sort >all
bundle --root tree --external
jq -r '.files[], .left_out.lines[].what' b/bundle.json | sort -u >listed
comm -23 all listed >unlisted
check "a file of a bundle without a list" test "$(cat unlisted)" = tree/proc/sys/kernel/hostname

# ---- hostile trees ----

echo secret >outside
ln -sf "$work/outside" $card/tenstorrent/tenstorrent\!0/tt_card_type
bundle --root tree
check "a link in an attribute's place is not followed" test ! -e b/$card/tenstorrent/tenstorrent\!0/tt_card_type
check "nor what it leads to" sh -c "! grep -rq secret\$ b/tree"
check "but said" grep -q "Too many levels of symbolic links" b/bundle.json
rm $card/tenstorrent/tenstorrent\!0/tt_card_type
mkfifo $card/tenstorrent/tenstorrent\!0/tt_card_type
bundle --root tree
check "a FIFO is not waited for" test -s b/bundle.json
rm $card/tenstorrent/tenstorrent\!0/tt_card_type
ln -sfn ../../../../../../../../../../../../etc $card/driver
bundle --root tree
check "a link that leads out is left out" test ! -L b/$card/driver
ln -sfn ../../../../bus/pci/drivers/tenstorrent $card/driver
strange="tree/sys/devices/$(printf 'a\033[31mb')"
mkdir -p "$strange"
mv tree/sys/devices/pci0000:00 "$strange/"
ln -sfn "../../../devices/$(printf 'a\033[31mb')/pci0000:00/0000:00:04.0/0000:01:00.0" \
	tree/sys/bus/pci/devices/0000:01:00.0
bundle --root tree
check "a strange name is left out" test ! -e b/tree/sys/bus/pci/devices/0000:01:00.0
check "and commands no terminal" sh -c "! grep -rq \"$(printf '\033')\" b \"$err\""
mv "$strange/pci0000:00" tree/sys/devices/
long=$(printf '%0250d' 0)
deep=tree/sys/devices
for _ in $(seq 13); do deep=$deep/$long; done
mkdir -p $deep
mv tree/sys/devices/pci0000:00 $deep/
ln -sfn "../../../${deep#tree/sys/}/pci0000:00/0000:00:04.0/0000:01:00.0" \
	tree/sys/bus/pci/devices/0000:01:00.0 2>/dev/null
bundle --root tree
check "names of 4 kB" test -s b/bundle.json
mv $deep/pci0000:00 tree/sys/devices/
ln -sfn ../../../devices/pci0000:00/0000:00:04.0/0000:01:00.0 tree/sys/bus/pci/devices/0000:01:00.0

for k in $(seq 40); do
	mkdir $card/hwmon/hwmon$k
	head -c 20000 /dev/zero >$card/hwmon/hwmon$k/name
done
bundle --root tree
check "folders without end: bounded, and said" grep -q "more files than any card" b/bundle.json
rm -r $card/hwmon/hwmon[1-9]*

# ---- where it cannot be written ----

echo mine >there
for file in there link dangling; do
	case $file in link) ln -s there link ;; dangling) ln -s nowhere dangling ;; esac
	run tt-smi --bundle $file --sim p150a
	rc_is 1 "$file: refused"
	err_code exists "$file" "and said"
done
check "what was there stays" test "$(cat there)" = mine
check "no link was followed" test ! -e nowhere
for few in 4 5 6 7 8; do
	run sh -c "ulimit -n $few; exec tt-smi --bundle few$few.tar.gz --sim p150a"
	cat "$err" >>few.txt
done
check "where descriptors lack, they are the reason" grep -q 'a library of libarchive13.*: Too many open files' few.txt
check "and not a package that is installed" sh -c '! grep -q "install lib" few.txt'
run tt-smi --bundle no/b.tar.gz --sim p150a
rc_is 1 "a folder that is not there"
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=8k none small 2>/dev/null; then
	run tt-smi --bundle small/b.tar.gz --sim '8*p150a'
	rc_is 1 "a full disk"
	run tt-smi --bundle small/b.tar.gz --sim '8*p150a' --expected 9
	rc_is 5 "a full disk hides no verdict"
	err_code no-space 'small/b.tar.gz' "is said"
	check "and nothing is left there" test -z "$(ls -A small)"
	mount -o remount,ro small
	run tt-smi --bundle small/b.tar.gz --sim p150a
	rc_is 1 "a read-only folder"
	err_code read-only 'small/b.tar.gz' "is said before anything is read"
	umount small
else
	skip "a full disk" "needs root and a tmpfs"
fi
mkdir killed
for signal in TERM KILL; do
	env HANG_PREAD=/config LD_PRELOAD="$hang" tt-smi --bundle killed/b.tar.gz --root tree \
		--deadline 1000 --timeout 1000 2>/dev/null &
	pid=$!
	await pgrep -P $pid >/dev/null
	kill -$signal $pid
	wait $pid 2>/dev/null
	check "SIG$signal in the middle leaves nothing" test -z "$(ls -A killed)"
done

# ---- the controller of a galaxy ----

cat >ipmitool <<'END'
#!/bin/sh
echo "$@" >>calls
case "$*" in
"fru print") printf 'FRU Device Description : UBB1\n Board Serial : SECRET99\n Board Product : Galaxy\n Board Extra : 02:1a:2b\n' ;;
"sel list") printf '1 | 11/23/2026 | 10:12:13 | Power Supply #1 | Failure\n' ;;
esac
END
chmod +x ipmitool
export TT_SMI_SIM_IPMITOOL="$work/ipmitool"
bundle --sim galaxy-bh
check "a galaxy: its parts" grep -q "Board Serial : SECRET99" b/ipmi/fru.txt
check "and what happened" grep -q "Power Supply" b/ipmi/sel.txt
check "nothing else was asked" test "$(sort -u calls | tr '\n' ';')" = "fru print;sel list;"
bundle --sim galaxy-bh --external
check "--external: what they are" grep -q "Board Product : Galaxy" b/ipmi/fru.txt
check "and what happened" grep -q "Power Supply #1 | Failure" b/ipmi/sel.txt
check "no line of another kind" not grep -q Extra b/ipmi/fru.txt
check "and not which" sh -c "! grep -rq SECRET99 b"
rm calls
bundle --sim '8*p150a'
check "no galaxy: it is not run" test ! -e calls
printf '#!/bin/sh\necho FRU\nexit 1\n' >ipmitool
bundle --sim galaxy-bh
check "one that fails is named" grep -q "ipmitool fru print failed: FRU" b/bundle.json
check "what it said is kept" grep -q FRU b/ipmi/fru.txt
printf '#!/bin/sh\nexec yes FRU\n' >ipmitool
bundle --sim galaxy-bh
check "one without an end, too" grep -q "prints without end" b/bundle.json
check "what it printed is bounded" test "$(wc -c <b/ipmi/fru.txt)" -lt 300000

# ---- what never answered ----

card=still/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0
unpack file
check "a file that hangs: what came before is there" test -e b/tree/${card#still/}/config
check "and it is named" grep -q 'reading .*tt_fw_bundle_ver' b/bundle.json
check "the snapshot is whole" test "$(jq '.device_info | length' b/snapshot.json)" = 1
unpack card
rc_is 5 "a card that hangs: the verdict"
check "it is named" test "$(misses '0 0000:01:00.0')" = hung
check "the host is there" test -s b/tree/proc/cpuinfo
unpack mute
check "a controller that hangs is named" grep -q "nothing for too long" b/bundle.json
done_testing
