# SPDX-License-Identifier: GPL-2.0-or-later
# Every mode says the same of a card: that it is well, that something is wrong with it, or that it
# could not be read; and what to do next.  Each simulated fault on each kind of board, all of them in one --sim, and
# recorded trees of cards that cannot be reached.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"

command -v jq >/dev/null && command -v python3 >/dev/null || {
	skip "the verdicts of all modes" "jq or python3 is not installed"
	done_testing
	exit
}

# Those that the program names, but for faults of resets, and two that only time shows.
faults=$(TT_SMI_CODES='' tt-smi -s --sim 'p150a:?' 2>&1 | sed -n "s/.*'?': none of //p" |
	sed 's/ noreset .*//' | tr ' ' '\n' | grep -vx -e reset -e bitflip)
check "the program names its faults" test "$(wc -w <<<"$faults")" -ge 20
boards() {	# boards, each whole and with each fault
	for board in "$@"; do
		printf '%s,' "$board"
		for fault in $faults; do
			printf '%s:%s,' "$board" "$fault"
		done
	done
}
many=$(boards n150 n300 n300-links p150a p300)
many=${many%,}

by() {	# file command...: what it prints
	printed=$at/$1
	shift
	"$@" >"$printed" 2>/dev/null </dev/null
}
looks() {	# source...: the modes that print what they see; those of $remote also read second chips
	# shellcheck disable=SC2086
	{
		by snapshot tt-smi -s "$@" $remote
		by query tt-smi --query index,bdf,local,health,action "$@" $remote
		by overview env LC_ALL=C tt-smi "$@" $remote
		by health tt-smi --health --json "$@"
		by nagios tt-smi --health --nagios "$@"
		tt-smi --textfile "$at/once" --once "$@" $remote
	} 2>/dev/null
}
agree() {	# name
	python3 "$top_srcdir/tests/rig/verdicts.py" "$at" >"$out" 2>"$err" && test ! -s "$out"
	result $? "$1: all modes agree with -s"
}
place() {	# name: the files of the modes come there; no chips of the last one are expected
	rm -rf "$TT_SMI_STATE_DIR"
	at=$work/verdicts-$1
	mkdir "$at"
}

all_look() {	# name boards: every mode that can show them; the screen has time of its own
	place "$1"
	remote=--remote
	start 200 700 'LC_ALL=C.UTF-8 TERM=screen-256color' "--remote --sim $2"
	export TT_SMI_VIRTUAL_TIME=1795252364
	looks --sim "$2"
	by list tt-smi -wr --sim "$2"
	tt-smi --textfile "$at/metrics" -dur 5 -i 1 --remote --sim "$2" 2>/dev/null
	unset TT_SMI_VIRTUAL_TIME
	[[ $2 != *:stuck* ]] ||
		check "$1: the screen has found the firmware that has stopped" row 'firmware silent for [3-9]'
	check "$1: the screen has read each card, or given up" gone ' pending '
	screen >"$at/screen"
	send q
}
all_look simulated "$many"
check "the simulated boards: a verdict on each" test "$(grep -c '"health": {' "$at/snapshot")" -ge 190
agree "each fault on each board"

# On a galaxy, too, eight of them at a time: a machine has 320 chips at most.
for board in galaxy-wh galaxy-bh; do
	some=$(boards $board)
	while [ -n "$some" ]; do
		now=$(cut -d, -f-8 <<<"$some" | sed 's/,$//')
		some=$(cut -sd, -f9- <<<"$some")
		all_look "$now" "$now"
		agree "$now"
	done
done
export TT_SMI_VIRTUAL_TIME=1795252364

# The same cards from files, and without opening them.
cp "$work/verdicts-simulated/snapshot" saved.json
tt-smi -s --sim "$many" --remote --record recording >/dev/null 2>&1
place recorded
looks --replay recording
agree "a recording"
remote=
place saved
looks --load saved.json
agree "a snapshot"
place passive
looks --passive --sim "$many"
agree "cards that are not opened"

# A diag refuses cards that a program has, and tests those that are well.
place diag
some=$(boards n150 n300 n300-links p150a | tr , '\n' | grep -v -e held -e job -e left -e runtime | paste -sd,)
remote=--remote
looks --sim "${some%,}"
tt-smi --diag 1 --report "$at/diag" --sim "${some%,}" >/dev/null 2>&1
check "the diag judges its cards" test -s "$at/diag"
agree "a diag"

remote=
# Trees: a card of another driver, of none, without the driver's module, without a node.
tree() {	# name
	cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" "tree-$1"
	chmod -R u+w "tree-$1"
	cd "tree-$1" || exit 99
	card=sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0
	[ "$1" = whole ] || [ "$1" = node ] || rm -rf "$card/tenstorrent" sys/class/tenstorrent/* "$card/driver"
	case $1 in
	vfio) ln -s ../../../../bus/pci/drivers/vfio-pci "$card/driver" ;;
	module) rm -rf sys/module/tenstorrent ;;
	node) rm -f dev/tenstorrent/0 ;;
	esac
	cd ..
}
for name in whole vfio untaken module node; do
	tree $name
	place $name
	looks --root "$PWD/tree-$name"
	agree "a tree, $name"
done
done_testing
