# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced after lib.sh by tests of cards on the way that a real card takes: the driver's node, its
# windows, mappings, power states and messages (kmd_driver.c plays driver and card).
#
#   plug BOARD LIBRARY WORD...	a machine with this card, in $root; unplug ends it
#   add BOARD LIBRARY WORD...	one more card of it, whose log is $root/logN
#   smi ARGUMENTS / burn ...	tt-smi there; a burn of conv2d without resets, with report.json
#   json NAME EXPRESSION	of the report's first target t
#   while_it_burns COMMAND...	run once $load has begun; what the burn says is kept
#   tidy NAME			nothing is left of it: handles, power, cores, windows
export TT_SMI_SIM_LOG=$work/sim.log TT_SMI_SIM_SPEED=20

shim=$(shim kmd_shim)
if [ ! -x "$top_builddir/tests/rig/kmd_driver" ] || ! LD_PRELOAD=$shim tt-smi -v >/dev/null 2>&1; then
	skip "cards behind the driver's windows" "not this processor, or not with these libraries preloaded"
	done_testing
	exit
fi
driver='' machines=0
unplug() {
	# shellcheck disable=SC2086
	[ -n "$driver" ] && kill $driver && wait $driver 2>/dev/null
	driver=''
}
trap 'unplug; remove_work' EXIT
plug() {	# board library words...: a machine with this card, in $root
	unplug
	machines=$((machines + 1)) cards=0
	root=$work/m$machines
	mkdir "$root"
	: >sim.log
	add "$@"
}
add() {
	local n=${cards#0}
	[ -e "$work/$2.so" ] || cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/$2.so"
	board=$1 library=$work/$2.so
	shift 2
	"$top_builddir/tests/rig/kmd_driver" "$root" "$board" "$library" card@$cards "$@" >driver.out 2>&1 &
	driver="$driver $!"
	cards=$((cards + 1))
	await_of $! [ -S "$root/socket$n" ] || cat driver.out
}
smi() { KMD_ROOT=$root LD_PRELOAD=$shim run timeout 300 tt-smi "$@"; }
burn() {
	rm -f report.json
	smi -b 0 --no-reset --workload conv --timeout 10 --report report.json "$@"
}
json() {	# name expression of the first target t
	check "$1" python3 -c "import json; t = json.load(open('report.json'))['targets'][0]; assert $2, {k: t[k] for k in t if k != 'cores'}"
}
all_closed() {
	local line log open=0
	for log in "$root"/log*; do
		while read -r line; do
			case $line in
			open*) open=$((open + 1)) ;;
			close*) open=$((open - 1)) ;;
			esac
		done <"$log"
	done
	[ $open -eq 0 ]
}
tidy() {	# name
	await all_closed
	check "$1: no handle is left" all_closed
	check "$1: no power is asked for any more" [ "$(grep ^power "$root/log" | tail -n 1)" = "power 0x0" ]
	[ "${2:-}" = gone ] ||
		check "$1: no core runs" sh -c "! grep 'close active' '$root/log' | tail -n 1 | grep -v ' 0 cores run'"
	check "$1: nothing was done that must not be" [ ! -e "$root/wrong" ]
	[ -e "$root/wrong" ] && sort "$root/wrong" | uniq -c | sed 's/^/# /' | head -5
	[ -n "${2:-}" ] ||
		check "$1: every window was given back" sh -c "! grep -q 'close active, [1-9][0-9]* windows left' '$root/log'"
}

load=conv
while_it_burns() {	# command ...: run once $load has begun; what the burn says is kept
	rm -f report.json
	: >burn.out
	KMD_ROOT=$root LD_PRELOAD=$shim tt-smi -b 0 --no-reset --workload $load --timeout 10 -dur 1000 \
		--report report.json >burn.out 2>burn.err </dev/null &
	pid=$!
	await_of $pid has_line burn.out ' [1-9][0-9.]* (blocks|MiB of memory)'
	"$@"
	wait $pid
	rc=$?
	cp burn.out "$out" && cp burn.err "$err"
}
