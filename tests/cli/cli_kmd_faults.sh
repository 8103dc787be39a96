# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of cards behind the driver's windows, and tests of their memory: each is found, laid where
# it belongs, and leaves nothing behind (tests/cli/cli_kmd.sh has the cards that are well).
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/kmd_lib.sh"

# Faults of the card: each found, and laid where it belongs.
plug n150 wh+miss@3 off@1-1-4-1 off@6-1-9-1
burn -dur 1
rc_is 0 "a multicast that a core has missed is sent to it again"
tidy "a lost word"
plug n150 wh+wrong@1
burn -dur 1
rc_is 5 "a wrong word is a negative verdict"
check "laid to its core" has_line "$out" \
	'FAIL: [1-9][0-9]* wrong words? on 1 core; the first on core 4-5: conv2d, block 1, word 7'
tidy "a wrong word"

# A first light that is stopped at one core, or at one column.
plug n150 wh
: >burn.out
KMD_ROOT=$root LD_PRELOAD=$shim tt-smi -b 0 --no-reset --workload conv --first-light --block 9 --timeout 10 \
	--report report.json >burn.out 2>"$err" </dev/null &
pid=$!
await_of $pid has_line burn.out ' [1-9][0-9]* blocks .* °C'	# its clock is known, too
kill -TERM $pid
wait $pid
check "a burn that is stopped is no success" [ $? != 0 ]
json "and its rate is that of the cores that have computed" \
	"t['documented_peak_tflops'] == 294.912 and round(t['tflops'] / 4.096, 3) == sum(c['cycles'] > 0 for c in t['cores']) > 0"
tidy "a first light that is stopped"

# file, exit code, words: what befalls the card while it burns, or while its memory is tested
while IFS='|' read -r what code words; do
	for load in conv memory; do
		plug n150 wh
		while_it_burns touch "$root/$what"
		rc_is "$code" "$load, $what: exit code"
		out_has "$words" "$load, $what: says '$words'"
		sed -i '/ earlier burn/d' "$out"
		out_lacks ' wrong word' "$load, $what: nothing is made of what was not read"
		tidy "$load, $what" gone
	done
done <<'TABLE'
ones|5|it has left the bus: its config space is all ones
late|5|the chip does not answer
reset|4|another program has reset it, or the driver has let go of it
removed|4|another program has reset it, or the driver has let go of it
TABLE
load=conv

# words, exit code, words: what the driver has not
while IFS='|' read -r what code words; do
	plug n150 wh "$what"
	burn -dur 1
	rc_is "$code" "$what: exit code"
	out_has "$words" "$what: says '$words'"
	[ "$what" = windows@0 ] && check "$what: the card was left alone" sh -c '! grep -q ^message sim.log'
	tidy "$what"
done <<'TABLE'
windows@0|4|INCOMPLETE: all windows to the chip are taken by other programs
windows@1|0|PASS
mmap@0|4|INCOMPLETE: the cores cannot be held
TABLE

# The memory, by the same windows.
for chip in 'n150 wh' 'p100a bh'; do
	plug $chip off@18-21-18-23
	smi -b 0 --timeout 10 --workload memory --size 64k --channels 5 --iterations 1
	rc_is 0 "$chip: its memory passes"
	tidy "$chip: memory"
	smi --check-memory 0 --timeout 10 --size 64k --channels 5
	rc_is 0 "$chip: its memory agrees"
	tidy "$chip: memory that is only read"
done
plug p150a bh+late
smi -b 0 --timeout 10 --workload memory --size 64k --channels 3 --stop-on-error
rc_is 5 "a lane that is late fails"
out_has 'FAIL: memory channel 3: byte lane 2' "by its name"
tidy "a late lane"
# Beside a program that has the card open and changes words, differences are no proof.
plug p150a bh+toggle
KMD_ROOT=$root LD_PRELOAD=$shim python3 -c \
	'import os, time; os.open("/dev/tenstorrent/0", os.O_RDWR); open("held", "w"); time.sleep(600)' &
holder=$!
await [ -e held ]
smi --check-memory 0 --channels 2,3
rc_is 6 "a card that a program has open is not checked"
err_code held ' process ' "and the program is named"
smi --check-memory 0 --channels 2,3 --size 64k --force
rc_is 4 "with --force it is, and words that the program toggles are no agreement"
out_has 'differences in channel 3 were seen while another program holds the card: not proof, since it may write there' "nor proof"
out_lacks 'disagrees' "no channel is blamed"
kill $holder
wait $holder 2>/dev/null
plug p150a bh+late
touch "$root/ones"
smi --check-memory 0 --size 64k
out_lacks 'disagree' "a card that is off the bus is not called wrong"
unplug
done_testing
