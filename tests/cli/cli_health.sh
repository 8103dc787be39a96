# SPDX-License-Identifier: GPL-2.0-or-later
# --health: every check from PASS to what is wrong and back, the exit code, the three forms of its
# answer, and the deadline that holds whatever the cards do.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "--health" "jq is not installed"; done_testing; exit; }

checked=
is() {	# id result name: the worst of all chips, in the JSON in $out
	checked="$checked $1:$2"
	[ results -nt "$out" ] || jq -r '["FAIL", "SKIP", "WARN", "PASS", "N/A"] as $all |
		.checks | group_by(.id)[] | [.[].result] as $found |
		"\(.[0].id) \(($all - ($all - $found))[0])"' "$out" >results
	check "$3: $1 is $2" has_line results "^$1 $2\$"
}
judged() {	# rc options...: of its JSON
	local code=$1
	shift
	run tt-smi --health --json "$@"
	rc_is "$code" "--health $*"
}

# ---- simulated boards: the faults that a sample shows ----

judged 0 --sim '2*p150a'
check "healthy: PASS" test "$(jq -r .verdict "$out")" = PASS
for id in answer link heartbeat firmware temperature throttle trips fan power memory memory-heat memory-errors ethernet \
	readings holders serials same-firmware; do
	is $id PASS healthy
done
for id in driver driver-version dma node bars link-errors awake expected trays; do
	is $id N/A "simulated, and nobody said how many"
done
fault() {	# fault rc [id result]...: of one card beside a healthy one, and without it again
	local fault=$1 code=$2 id
	shift 2
	judged "$code" --sim "p150a:$fault,p150a" --timeout 0.3
	check "$fault: the other card has no trouble" test "$(jq '[.checks[] | select(.index == 1 and
		(.result | IN("FAIL", "WARN", "SKIP")))] | length' "$out")" = 0
	ids=
	while [ $# -gt 0 ]; do
		is "$1" "$2" "$fault"
		ids="$ids $1"
		shift 2
	done
	judged 0 --sim '2*p150a'
	for id in $ids; do is "$id" PASS "$fault is gone"; done
}
fault hot 5 temperature FAIL throttle WARN memory-heat FAIL
fault width 5 link FAIL
fault stuck 5 heartbeat FAIL temperature SKIP memory SKIP memory-errors SKIP ethernet SKIP readings SKIP
fault dram 5 memory FAIL
fault eth 5 ethernet FAIL
fault garbage 4 readings WARN trips SKIP
fault held 0 holders WARN
fault hang 5 answer FAIL memory SKIP serials SKIP same-firmware SKIP
fault slow 5 answer FAIL
fault gone 5 answer FAIL
fault off 5 answer FAIL
judged 4 --sim p150a:stuck --checks temperature,memory,link
is temperature SKIP "a firmware that has stopped is not asked about, and what it said is old"
is link PASS "what the kernel says is not"
judged 5 --strict --sim p150a:held
judged 0 --sim p150a:held --checks link,answer --strict
check "--checks: these alone" \
	test "$(jq -r '[.checks[].id] | sort | join(" ")' "$out")" = "answer link"

# What the tool itself lacks is no fact about a card
few() {	# command...: with no descriptor for a process that reads cards
	for fd in 3 4 5 6 7 8 9; do
		eval "exec $fd>&-"
	done
	ulimit -n 5
	exec "$@" </dev/null
}
# LeakSanitizer opens /proc at the end of a program.
export ASAN_OPTIONS=detect_leaks=0
(few tt-smi --health --json --sim '2*p150a') >"$out" 2>"$err"
rc=$?
rc_is 4 "five descriptors: nothing is known of the cards"
is answer SKIP "five descriptors"
check "five descriptors: the next step is about the limit, and no reset" test \
	"$(jq -r '.checks[] | select(.id == "answer") | .next' "$out" | sort -u)" = \
	"raise the limit of descriptors: ulimit -n"
(few tt-smi --health --nagios --sim '2*p150a') >"$out" 2>"$err"
rc=$?
rc_is 3 "five descriptors: UNKNOWN to a monitoring system"
unset ASAN_OPTIONS

