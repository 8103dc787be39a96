# SPDX-License-Identifier: GPL-2.0-or-later
# What is read only when no process holds the board, what is never read, and that each of them
# says why.  The simulator's log tells what was done (see also cli_rules.sh).
. "$top_srcdir/tests/rig/lib.sh"

TT_SMI_SIM_LOG=$work/log
export TT_SMI_SIM_LOG
command -v jq >/dev/null || { skip "passive reads" "jq is not installed"; done_testing; exit; }

lines() { cat "$TT_SMI_SIM_LOG" 2>/dev/null | grep -c "^$1 "; }
logged() { [ "$(lines "$1")" -gt 0 ]; result $? "$2"; }
not_logged() { [ "$(lines "$1")" -eq 0 ]; result $? "$2"; }
is() { [ "$(jq -r "$2" "$out" 2>/dev/null)" = "$3" ]; result $? "$1"; }

read_all() {	# options of a snapshot
	rm -f "$TT_SMI_SIM_LOG"
	run tt-smi -s "$@"
}

read_all --sim n150,p100a,p150a,p300,tt-galaxy-bh
logged open "boards with a tag table are opened"
not_logged write "and nothing is written"
not_logged message "and nothing is sent"

# The second chip of an n300
read_all --sim n300
logged write "-s asks an n300's second chip over ethernet"
is "which is read" '.device_info[1].readings.voltage.state' ok
for option in --local --passive; do
	read_all --sim n300-new "$option"
	not_logged write "$option: the second chip is not asked"
	not_logged message "$option: nothing is sent"
done
read_all --sim n300-new --local
is "--local: only local chips are in device_info" '.device_info | length' 1
is "--local: the other one is named with the reason" '.not_read[0].series + ": " + .not_read[0].reason' \
	"n300 R: not read: --local"
run tt-smi --local --sim n300-new
out_has '1 second chip not read' "the overview with --local says that it leaves out a second chip"
run tt-smi -ls --local --sim n300-new
out_has "1, the second chip of 0: not read: --local" "-ls --local: a line says what is not listed"
out_lacks "n300 R" "-ls --local: callers that count n300 R find none"
read_all --sim n300-new --passive
is "--passive: the second chip keeps its entry" '.device_info[1].board_info.board_type' "n300 R"
is "--passive: with the reason" '.device_info[1].health.reason' "not read: --passive"
read_all --sim n300:held
not_logged write "a held board's second chip is not asked"
is "and says why" '.device_info[1].health.reason' "not read: process 1 holds the board"
is "the first one is read all the same" '.device_info[0].readings.voltage.state' ok

# Grayskull must be asked where its table is
read_all --sim e150
logged message "-s asks a Grayskull for its table"
is "which is read" '.device_info[0].readings.voltage.source' legacy
for option in --local --passive; do
	read_all --sim e150 "$option"
	not_logged message "$option: a Grayskull is not asked"
	is "$option: sysfs tells what it can" '.device_info[0].readings.voltage.source' hwmon
done
is "a note has the reason" '.device_info[0].health.note' \
	"firmware tables not read: --passive"
read_all --sim e150 --local
is "which is that of --local there" '.device_info[0].health.note' \
	"firmware tables not read: --local; only a message tells their address"
read_all --sim e150:held
not_logged message "a held Grayskull is not asked"
is "for that reason" '.device_info[0].health.note' \
	"firmware tables not read: process 1 holds the board; only a message tells their address"

# Sysfs alone
read_all --sim n150,p150a,p300 --passive
not_logged open "--passive opens no device"
is "--passive: sysfs tells the temperature" '.device_info[1].readings.asic_temperature.source' hwmon

# Each mode that samples once: whether it asks by itself, and with --remote
asks() {	# yes or no, tt-smi's arguments...: each of both boards
	want=$1
	shift
	for board in n300-new e150; do
		rm -f "$TT_SMI_SIM_LOG" x.tgz
		run tt-smi "$@" --sim "$board"
		n=$(($(lines write) + $(lines message)))
		[ -e "$TT_SMI_SIM_LOG" ] && if [ "$want" = yes ]; then [ $n -gt 0 ]; else [ $n = 0 ]; fi
		result $? "$board: $* asks: $want"
	done
}

