# SPDX-License-Identifier: GPL-2.0-or-later
# SIGINT in each phase of a reset: no dangerous step begins after it, none is left
# in the middle, what is waited for is said, and the next reset of the card works.
. "$top_srcdir/tests/rig/lib.sh"

# Its socket is told before and after; what came stands in a file.
cat >listen.py <<'E2'
import os, socket, sys
folder, said = sys.argv[1:]
os.makedirs(folder)
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(folder + "/client_1.sock")
s.settimeout(60)
open(said, "w").close()
for _ in range(2):
    byte = s.recv(1)
    with open(said, "a") as f:
        f.write("%d\n" % byte[0])
E2

# NAME|SPEC|SPEED|FILE|WORDS: SIGINT once FILE has WORDS; a FILE of - means never.  SPEED and SPEC leave
# at least 5 s for the signal (notify: 2 s, which no speed prolongs).
table() {
	cat <<'TABLE'
notify|p150a|1|said|1
fire|n150:stuck|2|log|reset 0000:01:00.0 4
wait|p150a:deadbeat@0-10|1|out|fire ASIC_RESET
wait-long|p150a:noreset|2|out|fire ASIC_RESET
post|p150a:stuck:deadbeat|2|out|: rebind
verify|p150a:deadbeat|2|out|: post
never-wait|p150a:noreset|20|-|
never-verify|p150a:deadbeat|20|-|
waiting|p150a:held|1|err|waiting until the cards are free
TABLE
}

strike() {	# NAME SPEC SPEED FILE WORDS
	export TT_SMI_STATE_DIR="$work/state-$1" TT_SMI_SIM_SPEED="$3"
	options=-r
	[ "$1" = waiting ] && options='-wr 0 -y --wait'
	if [ "$1" = notify ]; then
		python3 listen.py "$TT_SMI_STATE_DIR/tmp/tt_umd_listeners" notify.said &
		await [ -e notify.said ]
	fi
	# shellcheck disable=SC2086
	TT_SMI_SIM_LOG="$work/$1.log" timeout -s KILL 100 tt-smi --sim "$2" $options \
		>"$1.out" 2>"$1.err" </dev/null &
	runner=$!
	if [ "$4" != - ]; then
		await has_text "$1.$4" "$5"
		pkill -INT -P $runner tt-smi
	fi
	wait $runner
	echo $? >"$1.rc"
	TT_SMI_SIM_SPEED=20 timeout 60 tt-smi --sim "${2%%:*}" -r >/dev/null 2>&1 </dev/null
	echo $? >"$1.next"
}

table | while IFS='|' read -r which spec speed file words; do
	strike "$which" "$spec" "$speed" "$file" "$words" &
	table | tail -n 1 | grep -q "^$which|" && wait
done

of() {	# NAME: its output is what the checks below see
	which=$1
	rc=$(cat "$which.rc")
	out=$work/$which.out err=$work/$which.err
	check "$which: the next reset works" test "$(cat "$which.next")" = 0
}
fires() { grep -c '^reset 0000:01:00.0 [45]' "$which.log"; }
posts() { grep -c '^reset 0000:01:00.0 6' "$which.log"; }
waited() { err_has "cannot be stopped safely: waiting for its end" "$which: says why it waits"; }

of notify
rc_is 6 "notify: nothing was fired, and the code says so"
out_has "stopped in" "notify: the verdict, too"
check "notify: no reset was asked for" test "$(fires)" = 0
check "notify: who was told before is told after" test "$(tr '\n' ' ' <notify.said)" = "1 2 "

of never-wait
check "without a signal the next way is tried after a reset that did nothing" test "$(fires)" = 2
of never-verify
check "and after one that did not help" test "$(fires)" = 2

of fire
rc_is 5 "fire: a call under way is brought to its end"
waited
check "fire: no other way is tried" test "$(fires)" = 1
check "fire: the card is not left shut" test "$(posts)" = 1
out_has "lost in" "fire: the verdict is what it would have been"

of wait
rc_is 0 "wait: the card comes back"
waited
out_has "recovered in" "wait: and is verified"
check "wait: the card is not left shut" test "$(posts)" = 1

for which in wait-long post verify; do
	of $which
	rc_is 5 "$which: the verdict's code"
	waited
	check "$which: no other way is tried" test "$(fires)" = 1
	check "$which: the card is not left shut" test "$(posts)" -ge 1
	out_has "lost in" "$which: the verdict"
done

of waiting
rc_is 6 "--wait ends at once"
err_code held '' "and says that nothing was done"
check "--wait: no reset was asked for" test "$(fires)" = 0

done_testing
