# SPDX-License-Identifier: GPL-2.0-or-later
# A bare tt-smi where stdout is no terminal: all cards once, as plain text of 80
# columns, for watch(1), pagers and "is any device here?".
. "$top_srcdir/tests/rig/lib.sh"

TT_SMI_VIRTUAL_TIME=1795252364
TZ=UTC
LC_ALL=C
export TT_SMI_VIRTUAL_TIME TZ LC_ALL
utf8=C.UTF-8

fits() {	# every line has 80 columns, or is a sentence below the frame
	! LC_ALL=$utf8 grep -E '^(\||\+|┌|├|└|│)' "$out" | LC_ALL=$utf8 grep -qvE '^.{80}$'
}
ascii() { ! grep -q '[^ -~]' "$out"; }

spec='e150,n300,p100a,p150a:hot,p150a:hang,p150a:garbage,p300'
run_partial "one card of several that fails" tt-smi --sim "$spec" --sim-seed 1
err_empty "there its reason is in its block, not on stderr"
out_is golden/overview-boards.txt "every kind of board has its block"
check "80 columns" fits
check "a locale without UTF-8 gets ASCII alone" ascii
LC_ALL=$utf8 run tt-smi --sim "$spec" --sim-seed 1
out_is golden/overview-boards-utf8.txt "UTF-8 has lines and degrees"
check "and 80 columns too" fits
run tt-smi --sim n300,p150a --remote --sim-seed 1
check "a board's second chip follows its first" [ "$(grep -oE '^\| [0-9]+ +[np][0-9]+a? [LR]?' "$out" |
	awk '{ printf "%s ", $2 }')" = '0 2 1 ' ]
for chip in wormhole blackhole; do
	ln -s "$top_srcdir/tests/fixtures/sysfs/$chip" "$chip"
	run tt-smi --root "$chip"
	rc_is 0 "a recorded tree of a $chip is read"
	out_is "golden/overview-recorded-$chip.txt" "and has its block"
done

# What is cut says so, and the last line has the sum
run tt-smi --sim '4*p150a,p150a:hang,n300,p150a:hot'
out_has "7 boards, 8 chips: 1 FAILED, 1 warn, 1 not-read, 5 ok" "the last line counts the chips, the worst first"

check "boards in trouble come first, each with its chips" [ "$(grep -oE '^\| [0-9]+ +[np]' "$out" |
	tr -dc '0-9\n' | tr '\n' ' ')" = '4 6 0 1 2 3 5 7 ' ]

# Exit codes are those of -s
run tt-smi --sim p150a
rc_is 0 "a card that was read is 0"
run tt-smi --sim p150a:hang
rc_is 4 "none that was read is 4"
run tt-smi --sim p150a,n150:hang --partial-ok
rc_is 0 "--partial-ok makes a partial result 0"
mkdir empty
run tt-smi --root empty
rc_is 3 "no card is 3"
out_has "no device" "and the overview says so"
err_code no-device '' "and stderr why"
out_lacks "which processes" "and of processes that would hold it nothing"
check "as a probe it is silent and quick to say yes" sh -c "tt-smi --sim p150a >/dev/null 2>&1"
tt-smi --sim p150a >/dev/full 2>"$err"
rc=$?
rc_is 1 "output that cannot be written is 1"
err_code no-space 'stdout' "and says so"
check "a pager that closes early is no trouble" sh -c "
	tt-smi --sim '32*p150a' 2>pipe | head -n 1 >/dev/null; [ ! -s pipe ]"

# Nothing is asked of a board, as in the live display
run env TT_SMI_SIM_LOG="$work/log" tt-smi --sim e150,n300,p150a,p300
check "nothing is written to any board" sh -c "[ -e log ] && ! grep -E '^(violation|write|message) ' log"

# Which processes hold a card
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
echo 2.4.1 >tree/sys/module/tenstorrent/version
rm -r tree/proc/driver
for pid in 71 72 73 74 75 76; do
	mkdir -p "tree/proc/$pid/fd"
	ln -s /dev/tenstorrent/0 "tree/proc/$pid/fd/5"
	printf 'python3\0\033[2J\346\274\242\303\251\0--%090d\0' 7 >"tree/proc/$pid/cmdline"
done
for locale in C $utf8; do
	LC_ALL=$locale run tt-smi --root tree
	out_has "Held by 71 (" "$locale: a process that holds the card is named"
	out_has "Held by 2 more" "$locale: and many are counted"
	check "$locale: what is cut says so" grep -qE '(>|…) (\||│)$' "$out"
	check "$locale: a command cannot leave the frame" fits
	check "$locale: nor command the terminal" sh -c "! grep -q '$(printf '\033')' out"
done
TT_VISIBLE_DEVICES=1 run tt-smi --sim n150,p150a
out_lacks n150 "TT_VISIBLE_DEVICES limits it"
out_has "TT_VISIBLE_DEVICES=1: the other boards" "and that is said"
run tt-smi --sim n150,p150a --device 0
out_lacks p150a "--device chooses"
run tt-smi --load "$top_srcdir/tests/fixtures/snapshots/p150a-tt_smi-5.2.0.json"
out_has "loaded from a file                 $(sed -n 's/.*"time": "\(....-..-..\)T\(..:..:..\).*/\1 \2/p' \
	"$top_srcdir/tests/fixtures/snapshots/p150a-tt_smi-5.2.0.json") " "a file's readings have its time, not today's"
done_testing
