# SPDX-License-Identifier: GPL-2.0-or-later
# The state directory: no link in it is followed, and root uses another user's with that user's rights.
. "$top_srcdir/tests/rig/lib.sh"

export TT_SMI_LISTED_SIM=1 TT_SMI_VIRTUAL_TIME=1795000000
mkdir target
state_files='acts-sim acts-sim.lock counters-sim.0 counters-sim.1 counters-sim.lock listed reset.log
	roster-sim sim-0000:01:00.0.lock sim-0000:01:00.0.root'

folder() {	# name [owner]
	mkdir "$1" && chown "${2:-$(id -u)}" "$1"
	export TT_SMI_STATE_DIR=$work/$1
}
write_all() {
	tt-smi -r 0 --sim p150a -y
	tt-smi --textfile metrics.prom --once --sim p150a
	script -qec 'tt-smi -ls --sim p150a' /dev/null
} >write.out 2>&1 </dev/null
has_no_link_target() { [ "$(cat target/* | sort -u)" = victim ] && [ ! -e nowhere ]; }

for kind in own foreign; do
	owner=$(id -u)
	if [ $kind = foreign ]; then
		[ "$owner" -eq 0 ] || { skip "a foreign state directory" "not root"; continue; }
		chmod 755 "$work"
		owner=65534
	fi
	folder $kind "$owner"
	write_all
	for name in $state_files; do
		case $kind$name in
		foreignlisted) check "$kind: nothing is remembered there" test ! -e "$kind/$name" ;;
		ownsim*root) [ "$owner" -ne 0 ] || check "$kind: $name is written" test -e "$kind/$name" ;;
		*counters-sim.0) ;;	# the other one comes first
		*) check "$kind: $name is written" test -e "$kind/$name" ;;
		esac
	done
	check "$kind: all of it belongs to the owner" [ -z "$(find $kind ! -uid "$owner")" ]
	check "$kind: the reset is counted" grep -q 'tt_smi_resets_total{.*result="recovered"} 1$' metrics.prom

	for trap in link dangling; do
		folder $kind-$trap "$owner"
		for name in $state_files; do
			echo victim >"target/$name"
			case $trap in
			link) ln -s "$work/target/$name" "$TT_SMI_STATE_DIR/$name" ;;
			dangling) ln -s "$work/nowhere" "$TT_SMI_STATE_DIR/$name" ;;
			esac
		done
		write_all
		check "$kind, $trap: a card whose lock is a link is not reset" \
			has_text write.out "sim-0000:01:00.0.lock: cannot be written: "
		rm "$TT_SMI_STATE_DIR"/sim-*
		write_all
		check "$kind, $trap: what the links lead to is unchanged" has_no_link_target
		check "$kind, $trap: nothing there belongs to another user" \
			[ -z "$(find "$TT_SMI_STATE_DIR" -type f ! -uid "$owner")" ]
		for what in 'no log of this reset is kept' 'not counted for metrics' \
			'the list of chips is not kept' 'counters are not kept'; do
			check "$kind, $trap: stderr has: $what" has_text write.out "$what"
		done
	done
done

if [ "$(id -u)" -eq 0 ]; then
	# What root left there before it used the owner's rights
	folder legacy 65534
	for name in reset.log acts-sim.lock counters-sim.lock; do
		echo old >"legacy/$name"
	done
	write_all
	check "root's old log is kept beside the new one" [ "$(cat legacy/reset.log.old)" = old ]
	check "and the new one has the reset" grep -q '"fire"' legacy/reset.log
	check "which is counted" grep -q recovered legacy/acts-sim

	# As systemd makes it for a user of the unit alone: below a folder that only root may enter
	mkdir -m 700 private && mkdir private/state && chown 65534 private/state && ln -s private/state linked
	TT_SMI_STATE_DIR=$work/linked
	write_all
	check "a directory whose parent its owner may not enter: counters are kept" test -s linked/counters-sim.1
	check "and all else" test -s linked/acts-sim -a -s linked/reset.log -a -s linked/roster-sim
	check "all of it the owner's" [ -z "$(find private/state ! -uid 65534)" ]

	# A link on the way that others can have put there: in their folder, or where all may write
	mkdir -m 755 theirs && chown 65534 theirs && mkdir -m 777 all && chmod 777 all && mkdir aim
	ln -s "$work/aim" theirs/way && ln -s "$work/aim" all/way && ln -s "$work/aim" all/state
	for to in theirs/way theirs/way/new all/way all/state/new; do
		TT_SMI_STATE_DIR=$work/$to
		write_all
		check "$to: nothing comes to where the link leads" [ -z "$(ls -A aim)" ]
		check "$to: which is said" has_text write.out ': link not followed: '
	done

	# A parent's death still reaches the program after it took the owner's rights
	cat >orphan <<'END'
setpriv --pdeathsig KILL tt-smi --textfile orphan.prom -i 0.1 --sim p150a &
echo $! >pid
until [ -s orphan.prom ]; do read -rt 0.1 _ <>"$1" || :; done
END
	bash orphan "$work/.idle"
	await has_ended "$(cat pid)"
	check "and a program ends with its parent, if that was asked for" has_ended "$(cat pid)"

	# A file that has another name elsewhere may be anybody's
	folder named
	echo victim >target/reset.log
	ln target/reset.log named/reset.log
	run tt-smi -r 0 --sim p150a -y
	rc_is 0 "a log with two names does not stop the reset"
	err_code wrong-kind '' "and says that there is none"
	check "nothing is appended to it" [ "$(cat target/reset.log)" = victim ]
fi

done_testing
