# SPDX-License-Identifier: GPL-2.0-or-later
# nvtop beside us on the same recorded tree of two boards: child processes are
# counted, since wait4() adds those that were waited for.  NVTOP names its binary.
# nvtop reads /sys itself, so both run where the tree lies in its place: only root
# can do that (unshare -m).
set -u
. "$top_srcdir/tests/bench/lib.sh"
nvtop=${NVTOP:-$(command -v nvtop)}
bench=$top_builddir/tests/bench
trees=$top_srcdir/tests/fixtures/sysfs
no() {
	echo "not run: $1"
	for figure in nvtop.s nvtop.live.5 nvtop.live.1; do
		bench_figure "$figure" - "$1"
	done
	exit 0
}
[ -n "$nvtop" ] && [ -x "$nvtop" ] || no "no nvtop (NVTOP names one built from source)"
[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || no "only root can put a tree in the place of /sys"

# Both recorded cards in one tree: the Wormhole becomes the second one.
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
cp -a "$trees/blackhole/." "$tree/"
cp -a "$trees/wormhole/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0" \
	"$tree/sys/devices/pci0000:00/0000:00:04.0/0000:02:00.0"
card=$tree/sys/devices/pci0000:00/0000:00:04.0/0000:02:00.0
mv "$card/tenstorrent/tenstorrent!0" "$card/tenstorrent/tenstorrent!1"
ln -sfn ../../../0000:02:00.0 "$card/tenstorrent/tenstorrent!1/device"
[ ! -d "$card/hwmon/hwmon0" ] || mv "$card/hwmon/hwmon0" "$card/hwmon/hwmon1"
ln -s ../../../devices/pci0000:00/0000:00:04.0/0000:02:00.0 "$tree/sys/bus/pci/devices/0000:02:00.0"
ln -s '../../devices/pci0000:00/0000:00:04.0/0000:02:00.0/tenstorrent/tenstorrent!1' \
	"$tree/sys/class/tenstorrent/tenstorrent!1"
mkdir -p "$tree/proc/driver/tenstorrent/1" && : >"$tree/proc/driver/tenstorrent/1/pids"
: >"$tree/dev/tenstorrent/1"

there() { unshare -m sh -c 'mount --bind "$0/sys" /sys && exec "$@"' "$tree" "$@"; }
runs=${BENCH_RUNS:-30}
echo "Snapshot of two boards (ratio: to nvtop -s; processor time with all children)"
printf 'nvtop -s\t%s -s\ntt-smi -s\t%s -s -f - --root %s\ntt-smi -s --passive\t%s -s -f - --passive --root %s\n' \
	"$nvtop" "$TT_SMI" "$tree" "$TT_SMI" "$tree" >"$tree/commands"
bench_watch "$tree/then"
there "$bench/measure" "$runs" <"$tree/commands" >"$tree/out"
bench_seen "$tree/then"
cat "$tree/out"
# The processor time is the third number behind the name.
bench_figure nvtop.s "$(awk '/^nvtop -s/ { peer = $5 } /^tt-smi -s +[0-9]/ && peer > 0 { print $5 / peer }' \
	"$tree/out")" "$world"

# Live: processor time of both over the same seconds, in terminals that are read; the median of rounds
# in each of which everybody has a turn, since of seven tabs the worst of one round is mostly chance.
command -v tmux >/dev/null || { echo "live: not run, no tmux"; exit 0; }
seconds=${BENCH_SECONDS:-5} rounds=3
used() {	# pid: ns of processor time of it, its threads and its children
	for p in $1 $(pgrep -P "$1"); do
		cat /proc/"$p"/task/*/schedstat 2>/dev/null
	done | awk '{ t += $1 } END { printf "%.0f\n", t }'
}
live() {	# name, keys, command...
	name=$1 keys=$2 tmux=$tree/tmux.$((n = n + 1))	# the server before may still be at its end
	shift 2
	there tmux -S "$tmux" -f /dev/null new -d -x 120 -y 40 "$@"
	sleep 1
	[ -z "$keys" ] || tmux -S "$tmux" send-keys "$keys"
	pid=$(tmux -S "$tmux" list-panes -F '#{pane_pid}')
	sleep 1
	a=$(used "$pid")
	sleep "$seconds"
	b=$(used "$pid")
	echo "$b $a $seconds" | awk -v name="$name" '{ printf "%s\t%.4f\n", name, ($1 - $2) / $3 / 1e7 }' >>"$tree/live"
	tmux -S "$tmux" kill-server
}
n=0
for d in 5 1; do
	echo "Live at 0.$d s, two boards, 120 x 40, $rounds rounds of ${seconds} s each: processor time of one core, medians"
	: >"$tree/live"
	bench_watch "$tree/then"
	for round in $(seq $rounds); do
		live nvtop "" "$nvtop" -d $d
		for tab in 1 2 3 4 5 6 7; do
			live "tt-smi, tab $tab" $tab "$TT_SMI" -i 0.$d --root "$tree"
		done
	done
	bench_seen "$tree/then"
	sort -t "$(printf '\t')" -k 1,1 -k 2,2n "$tree/live" |
		awk -F '\t' -v at=$(((rounds + 1) / 2)) '{ if (++n[$1] == at) printf "  %-24s %7.3f %%\n", $1, $2 }' |
		tee "$tree/medians"
	bench_figure nvtop.live.$d "$(awk '/nvtop/ { peer = $(NF - 1) } /tab/ && $(NF - 1) > most { most = $(NF - 1) }
		END { if (peer > 0) print most / peer }' "$tree/medians")" "$world"
done
