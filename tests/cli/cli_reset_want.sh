# SPDX-License-Identifier: GPL-2.0-or-later
# What a reset itself lacks (descriptors, processes, memory) is no fact about a card:
# it is found before the first card is touched; where it strikes later, no card is
# called lost and no other way is tried.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_VIRTUAL_TIME=1795000000

untouched() {	# WHAT: nothing was done, and the want has a name
	rc_is 6 "$1: refused"
	err_has "nothing was reset" "$1: and said so"
	out_lacks "lost" "$1: no card is called lost"
	check "$1: no card was touched" sh -c "! grep -qs '^reset ' '$work/sim.log'"
	rm -f "$work/sim.log"
}
export TT_SMI_SIM_LOG="$work/sim.log"

reset_limited() { # ulimit's option and value, options of tt-smi
	(
		# shellcheck disable=SC2086
		ulimit $1 || exit 99
		shift
		timeout 100 tt-smi "$@" </dev/null
	) >"$out" 2>"$err"
	rc=$?
}

for files in 30 72; do
	reset_limited "-n $files" --sim '32*p150a' -r
	untouched "$files descriptors"
	err_code no-descriptors '' "$files: names want and need"
done
reset_limited "-n 72" --sim '32*p150a' -wr all -y
untouched "72 descriptors, -wr"
reset_limited "-n 60" --sim galaxy-wh --glx_reset
untouched "60 descriptors, --glx_reset"
err_code no-descriptors '112' "--glx_reset: names the need"
reset_limited "-n 24" --sim 8*p150a -b cards -dur 1
rc_is 6 "24 descriptors, burn: refused before any card is touched"
check "burn: no card was touched" sh -c "! grep -qs '^reset ' '$work/sim.log'"
rm -f "$work/sim.log"
reset_limited "-S -n 60" --sim '32*p150a' -r
rc_is 0 "a soft limit alone is raised"
out_has "32 of 32 cards recovered" "and all cards are reset"

# A stack of 64 KiB; sanitizers take as much again.
stack=64
! grep -qa __asan_init "$TT_SMI" || stack=128
for options in -r '-wr 0 -y' '-r --dry-run'; do
	# shellcheck disable=SC2086
	reset_limited "-s $stack" --sim p150a $options
	rc_is 0 "64 KiB of stack: $options"
done
reset_limited "-s $stack" --sim p150a -b cards -dur 1
out_has "reset after the burn: recovered" "64 KiB of stack: burn"
rm -f "$work/sim.log"

# Processes are limited for others than root alone.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && command -v prlimit >/dev/null; then
	chmod 755 "$work"
	cp "$TT_SMI" "$work/copy"
	mkdir -m 777 other
	rm -f "$work/sim.log"
	TT_SMI_STATE_DIR="$work/other" TT_SMI_SIM_LOG="$work/other/sim.log" run setpriv \
		--reuid=61234 --regid=61234 --clear-groups --inh-caps=-all --bounding-set=-all \
		prlimit --nproc=20 timeout 100 "$work/copy" --sim '32*p150a' -r
	cp other/sim.log "$work/sim.log" 2>/dev/null
	untouched "20 processes"
	err_code no-processes '32' "20 processes: names both"
else
	skip "too few processes" "needs root, setpriv and prlimit"
fi

# Once it has begun: the limit falls while the card is away, which one with stopped firmware is for
# seconds.  The tool stands still from its first line until then.
if command -v prlimit >/dev/null; then
	rm -f "$out"
	mkfifo lines
	# LeakSanitizer opens /proc at the end of a program, which this one no longer can.
	ASAN_OPTIONS=detect_leaks=0 env -u TT_SMI_VIRTUAL_TIME tt-smi --sim p150a:stuck -r \
		>lines 2>"$err" </dev/null &
	runner=$!
	{
		read -r line
		kill -STOP $runner
		prlimit --nofile=4:4 --pid $runner
		kill -CONT $runner
		echo "$line"
		cat
	} <lines >"$out"
	wait $runner
	rc=$?
	rc_is 5 "the limit falls in the middle: the verdict's code"
	out_has "not known in" "the verdict says that nobody knows"
	out_has "Too many open files" "and why"
	out_lacks "lost" "no card is called lost"
	out_lacks "fire ASIC_DMC_RESET" "no other way is tried"
	out_lacks "power the host off" "nor recommended"
	out_has "raise the limits (ulimit -n, -u, -v), then: tt-smi -wr 0000:01:00.0" "but what helps is"
else
	skip "the limit falls in the middle" "no prlimit"
fi

done_testing
