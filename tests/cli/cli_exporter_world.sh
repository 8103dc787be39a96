# SPDX-License-Identifier: GPL-2.0-or-later
# --exporter in a host's life: no card yet, the driver comes, goes and comes again, a card that
# leaves and one beside it that stays, a clock that is set; and as a user of its own.
. "$top_srcdir/tests/rig/lib.sh"

text=$work/tt-smi.prom
begin() {	# options...
	: >said
	tt-smi --textfile "$text" -i 0.1 "$@" >printed 2>said &
	pid=$!
	await test -s "$text"
}
finish() {
	kill -TERM $pid
	wait $pid
	rc=$?
	rc_is 0 "SIGTERM ends it: $1"
}
shows() { await grep -qE -e "$1" "$text"; result $? "$2"; }
lacks() { ! grep -qE -e "$1" "$text"; result $? "$2"; }

# What a driver makes and takes away in a recorded tree, whose firmware is alive
cp -R "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
card=sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0
made="sys/class/tenstorrent sys/module/tenstorrent proc/driver/tenstorrent dev/tenstorrent $card/driver $card/hwmon $card/tenstorrent"
carry() {	# from to
	for path in $made; do
		mkdir -p "$2/${path%/*}"
		mv "$1/$path" "$2/$path" || return
	done
}
beat() {
	n=1000
	while sleep 0.1; do
		n=$((n + 1))
		for file in tree away; do
			[ ! -e $file/$card/tenstorrent ] ||
				echo $n >"$file/$card/tenstorrent/tenstorrent!0/tt_heartbeat"
		done
	done 2>/dev/null
}
beat &
beater=$!
carry tree away
check "a host whose driver is not loaded yet" test ! -e tree/sys/class/tenstorrent
begin --root "$work/tree"
shows '^tt_smi_sample_timestamp_seconds ' "has metrics"
lacks '^tt_smi_up.* 1$' "and no card that is up"
carry away tree
shows '^tt_smi_up\{.*\} 1$' "the driver is loaded: its card is up"
shows '^tt_smi_asic_celsius\{' "and is read"
carry tree away
shows '^tt_smi_up\{.*\} 0$' "the driver is unloaded: the card is down"
lacks '^tt_smi_asic_celsius\{' "without readings"
shows '^tt_smi_chips_expected 1$' "and is expected"
carry away tree
shows '^tt_smi_up\{.*\} 1$' "it is loaded again: the card is up"
shows '^tt_smi_asic_celsius\{' "and read again"
mv tree/sys/bus/pci/devices/0000:01:00.0 kept
carry tree away
shows '^tt_smi_down_info\{.*reason="missing"\} 1$' "the card leaves the bus: it is missing"
shows '^tt_smi_chips_present 0$' "and none is there"
mv kept tree/sys/bus/pci/devices/0000:01:00.0
carry away tree
shows '^tt_smi_up\{.*\} 1$' "it is back: up again"
lacks '^tt_smi_down_info' "without a reason to be down"
descriptors() { find "/proc/$pid/fd" | wc -l; }
before=$(descriptors)
for _ in 1 2 3; do
	carry tree away
	await grep -qE '^tt_smi_up\{.*\} 0$' "$text"
	carry away tree
	await grep -qE '^tt_smi_up\{.*\} 1$' "$text"
done
# But while it writes; and two processes at rest are kept, each with a socket.
has_no_more() { [ "$(descriptors)" -le $((before + 2)) ]; }
check "three times more leave no descriptor behind" await has_no_more
finish "the driver came and went"
kill $beater
wait $beater 2>/dev/null

# A card that goes has no say in the one beside it
begin --sim 'p150a:gone@1,p150a'
shows '^tt_smi_down_info\{bdf="0000:01:00.0",chip="0",reason="missing"\} 1$' "a card goes"
shows '^tt_smi_up\{bdf="0000:02:00.0",chip="0"\} 1$' "the other stays up"
shows '^tt_smi_sample_age_seconds\{bdf="0000:02:00.0",chip="0"\} 0$' "and is sampled"
finish "a card went"

# Somebody sets the clock
stamp() { sed -n 's/^tt_smi_sample_timestamp_seconds \([0-9]*\).*/\1/p' "$text"; }
is_at() { [ "$(stamp)" -ge "$1" ] && [ "$(stamp)" -le $(($1 + 3000)) ]; }
echo 0 >step
CLOCK_STEP=$work/step LD_PRELOAD=$(shim clock_shim)
export CLOCK_STEP LD_PRELOAD
begin --sim '2*p150a'
unset LD_PRELOAD
first=$(stamp)
for by in -7200 90000 0; do
	echo $by >next
	mv next step
	check "the clock is off by $by s: samples go on, and say so" await is_at $((first + by))
	shows '^tt_smi_sample_age_seconds\{bdf="0000:01:00.0",chip="0"\} 0$' "they are of now"
	check "and both cards are up" [ "$(grep -c '^tt_smi_up{.* 1$' "$text")" = 2 ]
done
check "without a word" test ! -s said
finish "the clock was set"

# A user of its own, who may write to the state directory alone
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && command -v unshare >/dev/null &&
	unshare -m true 2>/dev/null; then
	chmod 755 "$work"
	mkdir -m 700 own
	chown 65534 own
	cp "$TT_SMI" own.tt-smi
	rm -f "$text"
	run unshare -m sh -c 'mount --rbind / /mnt && mount -o remount,bind,ro /mnt &&
		mount --bind "$1/own" "/mnt$1/own" && mount -o remount,bind,rw "/mnt$1/own" &&
		exec chroot /mnt setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --no-new-privs \
			env TT_SMI_STATE_DIR="$1/own" "$1/own.tt-smi" --textfile "$1/own/x.prom" --once --sim 2*p150a' - "$work"
	rc_is 0 "a user of its own, on a system that is read-only but for its state"
	err_empty "without a complaint"
	check "has its text" grep -q '^tt_smi_chips_present 2$' own/x.prom
	check "and what is kept" grep -q '^highest 2$' own/roster-sim
else
	skip "a user of its own" "needs root, setpriv and a mount namespace"
fi

done_testing
