# SPDX-License-Identifier: GPL-2.0-or-later
# tt-smi -s: where it goes, what it says of each board, each fault, each file.
. "$top_srcdir/tests/rig/lib.sh"

TT_SMI_VIRTUAL_TIME=1795252364
export TT_SMI_VIRTUAL_TIME
host=$top_srcdir/tests/fixtures/sysfs/blackhole
validator=none
python3 -c 'import jsonschema' 2>/dev/null && validator=python3

to_validate=0
valid() {	# name: $out against the schema, by all_valid
	to_validate=$((to_validate + 1))
	cp "$out" "schema.$to_validate"
	echo "$1" >"schema.$to_validate.name"
}
all_valid() {	# in one process: python3-jsonschema takes longer to start than for what it does
	[ "$validator" = none ] || "$validator" "$top_srcdir/tests/rig/validate.py" \
		"$top_srcdir/output/snapshot.schema.json" $(seq -f schema.%.0f $to_validate) >judged 2>&1
	for n in $(seq $to_validate); do
		name=$(cat schema.$n.name)
		if [ "$validator" = none ]; then
			skip "$name" "no python3-jsonschema"
		else
			grep -e "^schema.$n: " -e '^[^s0-9]' judged >"$err"
			check "$name" sh -c "grep -qx '$to_validate looked at' judged && ! grep -q '^schema.$n: ' judged"
		fi
	done
}

snap_is() {	# golden name: the tool's own version is no part of it
	sed -i 's/"\(tt_smi\|implementation\)": "[^"]*"/"\1": "0.0.0"/' "$out"
	out_is "$1" "$2"
}

loads_again() {	# $out, loaded, comes out the same; $board names it
	cp "$out" first.json
	run tt-smi --load first.json -s
	if [ "$validator" = none ]; then
		skip "$board: a loaded snapshot says the same" "no python3-jsonschema"
	else
		"$validator" "$top_srcdir/tests/rig/same_upstream.py" first.json "$out" >"$err" 2>&1
		result $? "$board: a loaded snapshot says the same"
	fi
}

# ---- boards ----
for board in e75 e150 n150 n300 p100a p150a p300; do
	run tt-smi --sim "$board" --sim-seed 1 --root "$host" -s
	rc_is 0 "$board: exit 0"
	err_empty "$board: stderr is empty"
	valid "$board: fits the schema"
	loads_again
	cp first.json "$out"
	snap_is "golden/snapshot-$board.json" "$board: says what it said before"
done
for board in galaxy-wh galaxy-bh; do
	run tt-smi --sim "$board" --sim-seed 1 --root "$host" -s
	rc_is 0 "$board: exit 0"
	valid "$board: fits the schema"
	check "$board: has 32 chips" [ "$(grep -c '"board_type"' "$out")" = 32 ]
	loads_again
	run tt-smi --sim "$board" --sim-seed 1 --root "$host" -s --device 31
	snap_is "golden/snapshot-$board.json" "$board: the last chip says what it said before"
done
for chip in wormhole blackhole; do
	ln -s "$top_srcdir/tests/fixtures/sysfs/$chip" "$chip"
	run tt-smi --root "$chip" -s
	valid "recorded $chip: fits the schema"
	snap_is "golden/snapshot-recorded-$chip.json" "recorded $chip: says what it said before"
done

# ---- faults: what the card says of itself, and that the card beside it is read all the same ----
states() {
	sed -n 's/^                "state": "\([a-z-]*\)",$/\1/p' "$out"
}

fault() {	# fault state exit-code text
	run tt-smi --sim "n150:$1,p150a" --sim-seed 1 --root "$host" -s --timeout 0.2
	rc_is 0 "$1: one of two is enough"
	run tt-smi --sim "n150:$1,p150a" --sim-seed 1 --root "$host" -s --timeout 0.2 --strict
	rc_is "$3" "$1: exit $3 with --strict"
	valid "$1: fits the schema"
	check "$1: the card is $2" [ "$(states | head -n 1)" = "$2" ]
	out_has "$4" "$1: the snapshot says why"
	check "$1: the other card is read" [ "$(states | tail -n 1)" = ok ]
	board=$1
	loads_again
}
fault off failed 4 'off the PCI bus'
fault hang failed 4 'chip does not answer'
fault slow failed 4 'no answer within 0.2 s'
fault gone failed 4 'not on the bus any more'
fault eio failed 4 'Input/output error'
fault reset failed 4 'being reset'
fault dram warn 0 '"id": "dram"'
fault eth warn 0 '"id": "eth"'
fault hot warn 0 '"id": "over-limit"'
fault garbage warn 0 '"id": "implausible"'
fault width warn 0 '"id": "link-downgraded"'
fault held ok 0 '"pid": '
fault stuck warn 4 '"heartbeat": "stopped"'
fault resetfail ok 0 '"findings": []'
fault bitflip ok 0 '"findings": []'
run tt-smi --sim "n150:hang,p150a:slow" --root "$host" -s --timeout 0.2
rc_is 4 "all failed: exit 4"
valid "all failed: fits the schema"
run tt-smi --sim "p150a:garbage" --root "$host" -s
for wrong in 4294967295 65535 2.8e 3.21e; do
	out_lacks "$wrong" "garbage: $wrong is not printed"
