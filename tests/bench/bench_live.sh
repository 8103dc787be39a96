# SPDX-License-Identifier: GPL-2.0-or-later
# The live display: processor time (screen and workers), bytes to the terminal,
# memory and time to the first picture, beside htop and btop where they
# are installed.  Called by run.sh; BENCH_SECONDS for each run.
set -u
seconds=${BENCH_SECONDS:-20}
command -v tmux >/dev/null 2>&1 || { echo "live: tmux is not installed"; exit 0; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/bench-live.XXXXXX") || exit 1
run=0
tm() { tmux -L "bench-live-$$-$run" -f /dev/null "$@" 2>/dev/null; }
trap 'tm kill-server; rm -rf "$dir"' EXIT

nanoseconds() {	# of a process and its children
	sum=0
	# shellcheck disable=SC2013
	for p in $1 $(cat "/proc/$1/task/$1/children"); do
		sum=$((sum + $(cut -d' ' -f1 "/proc/$p/schedstat")))
	done
	echo "$sum"
}

bytes() { sed -n 's/^wchar: //p' "/proc/$1/io"; }

# Memory of a process and its children in kB, pages that are shared counted once.
memory() {
	sum=0
	# shellcheck disable=SC2013
	for p in $1 $(cat "/proc/$1/task/$1/children"); do
		sum=$((sum + $(sed -n 's/^Pss:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$p/smaps_rollup")))
	done
	echo "$sum"
}

# A row is what is read and judged at each refresh: a board, or for the others a process.
processes() { find /proc -maxdepth 1 -name '[0-9]*' | wc -l; }

measure() {	# name refreshes-a-second rows key command; key: opens a tab, or -
	name=$1 hz=$2 rows=$3 key=$4
	shift 4
	run=$((run + 1))
	rm -f "$dir/pid"
	begin=$(date +%s%N)
	tm new -d -x 120 -y 40 "TERM=screen-256color LC_ALL=C.UTF-8 sh -c 'echo \$\$ >$dir/pid; exec $*'"
	first=-
	for _ in $(seq 400); do
		if tm capture-pane -p | grep -q '[0-9A-Za-z]'; then
			first=$((($(date +%s%N) - begin) / 1000000))
			break
		fi
		sleep 0.005
	done
	[ "$key" = - ] || tm send-keys "$key"
	sleep 2
	pid=$(cat "$dir/pid")
	cpu=$(nanoseconds "$pid")
	sent=$(bytes "$pid")
	sleep "$seconds"
	cpu=$((($(nanoseconds "$pid") - cpu) / seconds))
	sent=$((($(bytes "$pid") - sent) / seconds))
	printf '%-30s %8s %9s.%03d %9s %5s %8s %8s %8s %8s\n' "$name" "$first" $((cpu / 10000000)) \
		$((cpu / 10000 % 1000)) "$(awk -v c="$cpu" -v h="$hz" 'BEGIN { printf "%.0f", c / 1000 / h }')" \
		"$rows" "$(awk -v c="$cpu" -v h="$hz" -v r="$rows" 'BEGIN { printf "%.1f", c / 1000 / h / r }')" \
		"$sent" "$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status")" "$(memory "$pid")"
	tm send-keys q
	tm kill-server
}

printf '%-30s %8s %13s %9s %5s %8s %8s %8s %8s\n' "120x40, $seconds s each" "first ms" "% of a core" \
	"us/frame" rows "us/row" "bytes/s" "peak kB" "PSS kB"
for n in 1 8 32; do
	measure "tt-smi, $n boards, 0.5 s" 2 $n - "$TT_SMI" --sim "$n*p150a"
done
for n in 1 8 32; do
	measure "tt-smi, $n boards, 0.1 s" 10 $n - "$TT_SMI" -i 0.1 --sim "$n*p150a"
done
for tab in 1 2 3 4 5 6; do
	measure "tab $tab, 1 board, 0.5 s" 2 1 $tab "$TT_SMI" --sim p150a
	measure "tab $tab, 1 board, 0.1 s" 10 1 $tab "$TT_SMI" -i 0.1 --sim p150a
	measure "tab $tab, a still board, 0.5 s" 2 1 $tab "$TT_SMI" \
		--root "$top_srcdir/tests/fixtures/sysfs/blackhole"
done
command -v htop >/dev/null 2>&1 && measure "htop, 0.5 s" 2 "$(processes)" - htop -d 5
command -v btop >/dev/null 2>&1 && measure "btop, 2 s (its default)" 0.5 "$(processes)" - btop --utf-force -p 0
command -v nvtop >/dev/null 2>&1 && measure "nvtop, 0.5 s" 2 1 - nvtop -d 5
echo "first ms holds tmux's own start (about the same for each); us: processor time of all processes;"
echo "a row is a board, and for htop and btop a process of the machine; PSS: all processes at the end"

pty=$top_builddir/tests/bench/bench_pty
answer() {	# name text key command...: medians of 9 starts
	name=$1
	shift
	# shellcheck disable=SC2046
	printf '%-34s %12s %12s\n' "$name" $("$pty" 9 "$@")
}

printf '\n%-34s %12s %12s\n' "a terminal of its own, ms" "first frame" "key to byte"
for n in 1 8 32; do
	answer "tt-smi, $n boards" 'System Management' 2 "$TT_SMI" --sim "$n*p150a"
done
command -v htop >/dev/null 2>&1 && answer htop PID h htop -d 5
command -v btop >/dev/null 2>&1 && answer btop cpu h btop --utf-force -p 0
true
