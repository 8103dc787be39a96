# SPDX-License-Identifier: GPL-2.0-or-later
# Resets of a galaxy's trays: what ipmitool is asked to do, what comes of it on
# simulated boards, and what is said when a controller refuses or never answers.
# ipmitool is a script here; cli_ipmi.sh has the real one and a controller.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_SIM_SPEED=40
export FAKE=$work/fake

# A ipmitool that writes down what it is given and does as its plan says, a line a call.
mkdir -p "$FAKE"
cat >"$FAKE/ipmitool" <<'END'
#!/bin/sh
echo "$*" >>"$FAKE/args"
env >"$FAKE/env"
IFS= read -r todo <"$FAKE/plan" || todo=ok
sed -i 1d "$FAKE/plan"
case $todo in
ok | '') ;;
busy) echo "Unable to send RAW command (channel=0x0 netfn=0x30 lun=0x0 cmd=0x8b rsp=0xc0): Node busy" >&2; exit 1 ;;
old) echo "Unable to send RAW command (channel=0x0 netfn=0x30 lun=0x0 cmd=0x8b rsp=0xc9): Parameter out of range" >&2; exit 1 ;;
device) echo "Could not open device at /dev/ipmi0 or /dev/ipmi/0: No such file or directory" >&2; exit 1 ;;
sleep) echo $$ >"$FAKE/pid"; exec sleep 600 ;;
endless) echo $$ >"$FAKE/pid"; exec yes ;;
killed) kill -9 $$ ;;
starve) prlimit --pid "$(ps -o ppid= $PPID | tr -d ' ')" --nofile=40:40; exit 1 ;;
garbage) printf 'a\377b\nx\033[31mred' >&2; exit 3 ;;
children) sleep 600 & echo $! >"$FAKE/pid"; exec yes ;;
esac
END
chmod +x "$FAKE/ipmitool"
export TT_SMI_SIM_IPMITOOL="$FAKE/ipmitool"

# A long job leaves its exit code in a file: bash forgets a child that ended long ago once its pid
# is used again.
job() {	# folder command [argument]...
	local folder=$1
	shift
	("$@" >"$folder/out" 2>"$folder/err" & echo $! >"$folder/job"; wait $!; echo $? >"$folder/rc") &
}
job_ended() {	# folder: its rc, out and err
	await [ -s "$1/rc" ]
	rc=$(cat "$1/rc")
	cp "$1/out" "$out"
	cp "$1/err" "$err"
}

# Two signals while the controller does not answer; its cards are watched for half a minute more,
# beside the rest.
mkdir left
echo sleep >left/plan
job left env FAKE="$work/left" TT_SMI_SIM_SPEED=4 TT_SMI_STATE_DIR="$work/left/state" \
	tt-smi --sim galaxy-wh -glx_reset_tray 1 --report left/r.json
await [ -s left/pid ]
kill -INT "$(cat left/job)"
await has_text left/err "cannot be stopped safely"
kill -0 "$(cat left/pid)"
check "SIGINT while the controller acts: ipmitool goes on" [ $? = 0 ]
kill -INT "$(cat left/job)"
await has_text left/out "outside"

# A second try, of an act that reset no card, is stopped while programs are told of it.
mkdir -p again/state/tmp/tt_umd_listeners
printf 'busy\nok\n' >again/plan
python3 - again/state/tmp/tt_umd_listeners/client_1.sock again/job <<'END' &
import os, signal, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.settimeout(100)
for _ in range(3):  # before the first try and after it, before the second
    s.recv(1)
os.kill(int(open(sys.argv[2]).read()), signal.SIGINT)
signal.pause()
END
told=$!
await [ -S again/state/tmp/tt_umd_listeners/client_1.sock ]
job again env FAKE="$work/again" TT_SMI_SIM_SPEED=10 TT_SMI_STATE_DIR="$work/again/state" \
	tt-smi --sim galaxy-wh -glx_reset_auto --report again/r.json

