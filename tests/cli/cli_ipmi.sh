# SPDX-License-Identifier: GPL-2.0-or-later
# Resets of trays end to end: ipmitool, a session over the network, and a
# controller that has the galaxy's command (OpenIPMI's simulator with a module of
# ours).  What it is told, what it answers, and what becomes of user and password.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_VIRTUAL_TIME=1795000000

cc=${CC:-cc}
for need in ipmi_sim ipmitool "${cc%% *}"; do
	command -v "$need" >/dev/null || {
		skip "trays through a controller" "no $need"
		done_testing
		exit
	}
done
mkdir bmc fake
# shellcheck disable=SC2086
printf '#include <OpenIPMI/serv.h>\n' | $cc -E - >/dev/null 2>&1 || {
	skip "trays through a controller" "no headers of OpenIPMI"
	done_testing
	exit
}
# From 2.0.37 on a handler is registered with the emulator, which a module is not given.
release=$(printf '#include <OpenIPMI/ipmiif.h>\nOPENIPMI_VERSION_RELEASE\n' | $cc -E -P - | tail -n 1)
[ "$release" -le 36 ] || {
	skip "trays through a controller" "a module cannot register a command in OpenIPMI 2.0.$release"
	done_testing
	exit
}
# shellcheck disable=SC2086
check "the module of the controller builds" $cc -I "$top_builddir" -shared -fPIC \
	-o trays.so "$top_srcdir/tests/rig/ipmi_trays.c"

# ---- a controller ------------------------------------------------------------
port=$((20000 + $$ % 20000))
cat >bmc/lan <<CONF
name "bmc"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 $port
    priv_limit admin
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  user 2 true "admin" "s3cret" admin 10 none md2 md5 straight
loadlib "$work/trays.so" "$work/bmc"
CONF
printf '%s\n' 'mc_setbmc 0x20' 'mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02' \
	'mc_enable 0x20' >bmc/emu
controller=0
stop_controller() {
	[ $controller -eq 0 ] || kill -9 $controller
	wait $controller 2>/dev/null
	controller=0
}
is_there() { grep -q "0100007F:$(printf %04X $port) " /proc/net/udp; }
start_controller() {
	stop_controller
	ipmi_sim -n -c bmc/lan -f bmc/emu -s bmc >>bmc/log 2>&1 &
	controller=$!
	await is_there
}
trap 'stop_controller; remove_work' EXIT
start_controller

printf 'admin:s3cret\n' >cred
printf 'admin:wrong\n' >wrong
chmod 600 cred wrong
# The real ipmitool, which is told what this controller cannot be asked (10 s each), and is impatient.
real=$(command -v ipmitool)
printf '#!/bin/sh\nexec %s -C 3 -R 1 -N 1 "$@"\n' "$real" >fake/ipmitool
chmod +x fake/ipmitool
far() {	# "PLAN ..." options
	printf '%s\n' $1 >bmc/plan
	: >bmc/calls
	shift
	run timeout 100 tt-smi --ipmi "127.0.0.1:$port" --credentials cred "$@"
}
told() {	# name line...: what the controller got
	name=$1
	shift
	printf '%s\n' "$@" >want
	cmp -s want bmc/calls || sed 's/^/# it got: /' bmc/calls
	check "$name" cmp -s want bmc/calls
}

# ---- another machine's trays -------------------------------------------------
far ok -glx_reset
rc_is 0 "all trays, by ipmitool as it is"
told "the controller got ubb, dev, op and time" "0f ff 03 0f"
PATH=$work/fake:$PATH
for tray in 1 2 3 4; do
	far ok -glx_reset_tray $tray
	rc_is 0 "tray $tray"
	told "tray $tray is its bit" "0$((1 << (tray - 1))) ff 03 0f"
done
IPMITOOL_PASSWORD=wrong far ok -glx_reset_tray 1
rc_is 0 "a password in ipmitool's own variable is not preferred to ours"
TT_SMI_USER=admin TT_SMI_PASSWORD=s3cret run timeout 100 tt-smi --ipmi "127.0.0.1:$port" -glx_reset_tray 1
rc_is 0 "user and password from the environment"

while IFS='|' read -r answer code words; do
	far "$answer" -glx_reset
	rc_is "$code" "completion code $answer: exit code"
	err_has "rsp=0x$answer" "$answer: is named"
	err_has "$words" "$answer: says '$words'"
	told "$answer: one command" "0f ff 03 0f"
done <<'TABLE'
c0|1|it is busy: try again; nothing was reset
c1|1|this controller has no reset of trays; nothing was reset
d4|1|use an administrator of the controller; nothing was reset
cc|1|nothing was reset
c3|5|whether its trays were reset is not known
ff|5|whether its trays were reset is not known
TABLE
far "c9 ok" -glx_reset_tray 3
rc_is 0 "an old controller"
told "gets the command without the retimers, then with them" "04 ff 03 0f" "04 ff 00 0f"
out_has "the controller's firmware is old" "and is said to be old"
far "c9 c9" -glx_reset
rc_is 1 "a controller that knows neither"
err_has "nothing was reset" "resets nothing"
far ok -glx_reset --credentials wrong
rc_is 1 "a wrong password"
err_has "check the controller's name, user and password; nothing was reset" "is told as such"
check "and no command came" test ! -s bmc/calls