tt-smi -s --sim n300-new,e150 >earlier.json
while read -r alone remote args; do
	# shellcheck disable=SC2086
	asks "$alone" $args
	# shellcheck disable=SC2086
	[ "$remote" = - ] || asks "$remote" $args --remote
done <<'TABLE'
yes yes -s
yes yes -ls
yes - --compare earlier.json
yes yes --bundle x.tgz
no yes --query index,power
no yes --links
no yes --image
no - --health
TABLE
rm -f "$TT_SMI_SIM_LOG"
run tt-smi --eth_status --sim n300,e150,p150a
not_logged write "--eth_status only reads"
not_logged message "and no firmware"

# A card that sysfs has no reading of was not read, and no mode that reads it is silent about it
alone="0 0000:01:00.0: no readings in sysfs, and firmware tables not read: --passive"
tt-smi -s --sim n300 >one.json
for mode in -s -ls "--query index,power" --links --image "-d -dur 0.3 -dir unread" "-d -dur 0.3 --ndjson" \
	"--compare one.json" ""; do
	# shellcheck disable=SC2086
	run tt-smi $mode --passive --sim n300
	rc_is 4 "${mode:-overview}: not one card was read"
	err_has "$alone" "with the reason"
	err_lacks "no device to show" "and no other"
done
check "no dump was begun" [ ! -e unread ]
run tt-smi -s --passive --sim n300,n150
rc_is 0 "beside one that was read"
err_code not-read '1 of 2 chips' "it is counted"
run tt-smi -s --passive --strict --sim n300,n150
rc_is 4 "with --strict also by the exit code"
err_has "$alone" "and said"
for to in "-dir part" --ndjson; do
	# shellcheck disable=SC2086
	run tt-smi -d -dur 0.3 $to --passive --sim n300,n150
	rc_is 4 "a dump ($to) that has no row of it is partial"
	err_has "$alone" "and names it"
	err_lacks "--strict" "with no word of an option that changes nothing there"
done
run tt-smi -d -dur 0.3 -dir rest --passive --sim n300,n150 --device 1
rc_is 0 "where it was not asked for, it is not missing"

# What forbids it in every call: --health follows, too; an act on cards cannot, and says so
forbidden() {	# name of what forbids it, arguments of --health
	name=$1
	shift
	rm -f "$TT_SMI_SIM_LOG"
	run "$@"
	rc_is 4 "$name: --health cannot see all"
	not_logged open "and opens no device"
	out_has "firmware tables not read: --passive" "which it says"
}
forbidden option tt-smi --health --sim e150 --passive
forbidden variable env TT_SMI_PASSIVE=1 tt-smi --health --sim e150
printf 'passive = yes\n' >yes.conf
forbidden configuration env TT_SMI_CONFIG="$work/yes.conf" tt-smi --health --sim e150
for act in "-wr 0 --dry-run" "--check-memory --size 64K" "--diag 1"; do
	# shellcheck disable=SC2086
	run env TT_SMI_PASSIVE=1 tt-smi $act --sim p150a
	err_code no-effect 'TT_SMI_PASSIVE' "$act: the variable is named"
done
run env TT_SMI_CONFIG="$work/yes.conf" tt-smi -wr 0 --dry-run --sim p150a
err_code no-effect 'yes.conf' "and so is a line of the configuration"
run env TT_SMI_PASSIVE= tt-smi -wr 0 --dry-run --sim p150a
err_lacks "no effect" "but no variable that is empty"

# Live and dump ask only when told to
rm -f "$TT_SMI_SIM_LOG"
run tt-smi -d -dur 0.3 -i 0.1 -dir dump --sim n300-new,e150,p150a --remote
rc_is 0 "a dump with --remote works"
logged write "and asks the second chip"
logged message "and the Grayskull"
not_logged violation "and breaks no rule"

done_testing
