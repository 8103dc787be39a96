# SPDX-License-Identifier: GPL-2.0-or-later
# Every fault of the simulator × {list, snapshot}: the documented exit code (0 into
# a pipe, since the other cards were read, and the table's with --strict), a
# reason that names the card, and the data of the cards beside it.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "the fault matrix" "jq is not installed"; done_testing; exit; }

# value of a jq filter in the last output
is() { [ "$(jq -r "$2" "$out" 2>/dev/null)" = "$3" ]; result $? "$1"; }

# fault, exit code, health of the faulty card, the code of its reason, its findings, the code on stderr
faults() {
	cat <<-'TABLE'
	hang|4|failed|hung||hung
	off|4|failed|off-bus||off-bus
	slow|4|failed|hung||hung
	gone|4|failed|off-bus||off-bus
	eio|4|failed|io-error||io-error
	dram|0|warn||dram|
	eth|0|warn||eth|
	ethstuck|0|ok|||
	retrain|0|ok|||
	hot|0|warn||over-limit gddr-hot throttled|
	memhot|0|warn||gddr-hot|
	fan|0|warn||fan|
	overpower|0|warn||over-power|
	cable|0|warn||power-cable|
	regulator|0|warn||firmware-error|
	bist|0|warn||dram-test|
	wire|0|ok|||
	nopeer|0|ok|||
	garbage|0|warn||implausible|
	width|0|warn||link-downgraded|
	resetfail|0|ok|||
	bitflip|0|ok|||
	lane|0|warn||gddr-uncorrected gddr-corrected|
	held|0|ok|||
	vfio|0|not-read|no-driver||
	nodeless|0|ok|no-driver||
	stuck|4|warn||heartbeat|firmware-down
	reset|4|failed|being-reset||being-reset
	left|4|failed|being-reset||being-reset
	late|4|failed|hung||hung
	job|0|ok|||
	runtime|0|ok|||
	exclusive|0|ok|||
	noreset|0|ok|||
	dmc|0|ok|||
	falsefail|0|ok|||
	eintr|0|ok|||
	vanish|0|ok|||
	unbound|0|ok|||
	renumber|0|ok|||
	narrow|0|ok|||
	deadbeat|0|ok|||
	mute|0|ok|||
	untrained|0|ok|||
	linklost|0|ok|||
	peerlost|0|ok|||
	exported|0|ok|||
	olddriver|0|ok|||
	TABLE
}

# Cards; of the one in the middle health, code and findings; of both beside it the voltage's state; of a
# failed one what its strings, limits and memory are.
summary() {
	jq -r '.device_info | [length, .[1].health.state, (.[1].health.code // ""),
		([.[1].health.findings[].id] | join(" ")), .[0].readings.voltage.state, .[2].readings.voltage.state,
		if .[1].health.state == "failed" then .[1].telemetry.voltage, ([.[1].limits[]] | unique | join(",")),
			(.[1].board_info.dram_status | tostring) else empty end] | join("|")' "$out"
}

every_fault_stands_in faults
run tt-smi --sim help
rc_is 0 "--sim help"
check "--sim help lists each fault" diff <(faults | sed 's/^\s*//; s/|.*//' | sort) \
	<(sed -n '/^Faults/,$s/^  \([a-z]*\) .*/\1/p' "$out" | sort)
out_has "  tt-galaxy-bh-bin6" "--sim help lists each board"

while IFS='|' read -r fault exit health code findings said; do
	spec="p150a,p150a:$fault,n150"
	run tt-smi -s --sim "$spec" --timeout 0.3
	rc_is 0 "-s with $fault: two of three cards are enough"
	run tt-smi -s --strict --sim "$spec" --timeout 0.3
	rc_is "$exit" "-s --strict with $fault: exit code $exit"
	wanted="3|$health|$code|$findings|ok|ok"
	[ "$health" != failed ] || wanted="$wanted|N/A|N/A|null"
	check "-s with $fault: $wanted" [ "$(summary)" = "$wanted" ]
	if [ -z "$said" ]; then
		err_empty "-s with $fault: stderr is quiet"
	else
		err_code "$said" "1 0000:02:00.0: " "-s with $fault: stderr names the card, and $said"
	fi
	run tt-smi -ls --sim "$spec" --timeout 0.3
	rc_is 0 "-ls with $fault: two of three cards are enough"
	run tt-smi -ls --strict --sim "$spec" --timeout 0.3
	rc_is "$exit" "-ls --strict with $fault: exit code $exit"
	node=/dev/tenstorrent/1
	[ "$fault" = vfio ] && node='N/A               '
	out_has "│ 1       │ 0000:02:00.0 │ $node │" "-ls with $fault: the card keeps its row"
	out_has "│ 2       │ 0000:03:00.0 │ /dev/tenstorrent/2 │ Wormhole   │ n150 L" \
		"-ls with $fault: the card after it is there"
	[ "$exit" -eq 0 ] || out_has "1 0000:02:00.0: " "-ls with $fault: says why"
