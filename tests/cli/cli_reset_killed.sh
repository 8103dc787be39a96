# SPDX-License-Identifier: GPL-2.0-or-later
# A reset whose tool is killed: what has been fired is brought to its end for a limited
# time, the card stays locked for so long, and the next reset waits for that end.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/killed_lib.sh"
command -v flock >/dev/null || { skip "killed resets" "no flock"; done_testing; exit; }

cat >ipmitool <<'E2'
#!/bin/sh
echo $$ >"$IPMITOOL_PID"
exec sleep 600
E2
chmod +x ipmitool
export TT_SMI_SIM_IPMITOOL="$work/ipmitool" IPMITOOL_PID="$work/ipmitool.pid"

killed() {	# SPEC SPEED WORDS options: killed once its output has the words, and $file is there
	spec=$1 speed=$2 words=$3
	shift 3
	rm -f run.out
	TT_SMI_SIM_SPEED=$speed TT_SMI_SIM_LOG="$work/sim.log" tt-smi --sim "$spec" "$@" \
		>run.out 2>&1 </dev/null &
	tool=$!
	await has_text run.out "$words"
	await [ -s "${file:-run.out}" ]
	kill -9 $tool
	wait $tool 2>/dev/null
}

# Cards whose every access takes 30 s, and those ways to reset them that take many: their processes
# are looked for at the end.
mkdir slow
slow() {	# SPEC DRIVER
	(
		cd slow || exit
		TT_SMI_STATE_DIR="$work/slow" TT_SMI_SIM_SPEED=10 TT_SMI_SIM_DRIVER=$2 \
			timeout 100 tt-smi --sim "$1" -r </dev/null
	) >"slow-$1.out" 2>&1
}
slow e150:slow 2.1.0
slow n150:slow 2.0.0

killed p150a:noreset 4 ': fire' -r
ends "-r"
check "-r: the driver has opened the card again" grep -q '^reset 0000:01:00.0 6' sim.log
TT_SMI_SIM_SPEED=20 tt-smi --sim '2*p150a' -wr all -y --report r.json >/dev/null
killed '2*p150a:noreset' 4 ': fire' -wr all -y --report r.json
ends "-wr"
check "-wr: no \"recovered\" of an earlier reset remains in the report" jq -e '.exit_code == 5 and
	.tries == 0 and (.cards | map(.verdict)) == ["pending", "pending"]' r.json

# Twice as fast as life: 32 s for a tray to be back, 5 s for what is left alone.
rm -f sim.log
file=ipmitool.pid killed galaxy-wh 2 ': fire' --glx_reset
ends "--glx_reset"
check "--glx_reset: the driver has opened all cards again" \
	test "$(grep -c '^reset .* 6$' sim.log)" -eq 32
check "--glx_reset: ipmitool is gone, too" \
	sh -c "! grep -qs '^State:[[:space:]][^ZX]' /proc/$(cat ipmitool.pid 2>/dev/null)/status"

# A mobo that boots, and the card that hangs on it.
if command -v python3 >/dev/null && ldconfig -p 2>/dev/null | grep -q 'libcurl\(-gnutls\)\?\.so\.4'; then
	echo 'percent 1' >plan
	: >calls
	python3 "$top_srcdir/tests/rig/mobo_server.py" plan calls >port 2>/dev/null &
	server=$!
	await [ -s port ]
	printf '{"wh_mobo_reset": [{"nb_host_pci_idx": [0], "mobo": "127.0.0.1:%s", "credo": ["6:0"]}]}' \
		"$(cat port)" >mobo.json
	rm -f sim.log
	killed n150:noreset 4 'boots, ' -mr mobo.json -y --report m.json
	check "-mr, while the mobo boots: the report says so" jq -e '.exit_code == 5 and
		(.cards | map(.verdict)) == ["pending"]' m.json
	is_over "-mr, while the mobo boots"
	check "-mr, while the mobo boots: its modules are left alone" sh -c '! grep -q modules calls'
	check "and no card was touched" sh -c "! grep -qs '^reset ' sim.log"
	echo 'percent 100' >plan
	killed n150:noreset 4 ': fire' -mr mobo.json -y
	ends "-mr, while the card is reset"
	check "-mr, while the card is reset: the driver has opened it again" \
		grep -q '^reset 0000:01:00.0 6' sim.log
	kill $server
	wait $server 2>/dev/null