done

# ---- where it goes ----
run tt-smi --sim p150a -s
check "a pipe gets JSON and no log is saved" [ ! -e tt-smi-logs ]
run tt-smi --sim p150a -s -f kept.log
rc_is 0 "-f names the file"
out_has kept.log "and it is said"
check "the file is the snapshot" grep -q '"device_info": \[' kept.log
run tt-smi --sim p150a -s -f kept.log
out_has "replacing" "what was there is not replaced silently"
run tt-smi --sim p150a -s -f -
out_has '"device_info": [' "-f - is stdout"
run tt-smi --sim p150a -s -f missing/x.log
rc_is 1 "a folder that is not there is a failure"
err_has "missing/x.log" "that is told with its path"
check "and leaves nothing" [ ! -e missing ]
run tt-smi --sim p150a -s -f "$(printf '%04094d' 0 | sed 's|00|./|g')missing.log"
rc_is 1 "a path that is too long is not cut short"
err_code name-too-long '' "and says so"
if [ -c /dev/full ]; then
	tt-smi --sim p150a -s >/dev/full 2>"$err"
	rc=$?
	rc_is 1 "a stdout whose disk is full is a failure"
	err_code no-space 'stdout' "with its reason"
fi
if command -v script >/dev/null; then
	script -qec "tt-smi --sim p150a -s" typed >/dev/null 2>&1 </dev/null
	saved=tt-smi-logs/tt-smi-snapshot_2026-11-21_09-12-44
	check "on a terminal it is saved under its time" [ -s "$saved.log" ]
	check "and the path is printed" grep -qF "$saved.log" typed
	script -qec "tt-smi --sim p150a -s" typed >/dev/null 2>&1 </dev/null
	check "a name that is taken gets a number" [ -s "$saved-2.log" ]
	for option in --json --snapshot_no_tty; do
		script -qec "tt-smi --sim p150a -s $option" typed >/dev/null 2>&1 </dev/null
		check "$option prints on a terminal too" grep -q device_info typed
		check "$option saves nothing" [ "$(ls tt-smi-logs | wc -l)" = 2 ]
	done
	cd /proc || exit 99
	script -qec "tt-smi --sim p150a -s; echo exit \$?" "$work/typed" >/dev/null 2>&1 </dev/null
	cd "$work" || exit 99
	check "a folder that cannot be written is a clear failure" sh -c "grep -q tt-smi-logs typed && grep -q 'exit 1' typed"
else
	skip "on a terminal it is saved under its time" "no script(1)"
fi

# ---- what is left out ----
run tt-smi --sim n300 -s --external --root "$host"
valid "--external: fits the schema"
out_has '"Hostname": "N/A"' "--external: no host name"
out_has '"smbus_telem": {}' "--external: no raw words"
out_lacks asic_id "--external: no chip numbers"
out_lacks '"raw"' "--external: no word beside a reading either"
run tt-smi --sim n300 -s --local
rc_is 0 "--local: exit 0"
valid "--local: fits the schema"
check "--local: one chip is shown" [ "$(grep -c '"board_type"' "$out")" = 1 ]
out_has '"not_read": [' "--local: the other is named as not read"
run tt-smi --sim 'n300:held' -s
rc_is 0 "a board that a process holds: exit 0"
valid "a board that a process holds: fits the schema"
out_has '"not-read"' "its second chip is not read"
out_has '"pid":' "and the process is named"
run tt-smi --sim p150a -s --passive
valid "--passive: fits the schema"
out_has '"dram_status": null' "--passive: whether the memory is trained is not known, so neither true nor false"
# --external is for attaching to a report in public: what runs here is nobody else's business
run tt-smi --sim p150a:held -s
check "a process has a user and a command line" sh -c "
	! grep -q '\"user\": \"N/A\"' '$out' && ! grep -q '\"cmdline\": \"N/A\"' '$out'"
