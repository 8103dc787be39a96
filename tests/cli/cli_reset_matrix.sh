# SPDX-License-Identifier: GPL-2.0-or-later
# Each board x each way to reset it x each fault: the verdict, the exit code, no
# phase beyond its limit, and nothing left that keeps the next reset away.
# It takes a board of each chip, those with two chips; RESET_BOARDS=all takes each, as a release does.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_SIM_SPEED=10
unset TT_SMI_SIM_DRIVER

# Verdicts by chip and way: the ladder (ASIC_RESET, then ASIC_DMC_RESET), --dmc alone, and the
# ways of drivers before 2.4 (the firmware's message, CONFIG_WRITE); a Grayskull's cores.
# r recovered, d degraded, l lost, x refused by the driver
verdicts() {
	cat <<'TABLE'
fault	wormhole ladder, dmc, old	blackhole ladder, dmc, old	grayskull cores
none		r r r	r r r	r
off		l l l	l l l	l
hang		r r l	r l r	l
stuck		l l l	r l r	l
slow		l l l	l l l	l
gone		l l l	l l l	l
eio		l l l	l l l	l
late		l l l	l l l	l
dram		d d d	d d d	d
eth		r r r	r r r	r
ethstuck	r r r	r r r	r
retrain		r r r	r r r	r
hot		r r r	r r r	r
garbage		r r r	r r r	r
width		r r r	r r r	r
resetfail	l l l	l l l	r
bitflip		r r r	r r r	r
lane		r r r	r r r	r
memhot		r r r	r r r	r
fan		r r r	r r r	r
overpower	r r r	r r r	r
cable		r r r	d d d	r
regulator	r r r	r r r	r
bist		r r r	r r r	r
wire		r r r	r r r	r
nopeer		r r r	r r r	r
held		r r r	r r r	r
left		r r l	r r r	l
job		r r r	r r r	r
runtime		r r r	r r r	r
exclusive	r r r	r r r	r
noreset		l l r	l l r	l
dmc		r r r	r r r	r
falsefail	r r r	r r r	r
eintr		r r r	r r r	r
vanish		r r r	r r r	r
unbound		l l l	l l l	r
renumber	r r r	r r r	r
narrow		d d d	d d d	d
deadbeat	l l l	l l l	l
mute		d d r	d d r	r
untrained	d d d	d d d	d
linklost	d d d	d d d	r
peerlost	r r r	r r r	r
exported	x x x	x x x	r
TABLE
}

# reset is another program's; olddriver sets the driver of the whole machine; the driver cannot reset
# a card of another driver, or one without a node (vfio, nodeless: below).
table() {
	verdicts | sed 1,2d | awk '{ print $1 "|" }'
	printf '%s|\n' reset olddriver vfio nodeless
}
every_fault_stands_in table

run tt-smi -ls --sim nonsense
sed -n "s/.*no board is called 'nonsense': //p" "$err" | tr ' ' '\n' >boards
check "the program names its boards" test "$(wc -l <boards)" -ge 15
if [ "${RESET_BOARDS:-}" != all ]; then
	tr ' ' '\n' <<<'e150 n300 p300a' >few
	check "and those that are taken here" not grep -vxqF -f boards few
	mv few boards
fi

# Which half of a p300 asks the controller first decides whether a marker is left behind.
faults_of() {	# board way: their lines
	case $1$2 in
	p300?dmc) verdicts | sed 1d | grep -v ^noreset ;;
	*) verdicts | sed 1d ;;
	esac
}

