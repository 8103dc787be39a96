# SPDX-License-Identifier: GPL-2.0-or-later
# make proof-systemd: the unit of contrib/systemd as a service of a real systemd, which is started in a
# bare Debian of its own (systemd-nspawn) with four simulated boards: it serves metrics as a user of its
# own, keeps its counters where only it may write, is started again when it is killed, goes on counting
# there, and leaves no process behind when it is stopped.
top=$(CDPATH='' cd -- "$top_srcdir" && pwd) || exit 1
command -v systemd-nspawn >/dev/null || { echo "no systemd-nspawn here: Debian's systemd-container"; exit 77; }
called=systemd
. "$top/tests/rig/root_lib.sh"
. "$top/tests/rig/lib.sh"
trap 'leave; rm -rf "$made"; remove_work' EXIT

system=bookworm
bare $system && enter $system || { tail -n 20 "$cache/$system.log"; exit 1; }
apt update && apt install --no-install-recommends systemd systemd-sysv dbus libnss-systemd procps curl \
	libncursesw6 libcjson1 libpci3 libmicrohttpd12 >"$work/apt.log" 2>&1 || { tail -n 20 "$work/apt.log"; exit 1; }
umount "$root/proc" "$root/dev/pts" "$root/dev/shm"
make -s -C "$top_builddir" install DESTDIR="$root" prefix=/usr/local >"$work/install.log" 2>&1 ||
	{ tail -n 20 "$work/install.log"; exit 1; }

units=$root/etc/systemd/system
cp "$top/contrib/systemd/tt-smi-exporter.service" "$units/"
mkdir -p "$units/tt-smi-exporter.service.d" "$units/multi-user.target.wants" "$root/out"
printf '[Service]\nEnvironment=TT_SMI_SIM=4*p150a\n' >"$units/tt-smi-exporter.service.d/sim.conf"
cat >"$units/proof.service" <<'END'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh /out/proof.sh
ExecStopPost=/bin/systemctl poweroff --force --no-block
[Install]
WantedBy=multi-user.target
END
ln -s ../proof.service "$units/multi-user.target.wants/proof.service"

# What is asked inside, an answer a file.
cat >"$root/out/proof.sh" <<'END'
cd /out || exit 1
unit=tt-smi-exporter
await() {	# seconds, command...
	for _ in $(seq $(($1 * 5))); do
		(shift; "$@" >/dev/null 2>&1) && return 0
		sleep 0.2
	done
}
energy() { curl -s http://127.0.0.1:9107/metrics | sed -n 's/^tt_smi_core_energy_joules_total{bdf="0000:01:00.0".* //p'; }
counts() { [ -n "$(energy)" ] && [ "$(energy)" != 0 ]; }
systemd-analyze verify $unit.service 2>&1 | grep -v "Command 'man " >verify	# no man in here
systemctl start $unit >start 2>&1
await 60 curl -sf http://127.0.0.1:9107/ready
await 60 counts
curl -s http://127.0.0.1:9107/metrics >metrics
energy >before
ps -eo user:32,args | grep '[/]tt-smi --exporter' >users
ls -l /var/lib/private/tt-smi >state
systemctl kill -s KILL $unit
await 60 sh -c "systemctl show -p NRestarts $unit | grep -q =1"
await 60 curl -sf http://127.0.0.1:9107/ready
await 60 counts
energy >after
journalctl -o cat -u $unit >journal 2>&1
systemctl show -p NRestarts $unit >restarts
systemctl stop $unit
systemctl show -p Result $unit >stopped
pgrep -a tt-smi >left
END
timeout 300 systemd-nspawn -q -D "$root" --register=no --keep-unit -b </dev/null >"$work/boot.log" 2>&1
said=$root/out
if [ ! -e "$said/left" ]; then
	grep -q 'Detected virtualization' "$work/boot.log" || { tail -n 3 "$work/boot.log"; echo "systemd does not start here"; exit 77; }
	tail -n 20 "$work/boot.log"
fi

check "the unit is written as systemd wants it" test ! -s "$said/verify"
check "it starts" test ! -s "$said/start"
check "four cards are up" test "$(grep -c '^tt_smi_up{.*} 1$' "$said/metrics")" = 4
check "it is not root's" sh -c "test -s '$said/users' && ! grep -v '^tt-smi-exporter ' '$said/users'"
check "its counters are a file of its own user" grep -q 'tt-smi-exporter.*counters-sim' "$said/state"
check "one that is killed is started again" grep -qx 'NRestarts=1' "$said/restarts"
check "and counts on from where it was" awk 'NR == FNR { before = $1; next } { exit !(before > 0 && $1 >= before) }' \
	"$said/before" "$said/after"
check "its journal has no trouble" sh -c "grep -q 'metrics at' '$said/journal' && ! grep -qiE 'torn|cannot|denied|not kept' '$said/journal'"
check "stopped, it has ended well" grep -qx 'Result=success' "$said/stopped"
check "and leaves no process" test ! -s "$said/left"
done_testing
