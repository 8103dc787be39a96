# SPDX-License-Identifier: GPL-2.0-or-later
# One fact, one rule: firmware that has stopped is found alike by every mode, however short; where
# no firmware runs now it is never called dead; and what a file says is kept.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "facts" "jq is not installed"; done_testing; exit; }
export TT_SMI_VIRTUAL_TIME=1795252364 TT_SMI_STATE_DIR="$work/state"
tree=$top_srcdir/tests/fixtures/sysfs
dead='silent for|"stopped"|reason="heartbeat"|firmware has stopped|warn:[^;]*heartbeat|"findings": \["heartbeat"\]'

# name|options
short_modes() {
	cat <<-'TABLE'
	overview|
	-s|-s --json
	-ls|-ls
	--health|--health --checks heartbeat
	--textfile --once|--textfile metrics --once
	--textfile, one sample|--textfile metrics -dur 0.1
	-d|-d -dir dump -dur 1
	--ndjson, one sample|-d --ndjson -dur 0.1
	--ndjson|-d --ndjson -dur 1
	TABLE
}
long_modes() {
	cat <<-'TABLE'
	--textfile|--textfile metrics -dur 12
	-d|-d -dir dump -dur 12 -i 1
	--ndjson|-d --ndjson -dur 12 -i 1
	TABLE
}
# found by, or never in, each mode of a table: table, name, source
look() {
	rm -rf metrics dump
	# shellcheck disable=SC2086
	run tt-smi $options $2 "$3"
	cat metrics dump/*.csv "$out" "$err" >all 2>/dev/null
}
finds() {
	"$1" >table
	while IFS='|' read -r name options; do
		look "$@"
		check "$name finds it" grep -qE "$dead" all
	done <table
}
never() {
	"$1" >table
	while IFS='|' read -r name options; do
		look "$@"
		check "$name, $2 ${3##*/}: not dead" sh -c "[ -s all ] && ! grep -qE '$dead' all"
		check "and up" sh -c "[ ! -e metrics ] || grep -q '^tt_smi_up.* 1\$' metrics"
	done <table
}
for board in p150a n150; do
	finds short_modes --sim "$board:stuck"
	never short_modes --sim "$board"
done
run tt-smi --textfile metrics --once --sim p150a:stuck
check "it is down" grep -q '^tt_smi_up.* 0$' metrics
check "and has no readings" sh -c '! grep -q "^tt_smi_asic_celsius" metrics'

# A recording with ten samples a heartbeat is played slowly
run tt-smi -d -dir fast -dur 1 -i 0.01 --sim p150a --record recording
rc_is 0 "a recording is made"
for source in "--root $tree/blackhole" "--root $tree/wormhole" "--replay recording"; do
	never long_modes "${source%% *}" "${source#* }"
done
# Firmware that stops shortly before the end
run tt-smi -d --ndjson -dur 4 --sim p150a:stuck@2.7
check "the last row has it" sh -c "tail -n 1 '$out' | grep -qE '$dead'"
check "no other has" test "$(grep -cE "$dead" "$out")" = 1
run env -u TT_SMI_VIRTUAL_TIME tt-smi --during --json --sim p150a:stuck -- sleep 0.3
check "--during finds it" grep -qE "$dead" "$err"
rc_is 0 "and its exit code is the command's"
for row in "simulated|--sim p150a" "recorded|--replay recording" "loaded from a file|--load none" "null|--root $tree/blackhole"; do
	# shellcheck disable=SC2086
	run tt-smi --during --json ${row#*|} -- true
	case $row in
	loaded*) rc_is 2 "a file says nothing of a command: --during refuses it" ;;
	*) check "--during ${row#*|}: ${row%%|*}" test "$(jq -r .boards "$err")" = "${row%%|*}" ;;
	esac
done

# Two boards with one number; chips of one board
tt-smi -s --json --sim n300,n300 >n300.json
tt-smi -s --json --sim p300,p300 >p300.json
tt-smi -s --json --sim galaxy-wh >galaxy-wh.json
for board in n300 p300 galaxy-wh; do
	jq '.device_info[0] as $first | .device_info[].board_info.board_id = $first.board_info.board_id |
		(.device_info[] | .readings.board_id? | select(.)) = $first.readings.board_id |
		(.device_info[].tags | select(.)) |= with_entries(if .key | test("BOARD_ID") then
			.value = $first.tags[.key] else . end) |
		(.device_info[].smbus_telem) |= with_entries(if .key | test("BOARD_ID") then
			.value = $first.smbus_telem[.key] else . end)' $board.json >$board-twins.json
done
serials() {	# file, verdict
	run tt-smi --health --json --checks serials --load "$1.json"
	check "$1: serials $2" test "$(jq -r '.checks[].result' "$out")" = "$2"
}
serials n300 PASS
serials n300-twins WARN
serials p300 PASS
serials p300-twins WARN
serials galaxy-wh-twins PASS
boards() {	# boards, spec
	run tt-smi --sim "$2"
	out_has " $1, " "$2: $1"
}
boards "1 board" n300
boards "1 board" p300
boards "2 boards" p150a,p300
boards "1 board" galaxy-bh

# A file that does not list holders, one that does not know them, one that knows some
for edit in 'del(.processes)' '.processes_unknown = "nobody asked"' '.processes_partial = true' .; do
	jq "$edit" p300.json >edited.json
	run tt-smi --health --json --checks holders --load edited.json
	want=$([ "$edit" = . ] && echo PASS || echo SKIP)
	check "$edit: holders $want" test "$(jq -r '[.checks[].result] | unique | join(",")' "$out")" = "$want"
done

# A finding that took several samples
jq '.device_info[0].health.state = "warn" | .device_info[0].health.findings =
	[{id: "eth-link", text: "ethernet link 3 was up and went down"}]' p300.json >edited.json
run tt-smi -s --json --load edited.json
check "it is kept" test "$(jq -r '.device_info[0].health.findings[].text' "$out")" = \
	"ethernet link 3 was up and went down"
check "once" test "$(jq -r '.device_info[1].health.findings | length' "$out")" = 0
done_testing