judged 5 --sim '2*p150a' --expected 3
is expected FAIL "three expected"
judged 0 --sim '3*p150a' --expected 3
is expected PASS "three expected, and here"
judged 0 --sim p150a,n300 --expected 3
is expected PASS "a second chip that is not read is one of three"
judged 5 --sim p150a,n300 --expected 4
is expected FAIL "not one of four"
judged 5 --sim p150a:gone,n300 --expected 3
is expected FAIL "nor is a card that is gone"
tt-smi --textfile expected.prom --once --expected 3 --sim p150a,n300 2>/dev/null
check "metrics count the same" has_line expected.prom '^tt_smi_chips_present 3$'
rm -r "$TT_SMI_STATE_DIR"
run tt-smi --expected 4 --sim p150a,n300
out_has "3 of 4 chips" "and so does the overview"
judged 0 --sim tt-galaxy-bh
is trays PASS "a whole galaxy"
judged 5 --sim tt-galaxy-bh:gone
is trays FAIL "a galaxy without its first tray's chips"
judged 0 --sim tt-galaxy-bh
is trays PASS "a whole galaxy again"
run tt-smi --health 1 --json --sim '3*p150a' --expected 3
check "JSON: no line is empty" not has_line "$out" '^$'
is expected PASS "one card of three is looked at, and three are here"
judged 4 --sim e150
is memory SKIP "a table whose address would have to be asked for by a message is not read"
is heartbeat SKIP "and its heartbeat stands there"
check "each of both with what does read it" test "$(jq -r '[.checks[] | select(.result == "SKIP") | .next] |
	unique | join("|")' "$out")" = "tt-smi -s, while no process holds the board"
spec=$(sed -n "s/.*add \`--sim '\([^']*\)'.*/\1/p" "$top_srcdir/README.md")
run tt-smi --health --strict --sim "${spec:-none}"
rc_is 0 "the boards that README adds to its examples pass"
run tt-smi --health --passive --sim p150a
out_has "-> leave out --passive" "and after an option that forbids it, that option"
# An n300's second chip is not read, and not missed.
judged 0 --sim n300 --checks answer,link,memory
check "a second chip is not touched" test "$(jq .chips "$out")" = 1

# What exporters have kept is what is expected; looking does not change it.
tt-smi --textfile x.prom --once --sim '3*p150a' 2>/dev/null
cp -r "$TT_SMI_STATE_DIR" kept
judged 5 --sim '2*p150a'
is expected FAIL "three were seen"
check "and what is missing is named" grep -q '0000:03:00.0' "$out"
check "the state is as it was" diff -r kept "$TT_SMI_STATE_DIR"
rm -r "$TT_SMI_STATE_DIR"
judged 0 --sim '2*p150a' --expected 2
is expected PASS "two that are expected"

# A list that is not known makes no PASS.
tt-smi --textfile x.prom --once --sim '4*p150a' 2>/dev/null
list=$TT_SMI_STATE_DIR/roster-sim
sed -i '$d' "$list"
judged 4 --sim '3*p150a'
is expected SKIP "a torn list"
out_has "$list: torn or not ours" "and the file is named"
run tt-smi --health --sim '3*p150a'
out_has "-> say how many there should be: --expected N" "with what to do"
judged 0 --sim '3*p150a' --expected 3
is expected PASS "with --expected the list is not needed"
rm "$list" && mkdir "$list"
judged 4 --sim '3*p150a'
is expected SKIP "a folder in its place"
rmdir "$list"
judged 0 --sim '3*p150a'
is expected N/A "no list"

# A second chip that a program with --remote has put on the list is still not missed.
tt-smi --textfile x.prom --once --remote --sim n300,p150a 2>/dev/null
judged 0 --sim n300,p150a
is expected PASS "the second chip of an n300 was seen, and is not read"
run tt-smi --health 1 --json --sim n300,p150a
is expected PASS "nor is it where one card is looked at"
judged 5 --sim n300
is expected FAIL "the card beside it is missed"
rm -r "$TT_SMI_STATE_DIR"