glx() {	# "PLAN ..." SPEC options
	printf '%s\n' $1 >"$FAKE/plan"
	rm -f "$FAKE/args" "$FAKE/env" "$FAKE/pid"
	touch "$FAKE/args"
	spec=$2
	shift 2
	run timeout 100 tt-smi --sim "$spec" "$@"
}
unlocked() {	# every card that was ever locked can be locked at once
	for lock in "$TT_SMI_STATE_DIR"/sim-*.lock; do
		[ -e "$lock" ] && flock -n "$lock" true || return 1
	done
}
reported() {	# name filter: the report of the last reset
	check "report: $1" jq -e "$2" r.json
}
args_are() {	# name line...
	name=$1
	shift
	printf '%s\n' "$@" >want
	check "$name" cmp -s want "$FAKE/args"
}
recovered() { grep -c ' recovered in ' "$out"; }
gone() {	# a killed process is a zombie until process 1 has seen it
	test -s "$FAKE/pid" && await has_ended "$(cat "$FAKE/pid")"
}

for board in galaxy-wh galaxy-bh; do
	glx ok $board -glx_reset
	rc_is 0 "$board: all trays"
	args_are "$board: ipmitool gets these arguments" "raw 0x30 0x8B 0xF 0xFF 0x3 0xF"
	check "$board: 32 cards have a verdict" test "$(recovered)" -eq 32
	for tray in 1 2 3 4; do
		glx ok $board -glx_reset_tray $tray
		rc_is 0 "$board: tray $tray"
		args_are "$board: tray $tray is bit $((tray - 1))" \
			"raw 0x30 0x8B 0x$((1 << (tray - 1))) 0xFF 0x3 0xF"
		check "$board: tray $tray: 8 cards have a verdict" test "$(recovered)" -eq 8
		grep "^tray $tray takes along, by index: " "$out" | sed 's/.*: //' >along
		run tt-smi --sim $board -glx_list_tray_to_device
		sed -n "s/^│ $tray *│[^│]*│ \\([0-9,]*\\) *│\$/\\1/p" "$out" >listed
		check "$board: tray $tray: reset and list name the same cards" cmp along listed
		sed -n "s/^\\([0-9]*\\) .* UBB$tray U[1-8]\$/\\1/p" "$out" | paste -sd, >placed
		check "$board: tray $tray: so do the cards' positions" cmp along placed
	done
done
run tt-smi --sim galaxy-wh --galaxy_6u_reset_tray 1 --dry-run
rc_is 0 "upstream's long spelling of one tray"
for spelling in -glx_reset --galaxy_6u_trays_reset -glx_reset_auto --galaxy_6u_trays_reset_auto; do
	glx ok galaxy-wh $spelling --eth_train_skip --no_reinit --use_luwen
	rc_is 0 "upstream's $spelling with its companions"
done

glx ok galaxy-wh -glx_reset_tray 2 --dry-run
rc_is 0 "--dry-run"
out_has "ipmitool raw 0x30 0x8B 0x2 0xFF 0x3 0xF" "shows the command"
out_has "tray 2 takes along, by index: 16,17,18,19,20,21,22,23" "and what the tray takes along"
check "and runs nothing" test ! -s "$FAKE/args"
glx ok galaxy-wh -glx_reset_tray 5
rc_is 2 "there is no tray 5"
glx ok p150a -glx_reset
rc_is 3 "no galaxy, no reset"
check "and ipmitool is not run" test ! -s "$FAKE/args"
TT_VISIBLE_DEVICES=0 glx ok galaxy-wh -glx_reset
rc_is 6 "a tray with cards that may not be seen is refused"
check "and nothing runs" test ! -s "$FAKE/args"

# A controller that is older than resets without the links' retimers.
glx "old ok" galaxy-bh -glx_reset_tray 2 --report r.json
rc_is 0 "an old controller"
args_are "is asked without the retimers first, then with them" "raw 0x30 0x8B 0x2 0xFF 0x3 0xF" \
	"raw 0x30 0x8B 0x2 0xFF 0x0 0xF"
out_has "the controller's firmware is old (it answers 0xc9 to a reset without retimers)" "and that is said"
check "its cards are reset once" test "$(recovered)" -eq 8
reported "one try, and no failure" '.tries == 1 and .act_failure == null'
rm r.json
glx "old busy" galaxy-bh -glx_reset_tray 2
rc_is 5 "an old controller that is busy, too"
out_has "it is busy: try again" "with its last answer"
glx "old old" galaxy-bh -glx_reset_tray 2
rc_is 5 "a controller that knows neither"
check "is asked twice" test "$(wc -l <"$FAKE/args")" -eq 2
glx "old ok" galaxy-bh:resetfail -glx_reset_tray 1
rc_is 5 "an old controller and a chip that stays away"
check "the others recovered" test "$(recovered)" -eq 7
glx "busy ok" galaxy-bh -glx_reset_tray 2
check "another refusal is no reason to reset the retimers" test "$(wc -l <"$FAKE/args")" -eq 1

