# SPDX-License-Identifier: GPL-2.0-or-later
# --burnin generate --device: reference data that a card's cores compute.  On a fake chip,
# and on the chip simulator where TTSIM_WH and TTSIM_BH name it: near the host's within the
# bound that is documented, and nothing is written where one core is wrong.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/burn_lib.sh"
. "$top_srcdir/tests/rig/core_lib.sh"

on_card() {	# DIR arguments: into a folder that is new
	run timeout 400 tt-smi --burnin generate "$@" --device 0 --no-reset
}
bound() {	# name DIR PART: each result is as near the true one as its metadata say
	if [ $py = none ]; then
		skip "$1" "no python3"
	else
		check "$1" $py "$top_srcdir/tests/rig/card_bound.py" "$2" 8 "$3"
	fi
}
nothing_left() {	# name DIR
	check "$1: no file is left" [ ! -e "$2" ]
}

run tt-smi --burnin generate host --cases 8,16 --dtype bfloat16
rc_is 0 "the host's golden data"

# A chip whose cores sum up in float32, exactly enough.
for chip in wh bh; do
	lib $chip
	on_card $chip --cases 8,16 --ttsim $chip.so
	rc_is 0 "fake $chip: reference data are computed"
	err_empty "fake $chip: without a word on stderr"
	out_has 'PASS: 262144 words computed on two cores each, the same bits' "fake $chip: its verdict"
	check "fake $chip: the same files as the host's, in bfloat16" \
		[ "$(cd $chip && find . -type f | sort)" = "$(cd host && find . -type f | sort)" ]
	for file in conv2d_input conv2d_weight conv2d_bias matmul_A matmul_B; do
		check "fake $chip: the same $file" \
			cmp -s host/bfloat16/k0144_ic016_$file.npy $chip/bfloat16/k0144_ic016_$file.npy
	done
	run tt-smi --burnin compare host $chip
	rc_is 0 "fake $chip: they pass beside the host's"
	check "fake $chip: with PCC and ULP of each" \
		[ "$(grep -cE '(conv2d|matmul) pass: (32768 equal|.* ULP max .* PCC (1|0\.9999))' "$out")" = 4 ]
	run tt-smi --burnin verify $chip
	rc_is 0 "fake $chip: and verify"
	out_has "$chip: 2 passed, 0 failed" "fake $chip: both cases"
	# With four phases a Wormhole's matrix unit makes a sum wrong, alike on every core.
	bound "fake $chip: each result is within the bound" $chip $([ $chip = wh ] && echo 0.0045 || echo 0.004)
done
# Sums of more terms than one core's memory holds, of both operations.
run tt-smi --burnin generate long --cases 256,512 --dtype bfloat16
for chip in wh bh; do
	on_card $chip-long --cases 256,512 --ttsim $chip.so
	rc_is 0 "fake $chip: sums of several blocks"
	out_has 'PASS: 655360 words computed on two cores each' "fake $chip: each block is counted"
	run tt-smi --burnin compare long $chip-long
	rc_is 0 "fake $chip: they pass beside the host's, too"
	check "fake $chip: all four results are compared" [ "$(grep -cE '(conv2d|matmul) pass: ' "$out")" = 4 ]
done
for words in '"device": "tenstorrent:0"' '"chip": "Wormhole"' '"board": "n150 L"' '"firmware": "' '"simulator": "ttsim"' \
	'"operands": "bfloat16"' '"accumulation": "float32"' '"cores": "1-1 1-2 ' '"dtype": "bfloat16"'; do
	check "metadata say $words" grep -qF "$words" wh/bfloat16/k0072_ic008_metadata.json
done
check "system_info.json names the card" grep -qF '"device": "tenstorrent:0"' wh/system_info.json
sed 's/a card/no card/' wh/config.json >changed && mv changed wh/config.json
run tt-smi --burnin verify wh
check "a config.json that was changed is found" [ $rc -ne 0 ]

# The card is given back as after a burn.
run tt-smi -b generate reset --device 0 --cases 8 --ttsim bh.so
rc_is 0 "with resets"
out_has 'reset before the burn: recovered' "one before"
out_has 'reset after the burn: recovered' "and one after"

# A folder that was there, and empty, is used and stays.
mkdir empty
on_card empty --cases 8 --sim p150a
check "an empty folder stays, as it was" [ -d empty -a -z "$(ls empty)" ]