# ---- what can be seen of a password ------------------------------------------
# The controller takes the command and stops answering; meanwhile every process is looked at.
printf 'mute\n' >bmc/plan
: >bmc/calls
timeout 100 tt-smi --ipmi "127.0.0.1:$port" --credentials cred -glx_reset_tray 2 >"$out" 2>"$err" &
job=$!
await [ -s bmc/calls ]
told "the command has arrived" "02 ff 03 0f"
# Nothing is forked meanwhile: ipmitool tries for some seconds alone.
below() {	# pid: it and all below it go into $pids
	local children c
	pids="$pids $1"
	IFS= read -r children <"/proc/$1/task/$1/children"
	for c in $children; do below "$c"; done
}
pids='' acts=0 shown=0 known=0 dumps=0
below $job
for p in $pids; do
	has_text "/proc/$p/cmdline" 0x8B && acts=$((acts + 1))
	has_text "/proc/$p/cmdline" s3cret && shown=$((shown + 1))
	has_text "/proc/$p/environ" s3cret && known=$((known + 1))
	has_text "/proc/$p/comm" tt-smi && has_line "/proc/$p/limits" '^Max core file size *0 *0 ' &&
		dumps=$((dumps + 1))
done
check "the processes are ours, the one that acts, and ipmitool" test $acts -eq 1
check "no argument has the password" test $shown -eq 0
check "it is in ipmitool's environment alone" test $known -eq 1
check "neither we, our guard nor the process that acts leave a core dump" test $dumps -eq 3
wait $job
rc=$?
rc_is 5 "a controller that stops answering: it may have reset them"
err_has "the controller stopped answering; whether its trays were reset is not known" "and that is said"
check "the password stands in no output" sh -c "! grep -q s3cret '$out' '$err'"

# A first signal waits for the end of a command that was sent; a second one does not.
start_controller
printf 'mute\n' >bmc/plan
: >bmc/calls
real_slow=$work/slow
mkdir "$real_slow"
printf '#!/bin/sh\nexec %s -C 3 -R 9 -N 9 "$@"\n' "$real" >"$real_slow/ipmitool"
chmod +x "$real_slow/ipmitool"
PATH=$real_slow:$PATH timeout 100 tt-smi --ipmi "127.0.0.1:$port" --credentials cred -glx_reset_tray 2 \
	>"$out" 2>"$err" &
job=$!
await [ -s bmc/calls ]
pids=''
below $job
tool=${pids##* }
kill -INT "$(pgrep -P $job)"
await has_text "$err" 'a second signal'
err_has "waiting for its end" "SIGINT: the command is under way"
check "and ipmitool goes on" kill -0 "$tool"
kill -INT "$(pgrep -P $job)"
wait $job
rc=$?
rc_is 5 "a second SIGINT ends it"
err_has "left half way; whether its trays were reset is not known" "and what is not known is said"
check "ipmitool is gone" sh -c "! kill -0 $tool 2>/dev/null"
stop_controller
far ok -glx_reset
rc_is 1 "no controller at all"
err_has "nothing was reset" "and nothing happened"

# ---- the simulated galaxy's controller is this one ---------------------------
start_controller
printf '#!/bin/sh\nIPMI_PASSWORD=s3cret exec %s -C 3 -R 1 -N 1 -I lanplus -H 127.0.0.1 -p %s -U admin -E "$@"\n' \
	"$real" $port >fake/here
chmod +x fake/here
export TT_SMI_SIM_IPMITOOL="$work/fake/here"
here() {	# "PLAN ..." SPEC options
	printf '%s\n' $1 >bmc/plan
	: >bmc/calls
	spec=$2
	shift 2
	run timeout 100 tt-smi --sim "$spec" "$@"
}
here ok galaxy-wh -glx_reset
rc_is 0 "32 chips through the controller"
out_has "32 of 32 cards recovered" "all of them recover"
here ok galaxy-bh -glx_reset_tray 3
rc_is 0 "a tray of a Blackhole galaxy"
told "its bit" "04 ff 03 0f"
out_has "8 of 8 cards recovered" "its eight chips recover"
here "c0 c0 ok" galaxy-wh -glx_reset_auto
rc_is 0 "auto with two failures first"
told "three commands" "0f ff 03 0f" "0f ff 03 0f" "0f ff 03 0f"
here c0 galaxy-wh -glx_reset_tray 4
rc_is 5 "a busy controller"
out_has "it is busy: try again" "is the reason"
here ok galaxy-wh:resetfail -glx_reset_tray 1
rc_is 5 "a chip that stays away"
out_has "7 of 8 cards recovered" "the others recover"
here mute galaxy-wh -glx_reset_tray 1
rc_is 5 "a controller that stops answering"
out_has "the controller stopped answering" "is the reason"
check "no ipmitool is left" sh -c "! pgrep -f '[-]p $port .*raw'"
stop_controller
check "and no controller" sh -c "! grep -q '0100007F:$(printf %04X $port) ' /proc/net/udp"
done_testing