else
	skip "a killed -mr" "no python3 or no libcurl"
fi

# One that comes meanwhile; a simulated board computes nothing, so no burn of it passes.
while IFS='|' read -r act asked code; do
	killed p150a:noreset 4 ': fire' -r
	# shellcheck disable=SC2086
	TT_SMI_SIM_SPEED=2 run timeout 100 tt-smi --sim p150a $asked
	rc_is "$code" "the next $act waits for that end, then works"
	err_code powering-down '25' "$act: and says so"
done <<'TABLE'
reset|-r|0
burn|-b 0 --iterations 1 --no-reset|4
memory test|-b 0 --iterations 1 --workload memory|4
memory check|--check-memory 0 --size 64k|0
diag|--diag 1 --device 0|4
TABLE

# The process that acts for a card is killed: another one ends the reset, with or without the tool.
while IFS='|' read -r spec asked kills ends; do
	rm -f sim.log
	: >run.out
	TT_SMI_SIM_SPEED=2 TT_SMI_SIM_LOG="$work/sim.log" timeout 100 tt-smi --sim "$spec" -wr 0 -y \
		>run.out 2>&1 </dev/null &
	outer=$!
	await grep -qs "^reset .* $asked$" sim.log
	tool=$(pgrep -P $outer)
	for _ in $(seq "$kills"); do
		agent=$(pgrep -n -P "$tool")
		kill -9 "$agent"
		await grep -q 'another one goes on' run.out
		await not [ -e "/proc/$agent" ]
	done
	[ "$ends" = recovered ] || kill -9 "$tool"
	wait $outer 2>/dev/null
	name="$spec, its process killed $kills times"
	[ "$ends" = recovered ] && check "$name: recovered" has_text run.out ' recovered in '
	is_over "$name"
	check "$name: the driver has opened the card again" \
		sh -c "grep '^reset' sim.log | tail -n 1 | grep -q ' 6$'"
done <<'TABLE'
p150a|4|1|recovered
p150a|4|2|recovered
p150a:stuck|4|1|recovered
p150a|4|1|killed, too
TABLE

# Before the shot there is nothing to be brought to an end.
python3 - "$TT_SMI_STATE_DIR" "$work/listens" <<'E2' &
import os, socket, sys, time
folder = sys.argv[1] + "/tmp/tt_umd_listeners"
os.makedirs(folder)
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(folder + "/client_1.sock")
open(sys.argv[2], "w").close()
s.settimeout(60)
s.recv(1)
open(sys.argv[2], "w").write("told\n")
time.sleep(30)
E2
listener=$!
await [ -e listens ]
rm -f sim.log
TT_SMI_SIM_SPEED=1 TT_SMI_SIM_LOG="$work/sim.log" tt-smi --sim p150a -r >run.out 2>&1 </dev/null &
tool=$!
await [ -s listens ]
kill -9 $tool $listener
wait $tool $listener 2>/dev/null
check "killed before the shot: no process is left" await none_is_left
check "and nothing was done" sh -c "! grep -qs '^reset ' sim.log"

for spec in e150:slow n150:slow; do
	check "$spec: lost while a call of its process does not return" \
		grep -q 'lost .*has not come back from the kernel' "slow-$spec.out"
done
# One access is the kernel's; no further one is begun.
cd slow || exit
check "slow cards: the processes that act for them have ended" await none_is_left
for p in $(left); do kill -9 "$p"; done
cd "$work" || exit

done_testing
