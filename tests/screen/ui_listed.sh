# SPDX-License-Identifier: GPL-2.0-or-later
# An index names the card that it named when a person last saw it: after another has
# moved there -wr refuses, and -r says so.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"

u='LC_ALL=C.UTF-8 TERM=screen-256color TT_SMI_LISTED_SIM=1 TT_SMI_SIM_SPEED=10'
export TT_SMI_LISTED_SIM=1 TT_SMI_SIM_SPEED=10
memory=$TT_SMI_STATE_DIR/listed
kept=$work/kept

run tt-smi -ls --sim p150a,n150
check "what no terminal shows is not remembered" test ! -e "$memory"
unset TT_SMI_LISTED_SIM
start 120 36 'LC_ALL=C.UTF-8 TERM=screen' '-ls --sim p150a'
check "-ls --sim: lists" ended
check "and nothing of it is remembered" test ! -e "$memory"
export TT_SMI_LISTED_SIM=1 TT_SMI_SIM_SPEED=10

for how in '-ls' '-s'; do
	rm -f "$memory"
	start 120 36 "$u" "$how --sim p150a,n150"
	check "$how on a terminal ends" ended
	check "$how: is remembered" grep -q '^1 0000:02:00.0 [0-9a-f]*$' "$memory"
	check "$how: of this boot" grep -qxF "boot $(cat /proc/sys/kernel/random/boot_id)" "$memory"
done
cp "$memory" "$kept"
rm "$memory"
start 120 36 "$u" "-i 0.1 --sim p150a,n150"
check "live: there" row 'n150'
check "live: is remembered" until_true cmp -s "$memory" "$kept"
send q
ended
start 120 36 "$u" "-ls --device 1 --sim p150a,n300"
ended
check "a card that is not listed is still remembered" grep -qxF "$(grep '^0 ' "$kept")" "$memory"
cp "$kept" "$memory"

run tt-smi -wr 0 -y --sim p150a,n150
rc_is 0 "the card that was listed is reset by its index"
: >"$TT_SMI_STATE_DIR/reset.log"
run tt-smi -wr 0 -y --sim n150
rc_is 6 "another one at this index is not"
err_has "0: was 0000:01:00.0 (serial $(printf %016x "0x$(sed -n 's/^0 .* //p' "$kept")")) when it was last listed, and is 0000:01:00.0 (serial " \
	"both are named"
err_code moved-index '' "nothing was reset"
check "and nothing fired" sh -c "! grep -q fire '$TT_SMI_STATE_DIR/reset.log'"
run tt-smi -wr 1,0 -y --sim n150,n150
rc_is 6 "nor one of several"
echo '{"wh_mobo_reset": [{"mobo": "127.0.0.1:9", "credo": []}]}' >mobo.json
run tt-smi -wr 0 mobo.json -y --sim n150
rc_is 6 "nor one beside a mobo's file"
err_code moved-index '' "and the mobo is left alone"
run tt-smi -r 0 mobo.json --sim n150
err_code moved-index '' "-r says so beside such a file, too"
run tt-smi -wr 0 --dry-run --sim n150
rc_is 0 "a plan can be had"
for name in 0000:01:00.0 '0 --force' /dev/tenstorrent/0 all; do
	# shellcheck disable=SC2086
	run tt-smi -wr $name -y --sim n150
	rc_is 0 "-wr $name goes through"
done
run tt-smi -r 0 --sim n150
rc_is 0 "-r resets it, as its callers expect"
err_code moved-index '' "and says that it is another one"

# A second chip has an index, too, and goes by its board.
rm "$memory"
start 120 36 "$u" "-ls --sim n300,p150a"
ended
run tt-smi -wr 2 -y --sim 3*p150a
rc_is 6 "a card where a second chip was listed is not reset"
err_code moved-index '0000:01:00.0' "the board is named"
start 120 36 "$u" "-ls --sim n300"
ended
run tt-smi -wr 1 -y --sim n300
err_lacks 'when it was last listed' "a second chip where a card was is known once it was listed"
cp "$kept" "$memory"

# What else acts on cards by an index.
export TT_SMI_SIM_LOG=$work/sim.log
for how in '-b 0' '-b 0 --no-reset' '-b host 0 --workload conv,memory' '-b 0 --workload memory'; do
	: >sim.log
	# shellcheck disable=SC2086
	run tt-smi $how -dur 1 --sim n150
	rc_is 6 "$how: another card at this index is not burnt"
	err_code moved-index '' "$how: says so"
	check "$how: and left alone" sh -c "! grep -q 'open.*active' sim.log"
done
unset TT_SMI_SIM_LOG
for name in 0000:01:00.0 cards; do
	run tt-smi -b $name --no-reset -dur 1 --sim n150
	rc_is 4 "-b $name goes through to where a simulated board computes nothing"
done
run tt-smi --check-memory 0 --size 64k --sim n150
rc_is 0 "--check-memory writes nothing, and reads it"
err_code moved-index '' "and says that it is another one"
run tt-smi --check-memory --size 64k --sim n150
err_lacks 'when it was last listed' "all cards are nobody's index"

# A memory that is no memory: another boot's, another user's, torn, no file.
for how in 's/^boot .*/boot 0/' 's/^user .*/user 12345/' 's/^source .*/source kmd/' '$d' 's/^0/x/'; do
	sed "$how" "$kept" >"$memory"
	run tt-smi -wr 0 -y --sim n150
	rc_is 0 "a memory with '$how' is none"
	err_empty "of which nothing is said"
done
rm "$memory"
mkfifo "$memory"
run timeout 60 tt-smi -wr 0 -y --sim n150
rc_is 0 "nor is a FIFO in its place"
rm "$memory"
ln -s "$kept" "$memory"
run tt-smi -wr 0 -y --sim n150
rc_is 0 "nor a link"
rm "$memory"
mkdir "$memory"
start 120 36 "$u" "-ls --sim p150a"
check "where it cannot be written" ended
check "nothing is said" sh -c "! grep -q listed err.live"
check "and the code is 0" code_is 0
done_testing
