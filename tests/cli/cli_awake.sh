# SPDX-License-Identifier: GPL-2.0-or-later
# No mode that samples keeps a Wormhole awake.  The mock driver logs each open of the node and each
# vote for power.  An open while a power-down is pending cancels it for good.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/kmd_lib.sh"

opens() { grep -c '^open' "$root/log"; }
on_card() { KMD_ROOT=$root LD_PRELOAD=$shim "$@"; }
quiet() {	# name
	check "$1: no power-down was cancelled" not has_text "$root/log" cancelled
	check "$1: only the job asked for power" \
		[ "$(grep -c '^power 0x[^0]' "$root/log") $(grep -c '^open active' "$root/log")" = "1 1" ]
	check "$1: nothing was done that must not be" [ ! -e "$root/wrong" ]
}

# Every mode that samples, while another program holds the card, and after it ended.
cat >modes <<'TABLE'
-s
-ls

--query index,power
--health
--links
--image
--compare earlier.json
--bundle bundle.tgz
-d --ndjson -i 0.1 -dur 0.3
-d --ndjson -i 0.02 -dur 0.3
-d -dir dump -i 0.1 -dur 0.3
--textfile once.prom --once -i 0.1
--textfile loop.prom -i 0.1 -dur 0.3
--exporter ./socket -i 0.1 -dur 0.3
--during -i 0.1 -- sh -c :
TABLE
tt-smi -s --sim n150 >earlier.json
walk() {	# name function: the function is called after each mode, with the opens before it
	local before args
	while read -r args; do
		rm -rf bundle.tgz dump
		before=$(opens)
		# shellcheck disable=SC2086
		eval "smi $args"
		[ "$rc" -ne 2 ] && $2 "$before"
		result $? "$1: ${args:-overview}"
	done <modes
	rm -f live live.pid
	before=$(opens)
	on_card script -qec "sh -c 'echo \$\$ >live.pid; exec tt-smi -i 0.1'" /dev/null >live </dev/null &
	await has_text live MHz
	kill "$(<live.pid)"
	wait $!
	$2 "$before"
	result $? "$1: live display"
}
was_opened() { [ "$(opens)" -gt "$1" ]; }
was_left_alone() { [ "$(opens)" -eq "$1" ]; }

plug n150 wh grace@600000
mkfifo held
on_card bash -c 'exec 3<>/dev/tenstorrent/0; read -r _ <held' &
holder=$!
await has_text "$root/log" 'open active'
walk "a job holds the card: it is read" was_opened
echo >held
wait $holder
await has_text "$root/log" 'close active'
walk "the job has ended: only sysfs is read" was_left_alone
quiet "another program's job"

# A job ends after we looked for holders and before our open, which cancels its power-down.  Then
# the tool itself has the board powered down, and asks for no power.
while read -r args; do
	plug n150 wh grace@600000
	on_card bash -c 'exec 3<>/dev/tenstorrent/0; read -r _ <held' &
	holder=$!
	await has_text "$root/log" 'open active'
	touch "$root/leaves"
	rm -rf bundle.tgz dump
	# shellcheck disable=SC2086
	eval "smi $args"
	echo >held
	wait $holder
	mode="the job ends just before the open: ${args:-overview}"
	check "$mode: the card powers down" \
		[ "$(<"$root/sys/class/tenstorrent/tenstorrent!0/tt_aiclk")" = 500 ]
	check "$mode: only the job asked for power" \
		[ "$(grep -c '^power 0x[^0]' "$root/log") $(grep -c '^open active' "$root/log")" = "1 1" ]
	check "$mode: the open cancelled a power-down" has_text "$root/log" cancelled
done <modes

# An act begins after a pending power-down, and what it samples afterwards cancels none.
while read -r args; do
	plug n150 wh grace@300
	on_card bash -c 'exec 3<>/dev/tenstorrent/0'
	await has_text "$root/log" 'close active'
	# shellcheck disable=SC2086
	smi $args
	check "a job has just ended: $args: no power-down was cancelled" not has_text "$root/log" cancelled
done <<'TABLE'
-b host --iterations 1 --threads 1 --workload memory --size 16M
--check-memory 0 --size 64k --no-reset
TABLE

# Commands that a user named are not our own processes: the command of --during and what it leaves
# behind, and the program of --on-alert.  Each runs for longer than the driver waits, and the card
# has to power down after it.  The job ends just after a sample, a second before the next.  If it
# ended after a sampler had read the holders and before its open, the sampler would not notice.
cat >job <<'SCRIPT'
#!/bin/bash
exec 4<>"$IDLE"
late=$((SECONDS + 60))
until_true() {
	until "$@"; do
		[ $SECONDS -lt $late ] || exit 1
		read -rt 0.01 _ <&4 || :
	done
}
after() {	# the log since the job opened the node is in $log
	log=$(<"$KMD_ROOT/log")
	log=${log##*open active}
}
is_read() {	# times
	after
	local rest=${log//open passive/}
	[ $(((${#log} - ${#rest}) / 12)) -ge "$1" ]
}
was_read() { after && [ "${log##*$'\n'}" = 'close passive, 0 windows left' ]; }
is_closed() { after && [[ $log == *'close active'* ]]; }
job() {
	exec 3<>/dev/tenstorrent/0
	until_true is_read 4
	until_true was_read
	exec 3>&-
	until_true is_closed
}
case ${JOB:-} in
orphan)	# of a process that has ended
	(job & :)
	until_true is_closed ;;
nested)
	job
	tt-smi -s >nested.json ;;
*)
	job ;;
esac
SCRIPT
chmod +x job
printf '[alerts]\nclock = aiclk > 100 clear 50\n' >conf
export IDLE=$work/.idle TT_SMI_CONFIG=$work/conf
sleeps() { [ "$(<"$root/sys/class/tenstorrent/tenstorrent!0/tt_aiclk")" = 500 ]; }
comes_to_rest() { { is_done && sleeps; } || has_text "$root/log" cancelled; }
is_done() { has_text "$root/log" 'close active'; }
job_is_over() {	# name
	quiet "$1"
	check "$1: the card was read while the job held it" \
		[ "$(sed '0,/^open active/d; /^close active/,$d' "$root/log" | grep -c '^open passive')" -ge 4 ]
}
for kind in command orphan nested; do
	plug n150 wh grace@2000
	JOB=$kind smi --during -i 1 --report during.json -- ./job
	rc_is 0 "--during, $kind: the job ran to its end"
	await comes_to_rest
	job_is_over "--during, $kind"
	check "--during, $kind: the card powers down" sleeps
	check "--during, $kind: the report says who held the card" python3 -c "
import json
held = json.load(open('during.json'))['cards'][0]['holders']
assert [h['whose'] for h in held] == ['command'] and './job' in held[0]['command'], held"
done
plug n150 wh grace@2000
KMD_ROOT=$root LD_PRELOAD=$shim tt-smi -d --ndjson -i 1 --on-alert "$work/job" >"$out" 2>"$err" </dev/null &
pid=$!
await comes_to_rest
kill $pid
wait $pid
job_is_over "--on-alert"
check "--on-alert: the card powers down" sleeps
done_testing
