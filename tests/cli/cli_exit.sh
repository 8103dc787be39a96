# SPDX-License-Identifier: GPL-2.0-or-later
# Exit codes where something is missing: no driver, a card of several, room on
# the disk, memory, a standard descriptor.
. "$top_srcdir/tests/rig/lib.sh"

# A card on the bus that no driver has
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
rm -rf tree/sys/class/tenstorrent tree/sys/module
find tree/sys -name driver -type l -exec rm {} +
for mode in -s '-ls' '-ls --json' '-d -dur 0.1 -dir never'; do
	# shellcheck disable=SC2086
	run tt-smi $mode --root tree
	rc_is 3 "$mode: a card without a driver is no device"
	check "$mode: and the reason names it" grep -qE '0000:01:00\.0.*no driver|no driver: install' "$out" "$err"
done
check "no dump is begun" test ! -e never

# One card of several: callers that know 0 and 1 alone read pipes and files
for mode in -s '-s --json' '-s -f one.json' -ls '-ls --json' -nc '--query index'; do
	# shellcheck disable=SC2086
	run_partial "$mode, one of two hangs" tt-smi $mode --sim p150a,n150:hang
	check "$mode --strict: and the reason" grep -qs 'does not answer' "$out" "$err" one.json
	cp "$out" strict
	# shellcheck disable=SC2086
	run tt-smi $mode --sim p150a,n150:hang
	err_has "1 0000:02:00.0: " "$mode: stderr names the card"
	err_code hung '1 0000:02:00.0' "$mode: and says why"
	err_code not-read '1 of 2 chips' "$mode: and how many there are"
	check "$mode: the output is that of --strict" \
		[ "$(grep -c 'does not answer' strict)" = "$(grep -c 'does not answer' "$out")" ]
	# shellcheck disable=SC2086
	tt-smi $mode --sim p150a,n150:hang >file 2>"$err" </dev/null
	rc=$?
	rc_is 0 "$mode: a file as stdout is no terminal"
	# shellcheck disable=SC2086
	run tt-smi $mode --partial-ok --sim p150a,n150:hang
	rc_is 0 "$mode --partial-ok: the same"
	# shellcheck disable=SC2086
	run tt-smi $mode --strict --partial-ok --sim p150a,n150:hang
	rc_is 2 "$mode --strict --partial-ok: is asked for two things"
	err_code conflict '--partial-ok' "$mode --strict --partial-ok: and hears so"
	for strict in '' --partial-ok --strict; do
		# shellcheck disable=SC2086
		run tt-smi $mode $strict --sim p150a:hang,n150:hang
		rc_is 4 "$mode $strict: no card was read, and that is never a success"
		# shellcheck disable=SC2086
		run tt-smi $mode $strict --sim p150a,n150
		rc_is 0 "$mode $strict: all were read"
		# shellcheck disable=SC2086
		run tt-smi $mode $strict --root tree
		rc_is 3 "$mode $strict: a card without a driver is no device"
	done
	# shellcheck disable=SC2086
	TT_SMI_PARTIAL_OK=1 run tt-smi $mode --strict --sim p150a,n150:hang
	rc_is 4 "$mode: TT_SMI_PARTIAL_OK=1 yields to --strict"

	command -v script >/dev/null || { skip "$mode on a terminal" "script is not installed"; continue; }
	run_typed "TERM=dumb tt-smi $mode --sim p150a,n150:hang"
	rc_is 4 "$mode: on a terminal a card of two that hangs is a partial result"
	run_typed "TERM=dumb tt-smi $mode --partial-ok --sim p150a,n150:hang"
	rc_is 0 "$mode: with --partial-ok it is none"
	run_typed "TERM=dumb TT_SMI_PARTIAL_OK=1 tt-smi $mode --sim p150a,n150:hang"
	rc_is 0 "$mode: TT_SMI_PARTIAL_OK=1 means the same"
	for value in 0 yes '' 11; do
		run_typed "TERM=dumb TT_SMI_PARTIAL_OK=$value tt-smi $mode --sim p150a,n150:hang"
		rc_is 4 "$mode: TT_SMI_PARTIAL_OK='$value' does not"
	done
