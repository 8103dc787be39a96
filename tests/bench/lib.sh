# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh - what the parts of make bench share: figures for the table, with what else went on
# while they were measured.  Sourced by run.sh's parts; FIGURES names the file, or is not set.

# Seconds: of the clock, of our children, of all processors, stolen, and that work waited.
bench_world() {
	times >"$FIGURES.times"
	{
		cat /proc/uptime "$FIGURES.times"
		sed -n 's/^cpu /cpu /p' /proc/stat
		sed -n 's/^some.*total=/waited /p' /proc/pressure/cpu 2>/dev/null
	} | awk -v hz="$(getconf CLK_TCK)" '
		function seconds(t,	p) { split(t, p, /[ms]/); return 60 * p[1] + p[2] }
		NR == 1 { wall = $1 }
		NR == 3 { own = seconds($1) + seconds($2) }
		$1 == "cpu" { busy = ($2 + $3 + $4 + $7 + $8) / hz; steal = $9 / hz }
		$1 == "waited" { waited = $2 / 1e6 }
		END { printf "%.2f %.3f %.2f %.2f %.3f\n", wall, own, busy, steal, waited }'
}

# bench_watch FILE, ..., bench_seen FILE: $world since then, as table.awk reads it.  Never in a
# subshell, which has no children.
bench_watch() {
	[ -z "${FIGURES:-}" ] || bench_world >"$1"
}
bench_seen() {
	world=
	[ -n "${FIGURES:-}" ] || return 0
	bench_world >"$1.now"
	world=$(cat "$1" "$1.now" | awk -v cpus="$(nproc)" '
		NR == 1 { for (i = 1; i <= 5; i++) was[i] = $i; next }
		{
			printf "cpus=%d wall=%.2f own=%.3f busy=%.2f steal=%.2f waited=%.3f\n", cpus, $1 - was[1],
				$2 - was[2], $3 - was[3], $4 - was[4], $5 - was[5]
		}')
}

# bench_figure FIGURE VALUE WORLD: a line for the table; VALUE "-" or "" has its reason for WORLD.
bench_figure() {
	[ -z "${FIGURES:-}" ] || printf '%s\t%s\t%s\n' "$1" "${2:--}" "${3:-no value}" >>"$FIGURES"
}