done <<TABLE
$(faults)
TABLE

# What the quiet faults change
run tt-smi -s --sim 'p150a:held'
is "a holder is listed" '.processes[0].pid' 1
run tt-smi -s --sim 'p150a:bitflip'
check "flipped bits show as corrected errors" \
	jq -e '[.device_info[0].readings | to_entries[] | select(.key | contains("corr_errs")) | .value.value] | add > 0' "$out"
run tt-smi -s --sim 'p150a:garbage'
is "a garbage voltage is no number" '.device_info[0].readings.voltage.value' null
is "a garbage voltage is implausible" '.device_info[0].readings.voltage.state' implausible
is "and its word is kept" '.device_info[0].readings.voltage.raw | startswith("0x")' true
is "what can be believed is still shown" '.device_info[0].readings.asic_temperature.state' ok
out_lacks 4294967295 "no all-ones number reaches a person"
run tt-smi -s --sim 'p150a:width'
is "a narrow link is flagged" '.device_info[0].link.downgraded' true
for card in n300-links:wire n300-links:nopeer p300a:wire tt-galaxy-wh:wire tt-galaxy-bh:wire; do
	run tt-smi -s --sim "$card"
	is "$card: a link to another chip of a board is missing" '[.device_info[].health.findings[].id] | join(" ")' eth-link
done
run tt-smi --health --sim tt-galaxy-bh:wire
rc_is 5 "a wired port without a link is a failure"
run tt-smi -s --remote --sim 'n300:wire,n300:nopeer'
is "one link of two leads to the second chip" '.device_info[2].health.state' ok
is "without any it cannot be read" '.device_info[3].health.code' link-down

for mode in '-s --remote' '--query index,health --remote'; do
	run tt-smi $mode --sim e75:stuck
	out_lacks failed "$mode: firmware that does not answer its message is not a lost chip"
done

# All of them, or none
run tt-smi -s --sim 'p150a:eio,n150:gone'
rc_is 4 "all cards failed is a failure"
is "and both keep their entry" '.device_info | length' 2
run tt-smi -ls --sim 'p150a:hang'
rc_is 4 "-ls: all cards failed is a failure"
for mode in "-d -dir none" "-d --ndjson"; do
	run tt-smi $mode -dur 0.3 -i 0.1 --sim 'p150a:hang,n150:gone'
	rc_is 4 "$mode: all cards failed is incomplete, as some are"
done
run tt-smi --expected 2 --sim 'p150a,n150:gone'
out_has " 1 of 2 chips" "the overview: a card that has left the bus is missing"
run tt-smi --expected 2 --sim 'p150a,n150:off'
out_lacks " of 2 chips" "the overview: one that is off the bus is here"
run tt-smi --textfile metrics --once --sim 'p150a,n150:gone'
check "metrics: one chip of two is present" sh -c \
	"grep -q '_present 1' metrics && grep -q '_expected 2' metrics && grep -q '^tt_smi_up.*:02:.* 0' metrics"
tt-smi -s --sim 'p150a,n150' >whole
tt-smi -s --sim 'p150a,n150:gone' >less 2>/dev/null
for now in less '--sim p150a,n150:gone'; do
	run tt-smi --compare whole $now
	rc_is 5 "--compare, $now: a card that has left the bus is gone"
done
run tt-smi --links --against whole --sim 'p150a,n150:gone'
rc_is 5 "--links: and its links are lost"
run tt-smi --links --against whole --sim 'p150a,n150:off'
rc_is 4 "--links: those of one off the bus are not known"
run tt-smi -s --sim '2*p150a:slow,n150:slow' --sim-seed $$ --timeout 0.1
rc_is 4 "three stuck cards do not hang the tool"

# Nothing is left behind; the seed tells our processes from those of a test beside this one
check "no process is left" sh -c "! pgrep -f '[t]t-smi .*--sim-seed $$ ' >/dev/null"

# Faults that begin later are not there yet
run tt-smi -s --sim 'p150a:hang@60'
rc_is 0 "a fault of the future does nothing"

done_testing