# Words of the firmware that no fault of a simulated board changes, as a snapshot has them.
tt-smi -s --sim p150a | jq 'del(.device_info[].tags, .device_info[].readings)' >whole.json
words() {	# rc jq-expression [id result]...: of one chip's words, and without the change again
	local code=$1 change=$2 id ids=
	shift 2
	jq ".device_info[0].smbus_telem |= ($change)" whole.json >words.json
	judged "$code" --load words.json
	while [ $# -gt 0 ]; do
		is "$1" "$2" "$change"
		ids="$ids $1"
		shift 2
	done
	judged 0 --load whole.json
	for id in $ids; do is "$id" PASS "without $change"; done
}
words 0 '.FAN_SPEED = "0x64" | .FAN_RPM = "0x0"' fan WARN
words 0 '.TDP = "0xa5"' power WARN
words 5 '.GDDR_STATUS = "0x0" | .DDR_STATUS = "0x0" | .ETH_LIVE_STATUS = "0x0" |
	.MAX_GDDR_TEMP = "0x0" | with_entries(if .key | test("GDDR_._._TEMP") then .value = "0x0" else . end)' \
	power FAIL memory FAIL
out_lacks "tt-smi -wr" "no reset of a board without its power cable"

# ---- firmware, and the floors ----

printf 'firmware blackhole 79.0.0\n' >floors
judged 0 --sim p150a --floors floors
is firmware WARN "below its floor"
printf '# none\n' >floors
judged 0 --sim p150a --floors floors
is firmware N/A "without a floor"
judged 0 --sim p150a
is firmware PASS "above the floor that is built in"
printf 'driver 2.9.0\nfirmware greyskull 1\n' >floors
run tt-smi --health --sim p150a --floors floors
rc_is 2 "floors that say nothing we know"
err_code invalid 'floors' "and the line is named"
run tt-smi --health --sim p150a --floors nowhere
err_code not-found 'nowhere' "and so is a file that is not there"
tt-smi -s -f two.json --sim '2*p150a' 2>/dev/null
second() {	# tag value: the second card says this instead
	jq --arg tag "$1" --arg word "$2" '.device_info[1] |= (.tags[$tag] = $word |
		.smbus_telem[$tag] = $word)' two.json
}
second FLASH_BUNDLE_VERSION 0x12010000 >differ.json
judged 0 --load differ.json
is same-firmware WARN "two chips of a kind differ"
judged 0 --load two.json
is same-firmware PASS "two that do not"
jq '.device_info[1] |= (.tags.BOARD_ID_LOW = $first[0].device_info[0].tags.BOARD_ID_LOW |
	.tags.BOARD_ID_HIGH = $first[0].device_info[0].tags.BOARD_ID_HIGH)' \
	--slurpfile first two.json two.json >twins.json
judged 0 --load twins.json
is serials WARN "two boards with one number"
judged 0 --load two.json
is serials PASS "each with its own"
second GDDR_UNCORR_ERRS 0x4 >errors.json
judged 5 --load errors.json
is memory-errors FAIL "an uncorrected error"
judged 0 --load two.json
is memory-errors PASS "none"
second ETH_LIVE_STATUS 0x0 >dead.json
judged 4 --load dead.json
is ethernet SKIP "no channel of those that are switched on lives"
second ENABLED_ETH 0xffffffff >spare.json
judged 4 --load spare.json
is ethernet SKIP "which channels are switched on is not known"
# Why a card is slow: the words of its firmware, which names an arbiter for a healthy card, too.
why() {	# AICLK AICLK_ARB_MIN AICLK_ARB_MAX result line
	jq --arg now "$1" --arg asked "$2" --arg allowed "$3" '.device_info[1] |= (del(.readings) |
		.tags.AICLK = $now | .tags.AICLK_ARB_MIN = $asked | .tags.AICLK_ARB_MAX = $allowed)' \
		two.json >slow.json
	judged 0 --load slow.json
	check "$5: throttle is $4" test "$(jq -r '.checks[] | select(.id == "throttle" and .index == 1) |
		.result + " " + .text' "$out")" = "$4 $5"
	tt-smi --load slow.json >slow.overview
}
why 0x546 0x10546 0x80546 PASS "aiclk 1350 MHz"
check "the overview has no line for it" sh -c '! grep -Eq "clock (at|held)" slow.overview'
why 0x44c 0x10546 0x4044c WARN "clock held at 1100 MHz (thermal)"
check "the overview has the same line" grep -q "clock held at 1100 MHz (thermal)" slow.overview
why 0x320 0x10320 0x4044c PASS "clock at 800 of 1350 MHz: idle, no program asks for more"
check "so it does for an idle one" grep -q "at 800 of 1350 MHz: idle, no program asks" slow.overview
why 0x546 0x10546 0x80546 PASS "aiclk 1350 MHz"
jq '.device_info[1].health.heartbeat = "unknown"' two.json >unjudged.json
judged 4 --load unjudged.json
is heartbeat SKIP "a file that does not tell whether firmware lives"

# ---- the machine: a recorded tree ----

cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
card=tree/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0
echo 2.10.0 >tree/sys/module/tenstorrent/version
bars() {
	printf '%s\n' "0x00000000$1 0x00000000e1ffffff 0x0000000000040200" \
		"0x0000000000000000 0x0000000000000000 0x0000000000000000" >$card/resource
}
of_tree() { run tt-smi --health --json --root tree; }
bars e0000000
mkdir -p $card/iommu_group
echo DMA-FQ >$card/iommu_group/type
of_tree
for id in driver driver-version node bars dma link; do is $id PASS "a tree"; done
bars 00000000
of_tree
is bars FAIL "a window without an address"
bars e0000000
of_tree
is bars PASS "one with an address"
rm $card/resource
of_tree
is bars SKIP "no file tells"
mkfifo $card/resource
of_tree
is bars SKIP "a FIFO, which is not waited for"
rm $card/resource
node=$(echo tree/sys/class/tenstorrent/*)
of_tree
is trips PASS "it has not switched itself off"
echo 2 >"$node/tt_therm_trip_count"
of_tree
is trips WARN "it has, twice"
echo 0 >"$node/tt_therm_trip_count"
of_tree
is trips PASS "since power-on it has not"
is temperature PASS "below its limit"
mv $card/hwmon/hwmon*/temp1_max kept_limit
of_tree
is temperature SKIP "without a limit nobody can say"
mv kept_limit "$(echo $card/hwmon/hwmon*/)temp1_max"
mv $card/max_link_width kept_width
of_tree
is link SKIP "a link of which nobody knows what it could be"
mv kept_width $card/max_link_width
of_tree
is link PASS "and known again"
counted() {	# FILE's kind, number: of the bridge above the card
	printf 'RxErr 0\nTOTAL_ERR_ANY %s\n' "$2" >${card%/*}/aer_dev_$1
}
of_tree
is link-errors N/A "a kernel that does not count"
for kind in correctable nonfatal fatal; do counted $kind 0; done
of_tree
is link-errors PASS "no errors"
counted correctable 7
of_tree
is link-errors WARN "corrected errors of the bridge"
out_has "0000:00:04.0: 7 correctable errors" "are named with their link"
counted fatal 1
of_tree
is link-errors FAIL "a fatal one"
counted fatal 0
counted correctable 0
of_tree
is link-errors PASS "none any more"
echo identity >$card/iommu_group/type
of_tree
is dma WARN "an IOMMU that does not translate, and no pages"
pages=tree/sys/kernel/mm/hugepages/hugepages-1048576kB
mkdir -p $pages
echo 4 >$pages/nr_hugepages
of_tree
is dma SKIP "and with four pages of 1 GiB, mounted or not"
mkdir -p tree/proc tree/dev/hugepages-1G
dma() {	# result mount free what the rest is: what it says or advises
	echo "hugetlbfs /dev/hugepages-$2 0 0" >tree/proc/mounts
	echo "$3" >$pages/free_hugepages
	of_tree
	is dma "$1" "$4"
	out_has "$4" "dma: $4"
}
mounted='1G hugetlbfs rw,relatime,pagesize=1024M'
dma PASS "$mounted" 4 "4 of 4 pages of 1 GiB"
dma WARN '2M hugetlbfs rw,relatime,pagesize=2M' 4 "mount -t hugetlbfs -o pagesize=1G"
dma WARN '1G hugetlbfs rw,relatime,pagesize=2M' 4 "not mounted at /dev/hugepages-1G"
dma WARN "$mounted" 2 "end what uses them, or boot without iommu=pt"
touch tree/dev/hugepages-1G/tenstorrent tree/dev/hugepages-1G/device_0_channel_1_tenstorrent
dma PASS "$mounted" 2 "the IOMMU passes through"
rm -r tree/proc/mounts $pages
of_tree
is dma WARN "a processor without pages of 1 GiB"
out_has "boot without iommu=pt: this processor has no pages" "which nobody is told to reserve"
rm $card/iommu_group/type
of_tree
out_has "enable the IOMMU: this processor" "without an IOMMU it is to be enabled"
echo identity >$card/iommu_group/type
mkdir -p $pages
echo 4 >$pages/nr_hugepages
dma PASS "$mounted" 4 "4 of 4 pages of 1 GiB"
echo 3 >$pages/nr_hugepages
of_tree
is dma WARN "and with three"
echo 4 >$pages/nr_hugepages
of_tree
is dma PASS "and with four again"
echo 2.8.0 >tree/sys/module/tenstorrent/version
of_tree
is driver-version WARN "an old driver"
rm tree/sys/module/tenstorrent/version
of_tree
is driver FAIL "no driver"
rc_is 3 "and the exit code says so"
echo 2.10.0 >tree/sys/module/tenstorrent/version
of_tree
is driver PASS "the driver again"
is driver-version PASS "a new one"
is awake PASS "nobody has it yet"
mkdir -p tree/proc/4242/fd tree/proc/4242/fdinfo
echo 4242 >tree/proc/driver/tenstorrent/0/pids
printf 'python3\0train.py\0' >tree/proc/4242/cmdline
printf 'Uid:\t0\t0\t0\t0\n' >tree/proc/4242/status
ln -s /dev/tenstorrent/0 tree/proc/4242/fd/5
printf 'pos:\t0\nflags:\t02100002\n' >tree/proc/4242/fdinfo/5
of_tree
is holders WARN "a program has it"
is awake WARN "and asks for power"
out_has "train.py" "and is named"
run tt-smi --health --json --root tree --external
out_lacks "train.py" "--external: but not to strangers"
check "nor is the host" test "$(jq -r .hostname "$out")" = null
printf 'pos:\t0\nflags:\t02102002\n' >tree/proc/4242/fdinfo/5
of_tree
is awake PASS "one that appends asks for none"
rm tree/proc/4242/fdinfo/5
of_tree
is awake SKIP "where nobody can see it"
rm -r tree/proc/4242
: >tree/proc/driver/tenstorrent/0/pids
of_tree
is awake PASS "nobody has it"

# ---- what is pinned: upstream's manifest against what is installed ----

served=$(tt-smi -v | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
pinned() {	# key version: alone, of the tree
	printf '{"%s": "%s", "installer": "3.6.0"}\n' "$1" "$2" >golden.json
	PATH=/opt/no:/usr/local/bin:$PATH run tt-smi --health --json --root tree --expect golden.json
}
held() {	# id key older equal newer
	pinned "$2" "$4"
	is "$1" PASS "equal"
	pinned "$2" "$5"
	is "$1" "$6" "behind"
	check "$1: and both versions are named" test "$(jq -r --arg id "$1" \
		'.checks[] | select(.id == $id) | .text | test("^behind: .*, pinned ")' "$out")" = true
	pinned "$2" "$3"
	is "$1" WARN "ahead"
	pinned "$2" "$4"
	is "$1" PASS "and equal again"
}
missing() {	# id key version result
	pinned "$2" "$3"
	is "$1" "$4" "missing"
	check "$1: and that is said" test "$(jq -r --arg id "$1" \
		'.checks[] | select(.id == $id) | .text | test("^missing, pinned ")' "$out")" = true
}
pinned flash 4.0.0
is pin-sfpi N/A "not pinned"
is pin-flash WARN "there is no tt-flash"
is pin-driver N/A "not pinned"
pinned sfpi 7.71.0
is pin-sfpi SKIP "a machine without a list of packages"
mkdir -p tree/var/lib/dpkg tree/usr/local/bin tree/usr/local/lib/python3.11/dist-packages
package() {	# name version status
	printf 'Package: %s\nStatus: %s\nVersion: %s\nDescription: a\n Package: sfpi\n\n' "$@"
}
{
	package sfpi-dev 99.0 'install ok installed'
	package tenstorrent-tools 'install ok installed' 1:1.4.1-1
} >tree/var/lib/dpkg/status
missing pin-sfpi sfpi 7.71.0 WARN
package sfpi 'deinstall ok config-files' 7.71.0 >>tree/var/lib/dpkg/status
missing pin-sfpi sfpi 7.71.0 WARN
package sfpi 'install ok installed' 7.71.0-2 >>tree/var/lib/dpkg/status
held pin-sfpi sfpi 7.70.9 7.71.0 7.72.0 WARN
held pin-tools hugepages 1.4.0 1.4.1 1.5.0 WARN
pinned tools v1.4.1
is pin-tools PASS "by its other name"
missing pin-flash flash 4.0.0 WARN
: >tree/usr/local/bin/tt-flash
pinned flash 4.0.0
is pin-flash SKIP "a program without a package beside it"
mkdir tree/usr/local/lib/python3.11/dist-packages/tt_flash-4.0.0.dist-info
held pin-flash flash 3.9.9 4.0.0 4.0.1 WARN
pinned smi "$served"
is pin-smi PASS "upstream's release whose interface is served"
for other in 1.0.0 6.6.0; do
	pinned smi $other
	is pin-smi N/A "upstream's release $other, whose program is not here"
done
: >tree/usr/local/bin/tt-smi
mkdir tree/usr/local/lib/python3.11/dist-packages/tt_smi-6.5.0.dist-info
held pin-smi smi 6.4.9 6.5.0 6.6.0 WARN
held pin-driver kmd 2.9.9 2.10.0 2.11.0 FAIL
pinned kmd 2.11.0
rc_is 5 "a driver that is behind fails the gate"
bundle=$(cat tree/sys/class/tenstorrent/*/tt_fw_bundle_ver)
held pin-firmware firmware 1.0.0 "$bundle" 79.0.0 FAIL
jq 'del(.device_info[1] | .tags.FLASH_BUNDLE_VERSION, .smbus_telem.FLASH_BUNDLE_VERSION,
	.firmwares.fw_bundle_version, .readings.fw_bundle_version)' two.json >unversioned.json
run tt-smi --health --json --load unversioned.json --expect golden.json
is pin-firmware FAIL "a chip whose firmware has no version"
out_has "missing, pinned " "and that is said"
run tt-smi --health --json --sim p150a:hang --expect golden.json
is pin-firmware SKIP "of a card that does not answer it is not known"
mv tree/sys/module/tenstorrent/version kept_version
missing pin-driver kmd 2.10.0 FAIL
mv kept_version tree/sys/module/tenstorrent/version
run tt-smi --health --root tree --expect golden.json
err_code unknown-field 'installer' "text says which pins it cannot hold against anything"
run tt-smi --health --json --sim p150a --expect golden.json
is pin-driver N/A "simulated boards have no driver"
wrong() {	# text name
	printf '%s' "$1" >golden.json
	run tt-smi --health --json --sim p150a --expect golden.json
	rc_is 2 "--expect: $2"
	err_code invalid 'golden.json' "$2: the file is named"
}
wrong '' "an empty file"
wrong '{"kmd": "2.9' "half of one"
wrong '["kmd"]' "a list"
wrong '{"installer": "3.6.0"}' "one that pins nothing that is looked at"
wrong '{"kmd": 2.9}' "a number"
wrong '{"kmd": "two"}' "a word"
wrong '{"kmd": "2.9.0", "kmd": "2.10.0"}' "two pins of one thing"
wrong '{"kmd": "\u001b]0;owned\u0007"}' "an escape sequence"
check "which does not reach the terminal" sh -c "! grep -q '$(printf '\033')' '$err'"
wrong "{\"kmd\": $(printf '%05000d' 0 | tr 0 '[')" "brackets without end"
mkfifo pipe
for file in pipe nowhere tree /dev/zero; do
	run tt-smi --health --sim p150a --expect $file
	check "--expect $file: refused, and at once" test "$rc" -ne 0
	err_has "$file" "--expect $file: named"
done

mkdir away
mv tree/sys/class/tenstorrent/* away
of_tree
is node FAIL "a card without a node"
mv away/* tree/sys/class/tenstorrent
of_tree
is node PASS "with its node again"
rm -r tree/sys/class/tenstorrent/* tree/proc/driver/tenstorrent/0
rm $card/driver
of_tree
is driver FAIL "a card that the driver does not have"

# Every check was seen to pass, then to find its fault, then to pass again: a SKIP is no fault.
came_back() {	# id
	echo "$checked" | tr ' ' '\n' | awk -F: -v id="$1" '
		$1 != id { next }
		$2 == "PASS" && n % 2 == 0 { n++ }
		($2 == "FAIL" || $2 == "WARN") && n % 2 == 1 { n++ }
		END { exit n < 3 }'
}
tt-smi --health --checks help | awk '!NF { exit } { print $1 }' >ids
check "there are checks" test "$(wc -l <ids)" -gt 20
for id in $(cat ids); do
	check "$id passes, finds its fault, and passes again" came_back "$id"
done
checked="$checked new:PASS new:SKIP new:PASS other:PASS other:FAIL"
for id in new other newer; do
	came_back $id
	check "one that never fails or never passes is found: $id" test $? -ne 0
done

# ---- text, plug-in, words ----

run tt-smi --health --sim p150a:width,p150a:hang
check "the verdict comes first" sh -c "head -n 1 '$out' | grep -q '^health: FAIL: 2 FAIL'"
out_has "FAIL  link           0 0000:01:00.0: PCIe link DOWNGRADED" "then what is wrong, and where"
out_has "-> tt-smi -wr 0; if that does not help, reseat the card" "and what to do"
check "one line for all that a lost card does not tell" \
	grep -Eq '^SKIP +[0-9]+ checks +1 0000:02:00[.]0: the card was not read$' "$out"
run tt-smi --health 1 --sim p150a:width,p150a
rc_is 0 "a card that is named is checked alone"
run tt-smi --health 9 --sim p150a
rc_is 3 "a card that is not there"
run tt-smi --health nonsense --sim p150a
rc_is 2 "a word that is no card's"
run tt-smi --health --checks lnk --sim p150a
rc_is 2 "a check that does not exist"
err_code unknown-field "'lnk'" "is named"
run tt-smi --health --device 1 --sim p150a:width,p150a
rc_is 0 "--device limits it, too"
run tt-smi --health --json --nagios --sim p150a
err_code conflict '--json' "one form at a time"

plugin() {	# code state options...
	local code=$1 state=$2
	shift 2
	run tt-smi --health --nagios "$@"
	rc_is "$code" "--nagios $*"
	check "one line" test "$(wc -l <"$out")" = 1
	check "$state, and performance data" grep -Eq \
		"^TT-SMI $state: [^|]*\\| chips=[0-9]+;;;0; pass=[0-9]+;;;0; .*time=[0-9.]+s;;;0;\$" "$out"
}
plugin 0 OK --sim p150a
out_has 'PASS (simulated) | ' "and that it is no verdict on this machine"
plugin 1 WARNING --sim p150a:held
plugin 2 CRITICAL --sim p150a:hang
plugin 3 UNKNOWN --load unjudged.json
mkdir empty
plugin 2 CRITICAL --root empty
unknown() {	# options...: nothing could be judged, which is UNKNOWN, and said on stdout
	run tt-smi --health --nagios "$@"
	rc_is 3 "--nagios $*: UNKNOWN"
	check "one line says so" grep -qx 'TT-SMI UNKNOWN: .*' "$out"
	check "stderr has the reason" test -s "$err"
}
unknown --sim p150a --checks lnk
unknown --sim p150a --floors nowhere
unknown --sim p150a --expect nowhere
unknown --root nowhere
unknown --load nowhere
unknown --device 7 --sim p150a
unknown --sim p150a --deadline 0
unknown --sim p199
unknown --sim p150a --json
unknown --sim p150a --checkz link
TT_SMI_SIM=p199 unknown
jq '.device_info[1] |= (.board_info.bus_id = "N/A" | .board_info.board_type = "a|b\u001b[31m\n=1;c" |
	.tags.GDDR_UNCORR_ERRS = "0x4" | .smbus_telem.GDDR_UNCORR_ERRS = "0x4")' two.json >hostile.json
plugin 2 CRITICAL --load hostile.json
check "no escape sequence, and one bar" test "$(tr -dc '|\033' <"$out")" = "|"
check "a line that a monitor takes whole" test "$(wc -c <"$out")" -lt 1024
run tt-smi --health --root empty
rc_is 3 "no device at all"

# ---- the line that the README has on its first screen, as it is pasted ----

gate=$(sed -n '1,20s/^\$ \(tt-smi --health .* && \.\/benchmark\)$/\1/p' "$top_srcdir/README.md")
check "the README begins with the gate" test -n "$gate"
printf '#!/bin/sh\n: >began\n' >benchmark
chmod +x benchmark
for fault in hot stuck width dram hang; do
	TT_SMI_SIM="p150a,p150a:$fault" sh -c "$gate" >/dev/null 2>&1
	check "$fault: the benchmark does not begin" test ! -e began
	TT_SMI_SIM="p150a,p150a:$fault" tt-smi -s >/dev/null 2>&1
	check "$fault: -s is a reading" test $? -eq 0
done
TT_SMI_SIM='2*p150a' sh -c "$gate" >/dev/null 2>&1
check "without a fault it does" test -e began

# ---- a reset is advised where it can help, in every mode ----

undriven() {	# tree, driver that has the card instead, or none
	cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" "$1"
	chmod -R u+w "$1"
	rm -rf "$1/sys/class/tenstorrent" "$1/${card#*/}/driver"
	[ -z "$2" ] || ln -s "../../../../bus/pci/drivers/$2" "$1/${card#*/}/driver"
}
undriven vfio vfio-pci
undriven driverless ''
undriven moduleless ''
rm -rf moduleless/sys/module
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" allones
chmod -R u+w allones
head -c 256 /dev/zero | tr '\0' '\377' >"allones/${card#*/}/config"
advice='-wr |warm reset|needs a reset|reset the card'
each_mode() {	# source; what each mode prints that advises a reset
	for mode in --health '--health --json' '' -ls '-ls --json' -s --links '--query index,health'; do
		# shellcheck disable=SC2086
		tt-smi $mode $1 </dev/null 2>&1 | grep -E -- "$advice" | sed "s/^/${mode:-overview}: /"
	done
}
while IFS='|' read -r source reason; do
	each_mode "$source" >"$out"
	check "$source: no mode advises a reset" test ! -s "$out"
	# shellcheck disable=SC2086
	tt-smi -s $source >lost.json 2>/dev/null
	check "$source: the reason is that" grep -qF "$reason" lost.json
	each_mode '--load lost.json' >"$out"
	check "$source, loaded: neither" test ! -s "$out"
	# shellcheck disable=SC2086
	run tt-smi -ls --json $source
	check "$source: -ls does not list it among those" jq -e '.boards[0].resettable == false' "$out"