done
mkdir empty
run tt-smi -s --partial-ok --root empty
rc_is 3 "--partial-ok: no card at all is still 3"
for option in --partial-ok --strict; do
	run tt-smi -d $option --sim p150a
	rc_is 2 "$option: a dump has its own way to say it"
done

# Output that does not arrive
modes='-s|-s -f -|-ls|-ls --json|-h|-v|--fields help|-d --ndjson -dur 0.1 -i 0.05'
IFS='|'
for mode in $modes; do
	IFS=' '
	# shellcheck disable=SC2086
	tt-smi $mode --sim p150a >/dev/full 2>"$err"
	rc=$?
	rc_is 1 "$mode: stdout on a full disk is a failure"
	err_code no-space 'stdout' "$mode: and says so"
	# shellcheck disable=SC2086
	tt-smi $mode --sim p150a >&- 2>"$err"
	rc=$?
	rc_is 1 "$mode: a closed stdout is a failure"
	err_code failed 'stdout' "$mode: and that is said too"
	mkdir -p closed
	# shellcheck disable=SC2086
	(cd closed && exec tt-smi $mode --sim p150a <&- >&- 2>&-)
	rc=$?
	rc_is 1 "$mode: all standard descriptors closed: a failure"
	check "$mode: and no file of another name came of it" test -z "$(ls closed)"
done
unset IFS

# ... hides no verdict, and not that there was no card
tt-smi -s --sim '2*p150a' >was.json
printf '[output]\nno-such = 1\n' >wrong.conf
while IFS='|' read -r code arguments; do
	# shellcheck disable=SC2086
	run timeout 60 tt-smi $arguments
	rc_is "$code" "$arguments: $code"
	# shellcheck disable=SC2086
	timeout 60 tt-smi $arguments >/dev/full 2>"$err" </dev/null
	rc=$?
	rc_is "$code" "$arguments: $code on a full disk"
	err_code no-space 'stdout' "$arguments: which is said"
	# shellcheck disable=SC2086
	timeout 60 tt-smi $arguments >&- 2>"$err" </dev/null
	rc=$?
	rc_is "$code" "$arguments: $code when stdout is closed"
done <<END
5|--health --sim p150a:hang
5|--health --json --sim p150a:hang
2|--health --nagios --sim p150a:hang
5|--links --against was.json --sim p150a:eth,p150a
5|--compare was.json --sim p150b
5|--config-check wrong.conf
5|--check-memory --size 64K --sim p150a:lane
6|--eth_status --sim p150a:held
3|-s --root tree
3|-ls --root tree
3|-nc --root tree
3|--query index --root tree
3|--health --root empty
3|--links --root tree
END
run sh -c 'tt-smi --health --nagios --sim p150a >/dev/full'
rc_is 3 "--nagios on a full disk: UNKNOWN, since 1 would be WARNING"
run tt-smi --links --against was.json --sim "p150a:eth,p150a" --save none/x
rc_is 5 "--links: a snapshot that cannot be saved hides no lost link"
err_has "none/x" "which is said"

# With closed descriptors the files are what they are with open ones
for n in 1 2; do
	tt-smi -s -f "open$n.json" --sim p150a --record "open$n.rec" >/dev/null 2>&1 </dev/null
	tt-smi -s -f "closed$n.json" --sim p150a --record "closed$n.rec" <&- >&- 2>&-
done
check "a snapshot file has its lines, and no more, when 0, 1 and 2 are closed" \
	[ "$(wc -l <closed1.json)" = "$(wc -l <open1.json)" ]
check "and ends as one" [ "$(tail -n 1 closed1.json)" = '}' ]
check "a recording begins as recordings do" [ "$(head -n 1 closed1.rec)" = "$(head -n 1 open1.rec)" ]
tt-smi -d -dir dumped -dur 0.3 -i 0.1 --sim p150a <&- >&- 2>&-
rc=$?
rc_is 0 "a dump that prints nothing needs no descriptor"
check "its CSV has rows only" sh -c "! grep -q 'tt-smi:' dumped/*.csv"