# What fails.
glx device galaxy-wh -glx_reset_tray 1
rc_is 5 "no IPMI device: negative"
out_has "load the modules ipmi_devintf and ipmi_si" "with what to do"
check "each card is named as not reset" test "$(grep -c ' not reset in ' "$out")" -eq 8
out_has "0 of 8 cards recovered, 8 not reset" "and counted as such"
out_lacks " lost" "none is called lost: nothing happened to it"
check "each was sampled since, and is as it was" \
	test "$(grep -c ' not reset in .*; the card is as it was$' "$out")" -eq 8
out_lacks "power the host off" "a card that nothing happened to needs no power cycle"
glx killed galaxy-wh -glx_reset_tray 1
rc_is 5 "ipmitool is killed: negative"
out_has "ended by signal 9" "and said"
glx sleep galaxy-wh -glx_reset_tray 1
rc_is 5 "ipmitool never ends: negative, within its deadline"
out_has "outside 60." "its deadline is over"
out_has "not done after 60 s" "and said"
check "and it is gone" gone
glx endless galaxy-wh -glx_reset_tray 1
rc_is 5 "ipmitool prints without end: negative"
out_has "prints without end" "and said"
check "output is bounded" test "$(cat "$out" "$err" | wc -c)" -le 20000
check "and it is gone, too" gone
glx ok galaxy-wh:resetfail -glx_reset_tray 1
rc_is 5 "a chip that stays away"
check "the others recovered" test "$(recovered)" -ge 7

# auto: as often as needed, three times at most, and says why.
glx "busy busy ok" galaxy-wh -glx_reset_auto
rc_is 0 "auto: two failures, then it works"
check "auto: three calls" test "$(wc -l <"$FAKE/args")" -eq 3
err_has "try 1 of 3: tray 1:" "auto says why it tries again"
err_has "try 2 of 3: tray 1:" "each time"
err_lacks "try 3 of 3" "but not when all is well"
glx "busy busy busy ok" galaxy-wh -glx_reset_auto
rc_is 5 "auto: three failures are the end"
check "auto: no fourth call" test "$(wc -l <"$FAKE/args")" -eq 3
glx "busy ok" galaxy-wh -glx_reset
rc_is 5 "without auto there is one try"
check "one call" test "$(wc -l <"$FAKE/args")" -eq 1
glx starve galaxy-wh -glx_reset_auto
rc_is 5 "auto: without descriptors for another try it is no refusal"
err_code no-descriptors '' "and said"
err_lacks "nothing was reset" "though the first try is not denied"
glx ok galaxy-wh:resetfail -glx_reset_auto
rc_is 5 "auto: a chip that stays away"
printf '%s\n' "raw 0x30 0x8B 0xF 0xFF 0x3 0xF" "raw 0x30 0x8B 0x1 0xFF 0x3 0xF" \
	"raw 0x30 0x8B 0x1 0xFF 0x3 0xF" >want
check "only its tray is tried again" cmp -s want "$FAKE/args"

# What the report says of each end, and that each leaves the cards to the next reset.
glx "busy busy ok" galaxy-wh -glx_reset_auto --report r.json
rc_is 0 "auto with a report"
reported "tries merged" '.tries == 3 and .exit_code == 0 and .act_failure == null'
reported "each chip once, with its verdict" '(.cards | length) == 32 and
	([.cards[].index] | unique | length) == 32 and all(.cards[]; .verdict == "recovered")'
reported "each tray, whole" '(.trays | map(.tray)) == [1, 2, 3, 4] and
	all(.trays[]; .whole and (.cards | length) == 8) and
	([.trays[].cards[]] | unique | length) == 32'
check "nothing is left locked after success" unlocked
rm r.json
glx ok galaxy-wh:resetfail -glx_reset_auto --report r.json
reported "a chip that stays away" '.tries == 3 and .exit_code == 5 and (.cards | length) == 32 and
	([.cards[] | select(.verdict != "recovered")] | length) == 1'
reported "its tray is not whole" '([.cards[] | select(.verdict != "recovered")][0].index) as $lost |
	[.trays[] | select(.whole | not)] | length == 1 and (.[0].cards | index($lost) != null)'