done <<'TABLE'
--root vfio|bound to vfio-pci
--root driverless|has not taken it
--root moduleless|no driver: install
--root allones|off the PCI bus
--sim p150a:off|off the PCI bus
--sim p150a:gone|not on the bus any more
TABLE
tt-smi -s --sim p150a:off 2>/dev/null | sed 's/: it needs a power cycle"/: it needs a reset, or a power cycle"/' >old.json
check "a file of an older version advises one" grep -q 'needs a reset, or' old.json
each_mode '--load old.json' >"$out"
check "which is not shown" test ! -s "$out"
for fault in hang stuck eio; do
	each_mode "--sim p150a:$fault" >"$out"
	out_has "--health:                      -> tt-smi -wr 0" "$fault: --health advises one"
	out_has "overview: " "$fault: so does the overview"
	tt-smi -s --sim "p150a:$fault" >hung.json 2>/dev/null
	each_mode '--load hung.json' >"$out"
	out_has "--health:                      -> on its machine: tt-smi -wr 0" "$fault: and that of its file"
done
# Three cards alike share a line and one command; chips of one board name it once.
run tt-smi --health --sim p150a,p300a:hang,p150a:hang,n300:hang
out_has "cards 1, 3, 4: chip does not answer" "cards that are alike share a line"
out_has "-> tt-smi -wr 1 2 3 4" "and one command"
out_lacks "3 0000:" "and have no lines of their own"
run tt-smi --health --json --sim p150a,p150a:hang,p150a:hang,p150a:hang
check "JSON has an item for each" jq -e '[.checks[] | select(.id == "answer") | .next] ==
	[null, "tt-smi -wr 1", "tt-smi -wr 2", "tt-smi -wr 3"]' "$out"