# A file-size limit: an error, and nothing half made is left
mkdir limited
(cd limited && ulimit -f 1 && exec tt-smi -s -f x.json --sim '8*p150a') 2>"$err"
rc=$?
rc_is 1 "a snapshot over the file-size limit fails"
err_code too-large 'x.json' "and says why"
check "it leaves no file" test -z "$(ls limited)"
(ulimit -f 16 && exec tt-smi -d -dir small -dur 2 -i 0.01 --sim p150a) 2>"$err" </dev/null
rc=$?
rc_is 1 "a dump over the file-size limit fails"
err_code too-large 'small/0_p150a_0000-01-00.0.csv' "and says why"
for mode in '-s --json' '--health --json' '-d --ndjson -dur 0.2 -i 0.05'; do
	rm -f cut.rec
	# shellcheck disable=SC2086
	(ulimit -f 8 && exec tt-smi $mode --sim '8*p150a' --record cut.rec) 2>"$err" </dev/null |
		cat >"$out"
	rc=${PIPESTATUS[0]}
	rc_is 1 "$mode: a recording over the file-size limit fails"
	err_code too-large '' "$mode: and says why"
	err_lacks "reading process" "$mode: no card is to blame"
	out_lacks '"result": "FAIL"' "$mode: and none fails"
done
(ulimit -f 8 && exec tt-smi --health --nagios --sim '8*p150a' --record cut2.rec) 2>"$err" </dev/null |
	cat >"$out"
rc=${PIPESTATUS[0]}
rc_is 3 "--nagios beside it: UNKNOWN, as of any recording"
# Codes: beside the text if they are asked for, in each kind of trouble; never else.
while IFS='|' read -r code subject words; do
	# shellcheck disable=SC2086
	TT_SMI_CODES=1 run tt-smi $words
	err_code "$code" "$subject" "tt-smi $words: $code"
done <<-'EOF'
	unknown-option|--frobnicate|--frobnicate
	bad-value|-i|-d -i 0 --sim p150a
	missing-value|--report|-r 0 --sim p150a --report
	conflict|-s|-ls -s
	needs-option|--on-alert|-d -dur 1 --on-alert /bin/true --sim p150a
	unexpected-argument|extra|-s extra
	nothing-named|-b|-b
	unknown-field|nonsense|-d --fields nonsense --sim p150a
	bad-value|nonsense|-s --sim nonsense
	no-device|9: |-s --device 9 --sim p150a
	other-half|0000:01:00.0|-r 0 --sim p300 -y
	second-chip|1: |-r 1 --sim n300 -y
	not-found|nowhere.json|-s --load nowhere.json
	wrong-kind|/dev/zero|-s --load /dev/zero
EOF
for shown in '' 0 yes; do
	TT_SMI_CODES=$shown run tt-smi --frobnicate
	err_lacks '[' "TT_SMI_CODES='$shown' shows none"
done
run tt-smi -s --json --sim 'p150a:hang,p150a'
cp "$out" coded.json
check "JSON has the code beside the reason, and null without one" \
	[ "$(jq -c '[.device_info[].health.code]' coded.json)" = '["hung",null]' ]
run tt-smi -s --json --load coded.json
check "a loaded file keeps them" [ "$(jq -c '[.device_info[].health.code]' "$out")" = '["hung",null]' ]
for pace in 0 1001 fast; do
	TT_SMI_SIM_SPEED=$pace run tt-smi -ls --sim p150a
	rc_is 2 "TT_SMI_SIM_SPEED=$pace is a usage error"
	err_code bad-value TT_SMI_SIM_SPEED "TT_SMI_SIM_SPEED=$pace: which is named"
done
TT_SMI_SIM_SPEED=fast run tt-smi -ls --root "$top_srcdir/tests/fixtures/sysfs/blackhole"
rc_is 0 "real cards have no pace"


check "it leaves no temporary file" sh -c "! ls small | grep -q tmp"
done_testing
