# SPDX-License-Identifier: GPL-2.0-or-later
# --root DIR stays in DIR: links inside are followed there, and none leads out.
. "$top_srcdir/tests/rig/lib.sh"

export TT_SMI_VIRTUAL_TIME=1795000000
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree && chmod -R u+w tree
add() { mkdir -p "tree/${1%/*}" && printf '%s\n' "$2" >"tree/$1"; }
card=sys/bus/pci/devices/0000:01:00.0
add etc/os-release 'PRETTY_NAME="inside"'
add etc/passwd 'somebody:x:1000:'
add proc/mounts 'none / none'
add proc/stat 'btime 1'
add proc/77/comm job
add proc/77/status 'Uid: 1000 1000'
add proc/77/cgroup '0::/'
add var/lib/dpkg/status 'Package: none'
add sys/class/hwmon/hwmon9/name coretemp
add sys/class/hwmon/hwmon9/temp1_input 41000
add sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq 1000
for kind in correctable nonfatal fatal; do
	add "$card/aer_dev_$kind" "TOTAL_ERR 0"
done
echo 77 >tree/proc/driver/tenstorrent/0/pids
echo '{"versions": {"kmd": "1.0.0"}}' >pins.json
cp -r tree outside

reads() {	# root
	tt-smi -s --json --root "$1"
	tt-smi -ls --root "$1"
	tt-smi --health --expect pins.json --root "$1"
	tt-smi --textfile out.prom --once --root "$1"
	rm -f b.tar.gz
	tt-smi --bundle b.tar.gz --root "$1"
} >"$out" 2>"$err" </dev/null

# A file that is read gets a new time of access, if the file system keeps it.
reset_times() { find outside -type f -exec touch -a -d 2000-01-01 {} +; }
was_read() { find outside -type f -newerat 2001-01-01 | grep -m 1 .; }
reset_times
reads outside
if ! was_read >/dev/null; then
	skip "what is read outside of a tree" "this file system keeps no times of access"
	done_testing
	exit
fi
find outside -type f -newerat 2001-01-01 | sed 's|^outside/||' | sort >files
check "many files of a tree are read" [ "$(wc -l <files)" -ge 50 ]

try() {	# path in the tree, target: $led if a file outside was read
	mv "tree/$1" kept && ln -s "$2" "tree/$1"
	reset_times
	reads tree
	! was_read >/dev/null || led="$led $1"
	rm "tree/$1" && mv kept "tree/$1"
}
led=
while IFS= read -r file; do
	try "$file" "$work/outside/$file"
done <files
check "no file leads out$led" [ -z "$led" ]
led=
for file in sys/module/tenstorrent/version etc/os-release "$card/vendor" proc/77/comm; do
	try "$file" "$(printf '../%.0s' {1..40})$work/outside/$file"
done
check "nor does a relative link$led" [ -z "$led" ]
led=
for folder in sys proc etc var dev sys/class sys/bus sys/module sys/module/tenstorrent sys/class/hwmon \
	sys/class/hwmon/hwmon9 sys/class/tenstorrent sys/devices sys/devices/system/cpu proc/77 proc/sys \
	"$card" "$card/hwmon" "$card/hwmon/hwmon0" "$card/tenstorrent/tenstorrent!0/pcie_perf_counters"; do
	try "$folder" "$work/outside/$folder"
done
check "no folder leads out$led" [ -z "$led" ]

mkdir tree/moved
mv tree/sys/module/tenstorrent/version tree/moved/version
ln -s /moved/version tree/sys/module/tenstorrent/version
mv "tree/$card/hwmon/hwmon0/temp1_input" tree/moved/temp
ln -s /moved/temp "tree/$card/hwmon/hwmon0/temp1_input"
mv tree/etc tree/moved/etc && ln -s moved/etc tree/etc
tt-smi -s --json --root tree >linked 2>"$err"
tt-smi -s --json --root outside >plain 2>"$err"
grep -v '"time\|boot_date\|age' linked >a
sed 's|outside/dev|tree/dev|' plain | grep -v '"time\|boot_date\|age' >b
check "links that stay in the tree are followed" cmp -s a b
diff a b | head -5 | sed 's/^/# /'
done_testing
