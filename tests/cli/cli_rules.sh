# SPDX-License-Identifier: GPL-2.0-or-later
# Never disturb: what the whole program does to simulated boards, told by their
# own log (TT_SMI_SIM_LOG).  A violation is an access that real boards must
# never see; a read without --remote writes nothing and sends nothing.
. "$top_srcdir/tests/rig/lib.sh"

log=$work/log
boards='e75 e150 n150 n150-new n150-old n300 n300-new n300-links p100 p100a p150a p150a-old p150b p150c p300a p300b p300c
p150a-x8 tt-galaxy-wh tt-galaxy-bh tt-galaxy-bh-c tt-galaxy-bh-bin6'
faults=$(TT_SMI_CODES='' tt-smi -s --sim 'e75:?' 2>&1 | sed -n "s/.*'?': none of //p" | sed 's/ slow / /')

all_of() {	# words...: the boards as one SPEC
	echo "$@" | tr ' ' ','
}

watched() {	# tt-smi's arguments...
	rm -f "$log"
	run env TT_SMI_SIM_LOG="$log" TT_SMI_VIRTUAL_TIME=1763716364 tt-smi "$@"
}

lacks() {	# kinds of lines that must not be there, name
	[ -e "$log" ] && ! grep -E "^($1) " "$log"
	result $? "$2"
}

all_closed() {
	[ "$(grep -c '^open ' "$log")" -gt 0 ] &&
		[ "$(grep -c '^open ' "$log")" -eq "$(grep -c '^close ' "$log")" ]
}

watched -s --snapshot_no_tty --sim "$(all_of $boards)"
rc_is 0 "a snapshot of every board"
lacks violation "a snapshot breaks no rule"
check "a snapshot closes what it opened" all_closed
check "a snapshot reads the right chip of an n300 over ethernet" \
	grep -q '^write .* noc ' "$log"

watched -s --snapshot_no_tty --local --sim "$(all_of $boards | sed 's/e75,e150,//')"
lacks 'violation|write|message' "a snapshot of local Wormhole and Blackhole chips writes nothing"

watched -ls --sim "$(all_of $boards)"
rc_is 0 "a list of every board"
lacks violation "a list breaks no rule"

watched -d -dir dump -dur 3 -i 0.5 --sim "$(all_of $boards)"
rc_is 0 "a dump of every board"
lacks 'violation|write|message' "a dump writes nothing to any board"
check "a dump closes what it opened" all_closed

watched -s --snapshot_no_tty --passive --sim "$(all_of $boards)"
check "--passive opens no device" cmp -s "$log" /dev/null

check "the program names its faults" test "$(echo $faults | wc -w)" -ge 10
for f in $faults; do
	check "the manual tells what '$f' is" grep -qx ".It Li $f" "$top_srcdir/man/tt-smi-sim.7"
	watched -d -dir "dump-$f" -dur 6 -i 0.5 --sim "p150a:$f@1-4,n150:$f@1-4,n300:$f@1,e75:$f@1,p300:$f"
	lacks 'violation|write|message' "a dump through '$f' writes nothing and breaks no rule"
	watched -s --snapshot_no_tty --sim "p150a:$f,n150:$f,n300:$f,n300-new:$f,e75:$f,galaxy-bh:$f"
	lacks violation "a snapshot of boards with '$f' breaks no rule"
done
done_testing
