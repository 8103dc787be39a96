# SPDX-License-Identifier: GPL-2.0-or-later
# Drivers tell more the newer they are: what an older one lacks is absent with a
# reason, and what it has is read.  The trees are the recorded ones, cut down.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "older drivers" "jq is not installed"; done_testing; exit; }
is() { [ "$(jq -r "$2" "$out" 2>/dev/null)" = "$3" ]; result $? "$1"; }
reading() { is "$1" ".device_info[0].readings.$2 // {} | \"\\(.state) \\(.source)\"" "$3"; }

tree() {	# chip, driver's version: a copy that may be written to
	rm -rf tree
	cp -r "$top_srcdir/tests/fixtures/sysfs/$1" tree
	chmod -R u+w tree
	card=tree/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0
	echo "$2" >tree/sys/module/tenstorrent/version
}

# Before 2.0: no PCIe counters; before 2.5: no list of processes
for chip in wormhole blackhole; do
	tree $chip 1.34
	rm -r "$card"/tenstorrent/*/pcie_perf_counters tree/proc/driver
	run tt-smi -s --root tree
	rc_is 0 "$chip, 1.34: is read"
	err_empty "$chip, 1.34: without a complaint"
	is "$chip, 1.34: the driver is named" .host_info.Driver "TT-KMD 1.34"
	reading "$chip, 1.34: the voltage" voltage "ok hwmon"
	reading "$chip, 1.34: the clock" aiclk "ok sysfs"
	check "$chip, 1.34: no counters, no rate" jq -e \
		'[.device_info[0].readings | .pcie_rx, .pcie_tx | select(. != null and .value != null)] == []' "$out"
	is "$chip, 1.34: no process is said to hold it" '.processes | length' 0
done

# Before the tt_ attributes: hwmon and PCI alone
tree wormhole 1.27
rm -r "$card"/tenstorrent/*/tt_* "$card"/tenstorrent/*/pcie_perf_counters tree/proc/driver
run tt-smi -s --root tree
rc_is 0 "hwmon alone: is read"
reading "hwmon alone: the temperature" asic_temperature "ok hwmon"
is "hwmon alone: the clock is not known" '.device_info[0].telemetry.aiclk' N/A
is "hwmon alone: nor the board's number" '.device_info[0].board_info.board_id' N/A
is "hwmon alone: the link is" '.device_info[0].link.width' 16
run tt-smi -ls --root tree
rc_is 0 "hwmon alone: -ls lists it"
out_has "0000:01:00.0" "by its address"

# Nothing but PCI: the card is listed, and it is told why nothing is known
tree blackhole 1.27
rm -r "$card"/tenstorrent/*/tt_* "$card"/tenstorrent/*/pcie_perf_counters "$card/hwmon"
run tt-smi -s --root tree
rc_is 4 "no attribute at all: no value, no success"
err_has "0 0000:01:00.0: " "and the card is named"
is "and keeps its entry" '.device_info[0].board_info.bus_id' 0000:01:00.0

# A driver that does not tell its version
tree blackhole ''
rm tree/sys/module/tenstorrent/version
run tt-smi -s --root tree
rc_is 0 "a driver without a version is no hindrance"

# Where sysfs is not mounted, as in a container with /proc alone: no card may be denied
rm -rf tree && mkdir -p tree/proc/bus/pci
for mode in -s -ls "-d -dur 0.1 -i 0.1 -dir dumps"; do
	rm -f tree/proc/bus/pci/devices
	run tt-smi $mode --root tree
	rc_is 3 "no sysfs, ${mode%% *}: is no success"
	err_code no-device 'tree/sys' "no sysfs, ${mode%% *}: whether there is a card is not known"
	err_lacks "none on the PCI bus" "no sysfs, ${mode%% *}: and is not denied"
	printf '0100\t1e52b140\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n' >tree/proc/bus/pci/devices
	run tt-smi $mode --root tree
	rc_is 3 "no sysfs, ${mode%% *}: a card in /proc alone cannot be read"
	check "no sysfs, ${mode%% *}: and it says why" grep -qF "0000:01:00.0: no sysfs here" "$out" "$err"
done

# Few descriptors: all is read, or the reason is said, and no card is denied
with_only() {	# N: of which the first three are in use
	n=$1; shift
	run sh -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n "$1" && shift && exec "$@"' sh "$n" "$@"
}
tree blackhole 2.10.0
rm -r tree/sys/class/tenstorrent/*	# without a driver
for n in 4 5 6 7; do
	with_only $n tt-smi -ls --root tree
	check "$n descriptors: the card is listed, or it is said why none is" \
		grep -qE "0000:01:00.0|Too many open files" "$out" "$err"
	err_lacks "none on the PCI bus" "$n descriptors: no card is denied"
done
tree blackhole 2.10.0
states='[.device_info[].readings | to_entries[] | [.key, .value.state]]'
run tt-smi -s --root tree
all=$(jq -c "$states" "$out")
for n in 6 8 12 20; do
	with_only $n tt-smi -s --root tree
	rc_is 0 "$n descriptors are enough"
	check "$n descriptors: for all that there is to read" [ "$(jq -c "$states" "$out")" = "$all" ]
done

# The holders of an older driver's card are searched for below /proc
tree blackhole 2.4.1
rm -r tree/proc/driver
mkdir -p tree/proc/77/fd
ln -s /dev/tenstorrent/0 tree/proc/77/fd/5
printf 'python3\0train.py\0' >tree/proc/77/cmdline
run tt-smi -s --root tree
is "2.4.1: the process that holds the card is found" '.processes[0].pid' 77
is "2.4.1: with the command" '.processes[0].cmdline' "python3 train.py"

done_testing
