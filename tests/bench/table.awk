# SPDX-License-Identifier: GPL-2.0-or-later
# table.awk - the table of make bench: each figure beside its goal, what falls short, and what
# cannot be said.
#   awk -v kind=halves -f table.awk goals.tsv FIGURES
# Of FIGURES a line is: figure TAB value TAB world, as lib.sh writes it.  World is what went on
# meanwhile, in seconds of wall clock and of processors: "cpus=2 wall=10 own=19 busy=19.2 steal=0
# waited=0.1"; own is the processor time of what was measured, busy that of everybody, steal what the
# hypervisor took, and waited how long somebody who could run had no processor.  Of a machine that
# was busy no figure is printed: it belongs to the others as much as to us.  A world of "judged, 13
# rows of 15" is of samples that were judged one by one: it is printed, and the rows if some are
# missing.  A value of "-" has its reason in the place of world.
BEGIN {
	FS = "\t"
	kinds["half"] = 3; kinds["halves"] = 4; kinds["twice"] = 5; kinds["tiles"] = 6
	kinds["avx2"] = 7
	column = kind in kinds ? kinds[kind] : 8
}

function had(world, name,	n, part, i, pair) {
	n = split(world, part, " ")
	for (i = 1; i <= n; i++) {
		split(part[i], pair, "=")
		if (pair[1] == name)
			return pair[2] + 0
	}
	return -1
}

# Why figures of that time belong to others, too; "" if they do not.
function why_busy(world,	all, others, steal, waited) {
	if (world ~ /^judged, /)
		return ""
	all = had(world, "cpus") * had(world, "wall")
	if (had(world, "cpus") <= 0 || had(world, "wall") <= 0)
		return "it is not known what else ran"
	others = (had(world, "busy") - had(world, "own")) / all
	steal = had(world, "steal") / all
	waited = had(world, "waited") / had(world, "wall")
	if (others > 0.1)
		return sprintf("busy: others had %.0f %% of the processors", 100 * others)
	if (steal > 0.02)
		return sprintf("busy: the hypervisor took %.0f %% of the processors", 100 * steal)
	if (waited > 0.2)
		return sprintf("busy: work waited for a processor %.0f %% of the time", 100 * waited)
	return ""
}

# "13 rows of 15": those that the figure is of, where they are not all.
function rows_of(world,	part) {
	split(world, part, " ")
	return world ~ /^judged, / && part[2] != part[5] ? substr(world, 9) : ""
}

function meets(value, goal) {
	if (substr(goal, 1, 2) == ">=")
		return value >= substr(goal, 3) + 0
	return value <= substr(goal, 3) + 0
}

# The first file: goals, in the order of the table.
FNR == NR {
	if ($0 !~ /^#/ && NF == 9) {
		order[++n] = $1
		unit[$1] = $2
		goal[$1] = $column
		what[$1] = $9
	}
	next
}

{
	value[$1] = $2
	world[$1] = $3
}

END {
	printf "%-58s %9s %9s\n", "", "measured", "goal"
	for (i = 1; i <= n; i++) {
		f = order[i]
		if (!(f in value)) {
			missing++
			continue
		}
		why = value[f] == "-" ? world[f] : why_busy(world[f])
		text = why != "" ? "-" : sprintf(unit[f] == "x" ? "%.2f" : "%.1f", value[f])
		mark = why
		if (why == "" && goal[f] != "-" && !meets(value[f] + 0, goal[f])) {
			mark = "SHORT"
			short++
		}
		if (why == "" && rows_of(world[f]) != "")
			mark = mark (mark != "" ? ", " : "") rows_of(world[f])
		unknown += why != ""
		shown++
		aim = goal[f]
		sub(/^[<>]=/, "& ", aim)
		printf "%-58s %6s %-2s %9s%s\n", what[f], text, unit[f], aim, mark != "" ? "  " mark : ""
	}
	printf "%d figures: %d short of the goal, %d not known, %d not measured in this run\n",
		shown + missing, short, unknown, missing
}