command=$(sed -n 's/^ *"cmdline": "\(.*\)",$/\1/p' "$out")
check "which is not empty" test -n "$command"
for mode in -s '-s --json' '-s -f -' '-s --plain' -nc; do
	# shellcheck disable=SC2086
	run tt-smi $mode --external --sim p150a:held
	rc_is 0 "$mode --external"
	out_lacks "$command" "$mode --external leaves command lines out"
	check "$mode --external: the process itself stands there" grep -Eq '"pid": 1,|Held by 1 ' "$out"
	check "$mode --external: without its user" sh -c "
		! grep '\"user\": ' '$out' | grep -qv '\"user\": \"N/A\"' && ! grep -q 'Held by 1 (' '$out'"
done
run tt-smi --external --plain --sim p150a:held
valid "--external --plain fits the schema"

# --plain: upstream's keys as they are, without what is most of the rest
run tt-smi --sim galaxy-bh --sim-seed 1 --root "$host" -s
cp "$out" whole
run tt-smi --sim galaxy-bh --sim-seed 1 --root "$host" -s --plain
rc_is 0 "--plain"
valid "--plain fits the schema"
out_lacks '"readings"' "--plain has no readings"
check "--plain is less than half of it" [ "$(($(wc -c <"$out") * 2))" -lt "$(wc -c <whole)" ]
check "--plain: every line that is left stands in the whole" [ "$(grep -vxF -f whole "$out" | wc -l)" -eq 0 ]
check "--plain: upstream's keys are all there" [ "$(grep -c '"asic_temperature"' "$out")" = 32 ]
check "--plain has one key a line" sh -c "! grep -Eq '\": .*\": ' '$out'"
run tt-smi --sim p150a --plain
check "--plain asks for a snapshot" grep -q device_info "$out"
run tt-smi -ls --plain --sim p150a
rc_is 2 "a list has no readings"

mkdir empty
run tt-smi -s --root "$work/empty"
rc_is 3 "no card: exit 3"
out_has '"device_info": [],' "no card: an empty list"
valid "no card: fits the schema"

# ---- files ----
for file in n300-tt_smi-5.3.0 p150a-tt_smi-5.2.0; do
	run tt-smi --load "$top_srcdir/tests/fixtures/snapshots/$file.json" -s
	rc_is 0 "$file: exit 0"
	valid "$file: fits the schema"
	snap_is "golden/snapshot-$file.json" "$file: is decoded as before"
	cp "$out" again.json
	run tt-smi --load again.json -s
	snap_is "golden/snapshot-$file.json" "$file: our file of it says the same"
done
# A firmware's table that is broken: one word throughout, as entries give that point nowhere or at one place.
for word in 0x0 0x401; do
	printf '{"device_info": [{"identity": {"chip": "Blackhole"}, "smbus_telem": {}, "tags": {' >alike.json
	for tag in VCORE TDP TDC ASIC_TEMPERATURE AICLK AXICLK ARCCLK GDDR_STATUS GDDR_SPEED; do
		printf '"%s": "%s", ' $tag $word >>alike.json
	done
	printf '"TIMER_HEARTBEAT": "%s"}}]}' $word >>alike.json
	run tt-smi --load alike.json -s
	valid "a table of $word throughout: fits the schema"
	for key in voltage power aiclk asic_temperature; do
		out_has "\"$key\": \"N/A\"" "a table of $word throughout: $key is no number"
	done
	out_has '"dram_status": null' "a table of $word throughout: the memory is not known"
	out_has '"state": "warn"' "a table of $word throughout: the card is not well"
	out_has 'says the same of everything' "a table of $word throughout: and that is said"
done
echo '{"device_info": 7}' >bad.json
run tt-smi --load bad.json -s
rc_is 1 "a file that is no snapshot: exit 1"
err_code invalid 'bad.json' "with the reason"
out_empty "and nothing on stdout"
run tt-smi --load missing.json -ls
rc_is 1 "a file that is not there: exit 1"
err_has "missing.json" "with its name"
# What few modes need is loaded when they do: a start that does not read JSON does not pay for it.
run env LD_TRACE_LOADED_OBJECTS=1 tt-smi
for library in libcjson libcurl libpci libxlsxwriter libmicrohttpd libtinfo; do
	out_lacks "$library" "no start loads $library"
done

all_valid
done_testing