check "nothing is left locked after a chip stayed away" unlocked
rm r.json
glx busy galaxy-wh -glx_reset_tray 1 --report r.json
reported "a refusal" '.tries == 1 and .exit_code == 5 and (.act_failure | test("Node busy")) and
	(.cards | length) == 8 and all(.cards[]; .verdict == "not reset") and
	(.trays | map([.tray, .whole])) == [[1, false]]'
check "nothing is left locked after a refusal" unlocked
rm r.json
glx sleep galaxy-wh -glx_reset_tray 1 --report r.json
reported "an ipmitool that never ends" '.exit_code == 5 and (.act_failure | test("not done after"))'
check "nothing is left locked after an ipmitool that never ends" unlocked
TT_VISIBLE_DEVICES=0 glx ok galaxy-wh -glx_reset_tray 2 --report r.json
rc_is 6 "a tray that may not be seen, with a report"
reported "nothing was done, and no tray's state is known" '.tries == 0 and .exit_code == 6 and
	.cards == [] and (.trays | map([.tray, .whole])) == [[2, null]]'
glx ok galaxy-wh -glx_reset_tray 1 --report "$work"
rc_is 1 "a report that cannot be written"
check "ipmitool is not run" test ! -s "$FAKE/args"
glx ok galaxy-wh -glx_reset
rc_is 0 "the next reset goes at once"
TT_SMI_SIM_IPMITOOL=$work/none glx ok galaxy-wh -glx_reset_tray 1
rc_is 5 "an ipmitool that is not there"
out_has "not started: $work/none: cannot be run: No such file" "and said"
out_has "8 not reset" "nothing was reset"

# Root starts no ipmitool that somebody else owns or can replace.
if [ "$(id -u)" -eq 0 ]; then
	mkdir theirs loose theirs-own loose-own link way
	for dir in theirs loose theirs-own loose-own; do
		cp "$FAKE/ipmitool" "$dir"
	done
	chown 65534 theirs theirs-own/ipmitool && chmod g+w loose loose-own/ipmitool
	ln -s "$FAKE/ipmitool" link && chown -h 65534 link/ipmitool
	ln -s "$work/theirs/ipmitool" way
	for odd in theirs loose theirs-own loose-own link way; do
		TT_SMI_SIM_IPMITOOL=$work/$odd/ipmitool glx ok galaxy-wh -glx_reset_tray 1
		rc_is 5 "root does not start $odd/ipmitool"
		out_has "not started: $work/$odd/ipmitool: not used by root: " "$odd: and is told why"
		check "$odd: it is not run" test ! -s "$FAKE/args"
	done
else
	skip "an ipmitool of others" "not root"
fi

# Over the network: the command alone.  The fake stands first in PATH here.
PATH=$FAKE:$PATH
printf 'admin:s3cret\n' >cred
chmod 600 cred
far() {	# PLAN options
	printf '%s\n' "$1" >"$FAKE/plan"
	rm -f "$FAKE/args" "$FAKE/env" "$FAKE/pid"
	touch "$FAKE/args"
	shift
	run timeout 100 tt-smi --ipmi bmc.example "$@"
}
far ok -glx_reset_tray 3 --credentials cred
rc_is 0 "--ipmi"
args_are "has the session's arguments and no password" \
	"-I lanplus -H bmc.example -U admin -E raw 0x30 0x8B 0x4 0xFF 0x3 0xF"
check "the password is in ipmitool's environment" grep -qx IPMI_PASSWORD=s3cret "$FAKE/env"
check "and printed nowhere" sh -c "! grep -q s3cret '$out' '$err'"
out_has "took the command" "what is known is said"
TT_SMI_USER=root TT_SMI_PASSWORD=pw far ok -glx_reset
args_are "user and password from the environment" \
	"-I lanplus -H bmc.example -U root -E raw 0x30 0x8B 0xF 0xFF 0x3 0xF"