expected() {	# chip way board: "FAULT VERDICT" for each card of a run, in their order
	case $1$2 in
	wormholeladder) column=2 ;; wormholedmc) column=3 ;; wormholeold) column=4 ;;
	blackholeladder) column=5 ;; blackholedmc) column=6 ;; grayskull*) column=8 ;; *) column=7 ;;
	esac
	faults_of "$3" "$2" | awk -v c="$column" -v board="$3" '
		BEGIN { word["r"] = "recovered"; word["d"] = "degraded"
			word["l"] = "lost"; word["x"] = "refused" }
		{
			v = word[$c]
			if (board ~ /^n300/ && $1 ~ /^(peerlost|nopeer)$/) v = "degraded"
			# Their firmware reports no ethernet channels.
			if (board ~ /^(p100a?|p150a-old|p150b)$/ && $1 == "linklost") v = "recovered"
			# The controller would reset the other chips of the board, too: nobody asked for that.
			if (board ~ /^p300|galaxy/ && (c == 2 || c == 5) && $1 == "dmc") v = "lost"
			# The controller is asked by the other half of the board as well.
			if (board ~ /^p300/ && c == 6 && $1 ~ /^(off|hang|stuck|exported)$/) v = "recovered"
			print $1, v
			if (board ~ /^p300/) print $1, "recovered"
		}'
}

one() {	# board chip way: TAP lines of it into a file
	at=$1-$3
	export TT_SMI_STATE_DIR="$work/state-$at"
	options=-r
	[ "$3" = dmc ] && options='-r --dmc'
	[ "$3" = old ] && export TT_SMI_SIM_DRIVER=2.0.0
	[ "$3" = cores ] && export TT_SMI_SIM_DRIVER=2.1.0
	expected "$2" "$3" "$1" >"$at.want"
	spec=$(faults_of "$1" "$3" | awk -v b="$1" '{ printf "%s%s%s", (NR > 1 ? "," : ""), b,
		($1 == "none" ? "" : ":" $1) }')
	# shellcheck disable=SC2086
	timeout 120 tt-smi --sim "$spec" $options --report "$at.json" >"$at.out" 2>"$at.err" \
		</dev/null
	echo $? >"$at.rc"
	jq -r '.cards[] | "\(.verdict) \([.phases[] | select(.took > .limit + 5)] | length)"' \
		"$at.json" >"$at.cards"
	cut -d' ' -f1 "$at.want" | paste -d' ' - "$at.cards" | cut -d' ' -f1,2 >"$at.got"
	awk '{ n += $2 } END { print n + 0 }' "$at.cards" >"$at.late"
	# Bytes of each card's lines; stderr and the summary are the whole run's.
	awk '{ n[$2] += length($0) + 1 } END { for (i in n) if (n[i] > m) m = n[i]; print m }' \
		"$at.out" >"$at.most"
	n=$(grep -c . "$at.want")
	# The same cards without their faults: nothing is locked any more.
	timeout 120 tt-smi --sim "$((n > 40 ? n / 2 : n))*$1" $options >"$at.again" 2>&1 \
		</dev/null
	echo $? >"$at.rc2"
}

judge() {	# board way
	at=$1-$2
	cp "$at.out" "$out"
	diff "$at.want" "$at.got" >"$err" 2>&1
	result $? "$1, $2: all $(grep -c . "$at.want") verdicts"
	check "$1, $2: exit code 5" test "$(cat "$at.rc")" = 5
	check "$1, $2: no phase beyond its limit" test "$(cat "$at.late")" = 0
	check "$1, $2: $(cat "$at.most") bytes for the wordiest card" \
		test "$(cat "$at.most")" -le 2048
	{ echo "exit code $(cat "$at.rc2")" && grep -v ': done$\|: recovered in' "$at.again" | tail -n 20; } >"$out"
	check "$1, $2: the next reset of these cards works" test "$(cat "$at.rc2")" = 0
	combinations=$((combinations + $(grep -c . "$at.got")))
}

ways='ladder dmc old'
pairs() {
	grep '^e[0-9]' boards | sed 's/$/ grayskull cores/'
	grep -v -e '^e[0-9]' -e galaxy boards | while read -r board; do
		for way in $ways; do
			echo "$board $(case $board in n*) echo wormhole ;; *) echo blackhole ;; esac) $way"
		done
	done
}
pairs >pairs
while read -r board chip way; do
	one "$board" "$chip" "$way" &
	running=$((${running:-0} + 1))
	[ $((running % 4)) = 0 ] && wait