run tt-smi --diag 1 --sim p150a,p150a:hang,p150a:hang,p150a:hang
out_has "FAIL  health        cards 1-3: answer: " "--diag groups them, too"
out_has "SKIP  pcie          cards 1-3: " "in each stage"
run tt-smi --diag 1 --sim p150a:off
out_lacks "reset" "--diag of a card off the bus advises none"
run tt-smi --diag 1 --sim p150a:hang
out_has "-> tt-smi -wr 0" "that of one that hangs does"

# ---- the deadline ----

# Each access to 31 cards takes 30 s; one is well, and that is said although they are not reached.
run tt-smi --health --json --sim '31*p150a:slow,p150a' --timeout 60 --deadline 8
rc_is 4 "what was not reached is not known"
check "31 cards were not reached" test "$(jq '[.checks[] | select(.id == "answer" and
	.result == "SKIP")] | length' "$out")" = 31
check "the last one is well, its heartbeat too" test "$(jq -c '[.checks[] | select(.index == 31) |
	.result] | unique' "$out")" = '["N/A","PASS"]'
# And with 31 that do not answer at all.
run tt-smi --health --json --sim '31*p150a:hang,p150a'
rc_is 5 "31 cards that hang"
check "31 fail" test "$(jq '[.checks[] | select(.id == "answer" and .result == "FAIL")] |
	length' "$out")" = 31
check "the last one is well" test "$(jq -c '[.checks[] | select(.index == 31) | .result] |
	unique' "$out")" = '["N/A","PASS"]'
done_testing
