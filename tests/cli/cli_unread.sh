# SPDX-License-Identifier: GPL-2.0-or-later
# How a card is read behind the driver, and metrics of one that can be read no more while they are
# published: no old value is passed off as a new one.  What sysfs still answers is new.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/kmd_lib.sh"

file=$work/metrics.prom
has_series() { has_line "$file" "^tt_smi_$1\{[^}]*\} $2"; }	# name value
begin() {	# board library words...
	plug "$@"
	rm -f "$file"
	KMD_ROOT=$root LD_PRELOAD=$shim tt-smi --textfile "$file" -i 0.1 2>"$err" &
	pid=$!
	await has_series asic_celsius '[0-9]'
}
end() {
	kill $pid
	wait $pid
}
for of in 'n150 wh' 'p150a bh'; do
	idle=500000000
	[ "$of" = 'n150 wh' ] || idle=800000000
	# shellcheck disable=SC2086
	begin $of
	touch "$root/private"
	await not has_series asic_celsius ''
	check "$of, a node that cannot be opened any more: no temperature" not has_series asic_celsius ''
	check "$of: no power" not has_series core_watts ''
	check "$of: sysfs has the clock, which is new" has_series aiclk_hertz "$idle\$"
	check "$of: whether its firmware lives is not known" not has_series up ''
	# A busy host may be late with a sample, but not with each.
	check "$of: and what is published has no age" await has_series sample_age_seconds '0$'
	rm "$root/private"
	await has_series asic_celsius '[0-9]'
	check "$of: the node can be opened again: all is back" has_series core_watts '[0-9]'
	touch "$root/ones"
	await has_series up '0$'
	check "$of, a card that answers no more: it is down" has_series up '0$'
	check "$of: none of its readings is published" not has_line "$file" '^tt_smi_(asic_celsius|core_watts|aiclk_hertz|sample_age_seconds)\{'
	end
done

# Words of the NOC: by the driver's own calls where it has them, or else through a window.
calls() { check "$4" [ "$(sed -n "s/^$1 //p" "$root/calls")" "-$2" "$3" ]; }
query() {
	smi --timeout 20 "$@" --query asic_temperature,busy_source --format csv,noheader,nounits
	await all_closed
}
for of in 'p150c:runtime bh' 'n150-new:runtime wh'; do
	# shellcheck disable=SC2086
	plug $of driver@2.12.0 noc@0
	query --busy
	check "$of: the driver's call reads counters in a core's memory" grep -Eqx '[0-9.]+, counters' "$out"
	calls read gt 148 "$of: word by word"
	calls window eq 0 "$of: and no window is taken"
	check "$of: nothing was done that must not be" [ ! -e "$root/wrong" ]
	for errno in 22 25 95; do
		# shellcheck disable=SC2086
		plug $of noc@$errno
		query --busy
		calls read eq 1 "$of, errno $errno: the call was tried once"
		calls window ge 1 "$of, errno $errno: and a window is used"
	done
	# shellcheck disable=SC2086
	plug $of noc@5
	query --busy
	check "$of: a call that is refused is not gone around" grep -Eqx '([0-9.]+, unreadable|N/A, N/A)' "$out"
	calls window eq 0 "$of: by a window"
done
begin p150a bh noc@0
touch "$root/refuse"
await not has_series asic_celsius ''
check "a call that has worked is refused for a reason" not has_series asic_celsius ''
rm "$root/refuse"
await has_series asic_celsius '[0-9]'
check "and is used again" has_series asic_celsius '[0-9]'
end
await all_closed
calls window eq 0 "while no window was taken"
plug p150a bh noc@13
smi -ls
out_has 'refuses to read a register: Permission denied' "why a driver refuses is said"
plug n150 wh noc@0
query
calls read eq 0 "a Wormhole's telemetry needs no call"
calls window eq 0 "and no window"
plug n300 wh noc@0
smi -s
await all_closed
check "a second chip is read through its first one" [ "$(grep -Ec '"asic_temperature": "[0-9]' "$out")" = 2 ]
calls write gt 0 "by words that the driver writes for us"
calls window eq 0 "and no window"
unplug
done_testing
