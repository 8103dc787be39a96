# SPDX-License-Identifier: GPL-2.0-or-later
# A user other than root: what may not be opened is said, the rest is read.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "unprivileged runs" "jq is not installed"; done_testing; exit; }
is() { [ "$(jq -r "$2" "$out" 2>/dev/null)" = "$3" ]; result $? "$1"; }

# Where we are root, the other user's binary is a copy that everyone can reach.
nobody=
if [ "$(id -u)" -eq 0 ]; then
	command -v setpriv >/dev/null || { skip "unprivileged runs" "no setpriv"; done_testing; exit; }
	chmod 755 "$work"
	cp "$TT_SMI" "$work/tt-smi"
	nobody="setpriv --reuid=65534 --regid=65534 --clear-groups $work/tt-smi"
	$nobody -v >/dev/null 2>&1 || { skip "unprivileged runs" "setpriv cannot"; done_testing; exit; }
fi
as_nobody() { run ${nobody:-tt-smi} "$@"; }

cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w,a+rX tree
chmod 000 tree/dev/tenstorrent/0
as_nobody -s --root "$work/tree"
rc_is 0 "a node that may not be opened: sysfs alone is a valid snapshot"
err_empty "and no complaint to a caller that polls"
is "the temperature comes from hwmon" '.device_info[0].readings.asic_temperature.source' hwmon
is "whether the memory is trained is not known" '.device_info[0].board_info.dram_status' null
is "the note says what is missing, and what to do" '.device_info[0].health.note' \
	"/dev/tenstorrent/0: Permission denied: only sysfs is read; install the driver's udev rule, or run as root"
as_nobody -ls --root "$work/tree"
rc_is 0 "-ls: the board is listed"
out_has "0000040112345678" "with its serial"
out_has "0 0000:01:00.0: /dev/tenstorrent/0: Permission denied" "and with the reason below"

as_nobody -s --sim n300,p150a
rc_is 0 "simulated boards need no privilege"

mkdir -m 555 closed
as_nobody -s --sim p150a -f "$work/closed/x.log"
rc_is 1 "a folder that may not be written to is a failure"
err_code no-permission 'closed/x.log' "with path and cause"
check "and nothing is left in it" [ -z "$(ls -A closed)" ]
out_empty "and nothing on stdout"

# Exit code 6: refused
tt-smi -s --sim p150a >secret.json
chmod 000 secret.json
for mode in -s -ls "-d -dur 0.1 -i 0.1 -dir $work/none"; do
	as_nobody $mode --load "$work/secret.json"
	rc_is 6 "${mode%% *} --load of a file that may not be read is refused"
	err_code no-permission 'secret.json' "${mode%% *}: with its name"
done
tt-smi -s --sim p150a --record secret.rec >/dev/null
chmod 000 secret.rec
as_nobody -s --replay "$work/secret.rec"
rc_is 6 "--replay of a file that may not be read is refused"

chmod -R u+rwX .
done_testing