# One core is wrong: found by two others, named, and nothing is written.
while IFS='|' read -r fault code words; do
	lib "wh+$fault"
	TT_SMI_TTSIM_STILL=3 on_card bad --cases 8,16 --ttsim "wh+$fault.so"
	rc_is "$code" "fake, $fault: exit code"
	out_has "$words" "fake, $fault: $words"
	out_has 'nothing was written' "fake, $fault: which is said"
	nothing_left "fake, $fault" bad
done <<'TABLE'
wrong@0|5|n150 L: FAIL: core 4-5 does not compute what cores 4-7 and 4-8 do: conv2d of 16 channels, terms from 0 on, row 128, column 7 is
lie@1|5|n150 L: FAIL: core 4-5 does not compute what cores 4-7 and 4-8 do: conv2d of 16 channels, terms from 0 on, row 192, column 7 is
core@1|5|n150 L: FAIL: 1 core stood still, the first 4-5 after 1 blocks
stale@0|5|n150 L: FAIL: core 4-5 does not compute what cores 4-7 and 4-8 do: conv2d of 16 channels, terms from 0 on, row
twin|5|n150 L: FAIL: tile 4-5 reports that it is at 4-4
unborn|5|n150 L: FAIL: 1 core stood still, the first 4-5 after 0 blocks
TABLE

# What is refused, and by which code.
on_card bad --cases 8 --dtype float32 --ttsim wh.so
rc_is 2 "float32 is refused"
err_code unsupported '--dtype' "by name"
run tt-smi -b generate bad --cases 8 --no-reset --ttsim wh.so,bh.so --device all
rc_is 2 "two cards are one too many"
err_code bad-value '--device' "which is said"
run tt-smi -b generate bad --cases 8 --no-reset --ttsim wh.so --device 7
check "a card that is not there" [ $rc -ne 0 ]
run tt-smi --burnin verify host --device 0
rc_is 2 "--device goes with generate alone"
run tt-smi -b host --device 0
rc_is 2 "not with a burn, which names its cards"
run tt-smi -b generate bad --cases 8 --no-reset
rc_is 2 "--no-reset is about a card"
on_card bad --cases 8 --sim p150a
rc_is 4 "a simulated board computes nothing"
out_has 'INCOMPLETE: the card is simulated and computes nothing; nothing was written' "and is called so"
on_card bad --cases 8 --sim p150a:hang
rc_is 4 "nor does one that hangs"
out_has 'INCOMPLETE: it cannot be read: ' "with the reason"
on_card host --cases 8 --ttsim wh.so
rc_is 1 "a folder that has something is kept"
nothing_left "what was refused" bad
lib calm+calm@400
: >"$out"
tt-smi -b generate bad --device 0 --no-reset --ttsim wh.so >"$out" 2>"$err" &
pid=$!
await has_line "$out" ' [1-9][0-9]* blocks'
kill -TERM $pid
wait $pid
rc=$?
rc_is 4 "stopped before its end"
nothing_left "stopped before its end" bad
none_left "stopped before its end"

real() {	# name library tile others board
	if [ -z "$2" ]; then
		skip "reference data of the simulator's cores: $1" "$1 does not name its library"
		return
	fi
	on_card "$1" --cases 8 --ttsim "$2"
	rc_is 0 "$1: reference data are computed"
	run tt-smi --burnin compare host "$1"
	check "$1: PCC and ULP of each beside the host's" \
		[ "$(grep -cE '(conv2d|matmul) pass: .* ULP max .* PCC 0\.99999' "$out")" = 2 ]
	bound "$1: each result is within the bound" "$1" "$6"
	export TTSIM_REAL="$2"
	for fault in output@3 weights@200; do
		wrap "sim+$fault:$3"
		on_card bad --cases 8 --ttsim "sim+$fault:$3.so"
		rc_is 5 "$1, $fault: a wrong core fails"
		out_has "$5: FAIL: core $3 does not compute what cores $4 do: conv2d of 8 channels" "$1, $fault: and is named"
		nothing_left "$1, $fault" bad
	done
}
real TTSIM_WH "${TTSIM_WH:-}" 1-3 '1-4 and 1-5' 'n150 L' 0.0045
real TTSIM_BH "${TTSIM_BH:-}" 1-4 '1-5 and 1-6' p150a 0.004
if [ -e TTSIM_WH ] && [ -e TTSIM_BH ]; then
	run tt-smi --burnin compare TTSIM_WH TTSIM_BH
	check "both chips make nearly the same" [ "$(grep -c ' pass: ' "$out")" = 2 ]
fi
done_testing
