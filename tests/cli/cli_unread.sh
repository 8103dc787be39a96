# SPDX-License-Identifier: GPL-2.0-or-later
# Metrics of a card that can be read no more while they are published: no old value is passed off as
# a new one.  What sysfs still answers is new.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/kmd_lib.sh"

file=$work/metrics.prom
has_series() { has_line "$file" "^tt_smi_$1\{[^}]*\} $2"; }	# name value
begin() {	# board library
	plug "$1" "$2"
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
done_testing