check "our own variable is not handed on" sh -c "! grep -q TT_SMI_PASSWORD '$FAKE/env'"
far "old" -glx_reset --credentials cred
rc_is 0 "another machine's old controller"
out_has "the controller's firmware is old" "is said to be old"
far garbage -glx_reset --credentials cred
rc_is 5 "an ipmitool that prints nonsense: nothing is known"
err_has 'x\x1b[31mred' "its words are shown"
check "and cannot command the terminal" sh -c "! grep -q '$(printf '\033')' '$err' '$out'"
far children -glx_reset --credentials cred
rc_is 5 "an ipmitool that prints without end, and has processes of its own"
check "they are gone, too" gone
far busy -glx_reset --credentials cred
rc_is 1 "a controller that refuses"
err_has "Node busy" "and why"
chmod 644 cred
far ok -glx_reset --credentials cred
rc_is 6 "a file that others may read is refused"
err_has "chmod 600" "with what to do"
far ok -glx_reset --credentials cred --report /proc/none/r.json
rc_is 1 "--ipmi with a report that cannot be written"
check "ipmitool is not run" test ! -s "$FAKE/args"
far ok -glx_reset --report r.json
rc_is 6 "no credentials: refused"
reported "no credentials" '.exit_code == 6 and .tries == 0'
err_has "--credentials FILE" "with what to do"
check "nothing ran" test ! -s "$FAKE/args"
chmod 600 cred
tt-smi -s --sim galaxy-wh -f saved.json --record played.rec >"$out"
for source in "--load saved.json" "--replay played.rec" "--root $top_srcdir/tests/fixtures/sysfs/wormhole"; do
	# shellcheck disable=SC2086
	far ok -glx_reset --credentials cred $source
	rc_is 6 "${source%% *}: cards from a file have no controller"
	check "${source%% *}: and ipmitool is not run" test ! -s "$FAKE/args"
done
# Only the ipmitool that a root may trust: none from a relative folder, or that others may change.
if [ "$(id -u)" -eq 0 ]; then
	chmod 600 cred
	mkdir evil open shared
	printf '#!/bin/sh\necho ran >>"%s/ran"\n' "$work" |
		tee evil/ipmitool open/ipmitool shared/ipmitool >/dev/null
	chmod 755 evil/ipmitool open/ipmitool shared/ipmitool
	chgrp 12345 shared && chmod 775 shared
	mkdir -p whole/ipmitool
	chmod 777 open
	cp -R evil foreign
	chown 12345 foreign/ipmitool
	PATH=evil:$work/whole:$work/open:$work/shared:$work/foreign:$PATH far ok -glx_reset --credentials cred
	rc_is 0 "an ipmitool that root may run is found behind those it may not"
	check "and no other was run" test ! -e ran
else
	skip "an ipmitool that others may change" "only root minds"
fi
for host in -x 'a b' 'a;b' '' 'h:0' 'h:99999' 'h:+1' '[::1' '[h]:1' 'a..b' "$(printf '%0300d' 0)" "$(printf 'h\033')"; do
	run tt-smi -glx_reset --ipmi "$host"
	rc_is 2 "'$host' is not a host name"
done
PATH=${PATH#*:}

# A machine without ipmitool: in a name space of its own, all of them are empty files.
cover='for p in /usr/sbin /usr/bin /sbin; do [ ! -e $p/ipmitool ] || mount --bind empty $p/ipmitool || exit 77; done'
: >empty
printf 'user = u\npassword = p\n' >cred
chmod 600 cred
if [ "$(id -u)" -eq 0 ] && unshare -m sh -c "$cover" 2>/dev/null; then
	run unshare -m sh -c "$cover; exec tt-smi -glx_reset --ipmi 127.0.0.1 --credentials cred -y"
	rc_is 1 "no ipmitool on this machine"
	err_code no-program '' "and what to do"
else
	skip "no ipmitool on this machine" "only root can hide it"
fi

job_ended again
kill $told
rc_is 5 "auto: a second try that is stopped is no refusal: the first did its part"
check "ipmitool is not run again" test "$(wc -l <again/args)" -eq 1
out_has "stopped before it was reset" "the cards of that try are named"
out_has "0 of 32 cards recovered, 32 not reset" "and count as the first left them"
check "so does the report" jq -e '.exit_code == 5 and (.act_failure | test("Node busy")) and
	all(.cards[]; .verdict == "not reset")' again/r.json

job_ended left
rc_is 5 "a second SIGINT does not wait for the controller"
err_has "no other begins; a second signal leaves the controller half way" "as the first was told"
check "it is left at once, and that is said of each card" \
	test "$(grep -c ' outside .*: failed, ipmitool runs: left half way$' "$out")" -eq 8
check "ipmitool is gone" has_ended "$(cat left/pid)"
out_has "wait" "its cards are watched all the same"
check "and have a verdict" jq -e '.exit_code == 5 and (.act_failure | test("left half way")) and
	(.cards | length) == 8 and all(.cards[]; .verdict == "lost")' left/r.json

done_testing
