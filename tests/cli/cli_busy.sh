# SPDX-License-Identifier: GPL-2.0-or-later
# --busy: how busy chips are, by each form of a runtime's counters, in each output; or why that is
# not known.  Nothing is read without it.
. "$top_srcdir/tests/rig/lib.sh"

TT_SMI_SIM_LOG=$work/log
export TT_SMI_SIM_LOG

busy() {	# SPEC SOURCE [ANY CORES]: within three percent
	run tt-smi --busy --sim "$1" --query busy_percent,busy_cores_percent,busy_source \
		--format csv,noheader,nounits
	check "$1: ${*:2}" awk -F', ' -v source="$2" -v any="${3:-N/A}" -v cores="${4:-N/A}" '
		function is(x, y) { return y == "N/A" ? x == y : x != "N/A" && x - y < 3 && y - x < 3 }
		END { exit !(is($1, any) && is($2, cores) && $3 == source) }' "$out"
}

busy p150c:runtime=60/20 counters 60 20
busy p150c:runtime=100/2 counters 100 2
busy p150c:runtime counters 0 0
busy p150c:runtime=60/20+a cores-only N/A 20
busy p150c:runtime=40/20+q2 at-least 40 40
busy p150c:runtime=30/10+q3 at-least 30 30
busy n150-new:runtime=70/30 counters 70 30
busy n150-new:runtime=70/30+raw counters 70 30
busy p150c:runtime=60/20+c unknown-layout
busy p150c:runtime=early unknown-layout
busy p150c:runtime=slow slow-dispatch
busy p150c:runtime=mute no-counters
busy p150c:runtime=60/20:runtime=dead stopped
busy p150c:runtime=60/20+torn torn
busy p150c:runtime=ones unreadable
busy p150c:runtime=off core-off
busy n150-new:runtime=off core-off
busy p150c no-runtime
busy p150a:runtime=60/20 no-buffer
check "only counters of enabled cores are read" not grep -q '^violation' "$TT_SMI_SIM_LOG"

# Every output
TT_SMI_SIM=p150c:runtime=80/40
export TT_SMI_SIM
run tt-smi --query busy_percent,busy_source --format csv,noheader
check "without --busy nothing is known" [ "$(cat "$out")" = 'N/A, N/A' ]
TT_SMI_CONFIG=$work/conf
printf 'busy = yes\n' >"$TT_SMI_CONFIG"
export TT_SMI_CONFIG
run tt-smi --query busy_source --format csv,noheader
check "the configuration asks for it" [ "$(cat "$out")" = counters ]
run tt-smi --passive --query busy_source --format csv,noheader
check "but not with --passive" [ "$(cat "$out")" = N/A ]
TT_SMI_CONFIG=
run tt-smi --busy --passive --query busy_source
rc_is 2 "--busy and --passive contradict each other"
if command -v jq >/dev/null; then
	run tt-smi --busy -s
	check "the snapshot has both shares and where they are from" jq -e '.device_info[0].readings |
		.busy_percent.value > 75 and .busy_percent.value < 85 and .busy_percent.source == "runtime" and
		.busy_cores_percent.value > 37 and .busy_cores_percent.value < 43 and
		.busy_source.value == "counters"' "$out"
	cp "$out" saved.json
	run env -u TT_SMI_SIM tt-smi --load saved.json --query busy_percent,busy_source --format csv,noheader,nounits
	check "a saved one still has them" grep -Eqx '(7[5-9]|8[0-5])\.[0-9], counters' "$out"
else
	skip "snapshots" "jq is not installed"
fi
run tt-smi --busy -d --ndjson -i 0.2 -dur 1 --fields busy_percent,busy_cores_percent,busy_source
check "each line but the first has them" sh -c "sed 1d '$out' | grep -Eq '\"busy_percent\": ?(7|8)[0-9.]+'"
run tt-smi --busy -d -i 0.2 -dur 1 -dir dump --fields busy_percent,busy_source
check "the dump has them" sh -c "tail -qn 1 dump/*.csv | grep -Eq ',(7[5-9]|8[0-5])\.[0-9]+,counters'"
run tt-smi --busy --textfile metrics.prom -i 0.3 -dur 1
check "as ratios in the metrics" awk '/^tt_smi_busy_ratio\{/ { n += $2 > 0.74 && $2 < 0.86 }
	/^tt_smi_busy_cores_ratio\{/ { n += $2 > 0.36 && $2 < 0.44 } END { exit n != 2 }' metrics.prom
run tt-smi --busy --record record -s
run env -u TT_SMI_SIM tt-smi --busy --replay record --query busy_percent,busy_source --format csv,noheader,nounits
check "a recording has the counters" grep -Eqx '(7[5-9]|8[0-5])\.[0-9], counters' "$out"

for board in p150c:runtime=80/40 n150-new:runtime; do
	run tt-smi --sim $board --record without -s
	run env -u TT_SMI_SIM tt-smi --busy --replay without --query busy_percent,busy_source --format csv,noheader
	check "$board: one that was made without --busy has none, and that is said" \
		[ "$(cat "$out")" = 'N/A, not-recorded' ]
	check "$board: since it has no access to any tile but the ARC's" \
		not grep -Ev '^read (bar0|8,0) ' <(grep '^read' without)
	check "$board: nor a write" not grep -q '^write' without
	run tt-smi --passive --sim $board --record passive -s
	check "$board: with --passive there is no access at all" \
		not grep -Eq '^(acquire|read|write)' passive
done
check "after a second look" [ "$(grep -c '^look' record)" -ge 2 ]
run tt-smi --busy --sim p150c --record idle --query index
check "which is not taken where nothing counts" [ "$(grep -c '^look' idle)" = 1 ]

# What acts on it
run tt-smi --busy -i 0.2 --during -- sleep 1.2
check "a receipt has both shares" grep -Eq 'busy \(%\): any work (7[5-9]|8[0-5])\.[0-9], cores (3[7-9]|4[0-3])\.[0-9]$' "$err"
run tt-smi -i 0.2 --during -- sleep 0.5
err_lacks() { ! grep -qF "$1" "$err"; result $? "$2"; }
err_lacks 'busy (%)' "and none without --busy"
run tt-smi --busy --sim p150c:runtime=80/40:hot
out_has 'clock held at 810 MHz (thermal); busy ' "a chip that is slow and busy is shown as such"
# A runtime that dies is neither busy nor idle
run tt-smi --busy -d --ndjson -i 0.2 -dur 2 --fields busy_percent,busy_source --sim p150c:runtime=80/40:runtime=dead@1
check "its counters were read" grep -Eq '"busy_source": ?"counters"' "$out"
check "once they stand still there is no share" sh -c "tail -n 1 '$out' | grep -E '\"busy_source\": ?\"stopped\"' |
	grep -Eqv '\"busy_percent\": ?[0-9]'"
run tt-smi --busy -d --ndjson -i 0.2 -dur 2 --fields busy_percent,busy_source --sim p150c:runtime=100/40@0-1:runtime=0/0
check "work that ends is seen to end" sh -c "tail -n 1 '$out' | grep -Eq '\"busy_percent\": ?0(\.0+)?[,}]'"

done_testing