done <pairs
wait
combinations=0
while read -r board chip way; do
	judge "$board" "$way"
done <pairs
# A galaxy's 32 chips: one of them has the fault, and the others are none the worse for it.
galaxy() {	# board chip fault
	at=$1-$3
	fault=$3
	[ "$fault" = none ] && fault=linklost
	TT_SMI_STATE_DIR="$work/state-$at" timeout 120 tt-smi --sim "$1:$fault" -r \
		--report "$at.json" >"$at.out" 2>"$at.err" </dev/null
	{
		echo "exit code $?"
		sed -n 's/^            "verdict": "\(.*\)",$/\1/p' "$at.json" | sort | uniq -c | sed 's/^ *//'
	} >"$at.got"
	verdict=$(expected "$2" ladder "$1" | sed -n "s/^$3 //p")
	case $verdict in
	recovered) printf 'exit code 0\n32 recovered\n' ;;
	*) printf 'exit code 5\n1 %s\n31 recovered\n' "$verdict" ;;
	esac | sort >"$at.want"
	sort -o "$at.got" "$at.got"
}
verdicts | sed 1d | cut -f1 >faults
grep galaxy boards >galaxies
while read -r board; do
	chip=wormhole
	case $board in tt-galaxy-bh*) chip=blackhole ;; esac
	while read -r fault; do
		galaxy "$board" "$chip" "$fault" &
		running=$((running + 1))
		[ $((running % 4)) = 0 ] && wait
	done <faults
	wait
	while read -r fault; do
		cp "$board-$fault.out" "$out"
		diff "$board-$fault.want" "$board-$fault.got" >"$err"
		result $? "$board, $fault"
		combinations=$((combinations + 1))
	done <faults
done <galaxies

# What refuses the whole set, for each board: 6, and nothing is fired.
refuses() {	# words board "what it is" options
	words=$1 board=$2 what=$3
	shift 3
	run timeout 60 tt-smi --sim "$board" "$@"
	rc_is 6 "$board, $what: refused"
	err_has "$words" "$board, $what: why"
	check "$board, $what: nothing is fired" \
		sh -c "! grep -qs '\"fire\"' '$TT_SMI_STATE_DIR/reset.log'"
	combinations=$((combinations + 1))
}
mkdir -p "$TT_SMI_STATE_DIR"
while read -r board; do
	case $board in
	e[0-9]*)
		refuses "does not drive a Grayskull" "$board" "driver too new" -r
		export TT_SMI_SIM_DRIVER=2.1.0
		refuses "only the cores of a Grayskull" "$board" "--dmc" -r --dmc ;;
	*) TT_SMI_SIM_DRIVER=1.20 refuses "install tt-kmd 2.4.1" "$board" "driver too old" -r ;;
	esac
	refuses "process 1 (" "$board:held" "holder present" -wr all -y
	lock=$TT_SMI_STATE_DIR/sim-0000:01:00.0.lock
	case $board in *galaxy*) lock=$TT_SMI_STATE_DIR/sim-0000:c1:00.0.lock ;; esac
	flock -F "$lock" sleep 600 &
	holder=$!
	await not flock -n "$lock" true
	refuses "another program has it: process $holder" "$board" "second reset running" -r
	kill "$holder"
	wait "$holder" 2>/dev/null
	rm -f "$lock"
	unset TT_SMI_SIM_DRIVER
done <boards

check "combinations of board, way and fault: $combinations" \
	test "$combinations" -ge $((50 * $(wc -l <boards)))

# Cards that the driver cannot reset: the others are, and one that is not this machine's is not counted.
for card in vfio:0 nodeless:5; do
	run tt-smi -r --sim "p150a,p150a:${card%:*}"
	rc_is "${card#*:}" "-r beside ${card%:*}: exit code ${card#*:}"
	run tt-smi -r 0 1 --sim "p150a,p150a:${card%:*}"
	rc_is 6 "-r of ${card%:*} by its index: refused"
	err_code no-driver '1 0000:02:00.0' "with its reason"
done
done_testing
