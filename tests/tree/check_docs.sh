# SPDX-License-Identifier: GPL-2.0-or-later
# Manual, README and help against the program: the option table, the field
# table, the exit codes, and every example that needs no card.
. "$top_srcdir/tests/rig/lib.sh"
man=$top_srcdir/man/tt-smi.1
readme=$top_srcdir/README.md

run tt-smi --dump-options
rc_is 0 "the option table can be listed"
cut -f1 "$out" | sort -u >options
check "the option table is not empty" test -s options

# ".It Fl wr , Fl Fl warm_reset Op Ar BOARDS" documents wr and warm_reset.
documented() {	# manual
	sed -n '/^\.It Fl /{ s/\\-/-/g; s/^\.It //; p; }' "$1" | awk '{
		for (i = 1; i < NF; i++)
			if ($i == "Fl" && $(i + 1) != "Fl") print $(i + 1)
	}' | sort -u
}

undocumented() { documented "$1" >in_manual; comm -23 options in_manual; }
invented() { documented "$1" >in_manual; comm -13 options in_manual; }

silent() {	# name command...: passes when it prints nothing
	name=$1
	shift
	"$@" >"$out" 2>"$err"
	check "$name" test ! -s "$out"
}

silent "every option has an entry in the manual" undocumented "$man"
silent "every option of the manual exists" invented "$man"
sed '/^\.It Fl s ,/d' "$man" >less.1
undocumented less.1 >"$out"
out_has snapshot "an option that the manual lacks is caught"
{ cat "$man"; echo '.It Fl Fl frobnicate'; } >more.1
invented more.1 >"$out"
out_has frobnicate "an option that the program lacks is caught"

run tt-smi -h
rc_is 0 "help works"
cp "$out" help
unhelped() {
	while read -r option; do
		grep -qE -e "(^|[ ,])--?$option([], ]|\$)" help || echo "$option"
	done <options
}
silent "every option is in the help" unhelped

# The checks of --health: the table and the manual's list.
tt-smi --health --checks help | awk '{ print $1 }' | sort >checks
sed -n '/^\.Sh HEALTH/,/^\.Sh LIST/s/^\.It Li //p' "$man" | sort >checks.man
check "the manual lists the checks of --health" cmp -s checks checks.man

# Exit codes: src/exit.h, the manual's list, the README's table.
sed -n 's/^[[:space:]]*EXIT_[A-Z_]* = \([0-9]*\),\{0,1\}$/\1/p' "$top_srcdir/src/exit.h" >codes
check "exit.h has its codes" test "$(wc -l <codes)" -ge 7
sed -n '/^\.Sh EXIT STATUS/,/^\.Sh EXAMPLES/s/^\.It \([0-9]\)$/\1/p' "$man" >codes.man
check "the manual lists the exit codes of src/exit.h" cmp -s codes codes.man
sed -n 's/^| \([0-9]\) | [^|]* |$/\1/p' "$readme" >codes.readme
check "the README lists the exit codes of src/exit.h" cmp -s codes codes.readme

# Where bugs go: AC_INIT's field is the one place that says it.
bugs=$(sed -n 's/^AC_INIT(\[[^]]*\], \[[^]]*\], \[\([^]]*\)\])$/\1/p' "$top_srcdir/configure.ac")
check "configure.ac names where bugs go" test -n "$bugs"
check "the help ends with it" test "$(tail -n 1 help)" = "Report bugs in $bugs."
check "the manual and the README say the same" sh -c '
	grep -qF "Report bugs in $1" "$2" && grep -qF "Report bugs in $1" "$3"' - "$bugs" "$man" "$readme"

# Fields: --fields help has each key with a sentence; readings use no other key.
run tt-smi --fields help
rc_is 0 "the field table can be listed"
cp "$out" fields
run tt-smi -s --json --sim 'n150,p150a,e150'
if command -v jq >/dev/null; then
	jq -r '[.device_info[].readings | keys[]] | unique[]' "$out" >keys 2>"$err"
	check "a snapshot has readings" test -s keys
	undescribed() {
		while read -r key; do
			grep -qE "^ *$key +.*[a-z0-9)]\\.\$" fields || echo "$key"
		done <keys
	}
	silent "every key of a snapshot's readings is described by --fields help" undescribed
else
	skip "every key of a snapshot's readings is described by --fields help" "no jq"
fi

# Findings: each id that the source gives is in the manual, and no other.
sed -n -e 's/.*judge_add([a-z]*, "\([a-z-]*\)".*/\1/p' -e 's/.*\.finding = "\([a-z-]*\)".*/\1/p' \
	"$top_srcdir"/telemetry/*.c "$top_srcdir"/telemetry/*/*.c |
	sort -u >findings
check "the source has findings" test "$(wc -l <findings)" -ge 8
sed -n '/^\.Sh FINDINGS/,/^\.Sh HEALTH/s/^\.It Li //p' "$man" | sort -u >findings.man
silent "the manual tells what each finding means" diff findings findings.man

# Metrics: --metrics help, the manual's list.
run tt-smi --metrics help
cut -d' ' -f1 "$out" | sort -u >metrics
check "the program has metrics" test "$(wc -l <metrics)" -ge 60
sed -n '/^\.Sh METRICS/,/^\.Sh BURN-IN/s/^\.It Li //p' "$man" | sort -u >metrics.man
silent "the manual says what each metric is" diff metrics metrics.man

if command -v mandoc >/dev/null; then
	silent "mandoc has nothing to say of the manual" mandoc -T lint "$man"
else
	skip "mandoc has nothing to say of the manual" "no mandoc"
fi

# HACKING names files by their path: each has to be there ("NAME" stands for a new one).
gone() {
	grep -oE '`[a-z]+/([a-zA-Z0-9_*/]*(/|\.[a-z0-9]+))?`' "$top_srcdir/HACKING.md" | tr -d '`' | sort -u |
		while read -r f; do
			case $f in *NAME*) continue ;; reset/ | dev/) continue ;; esac
			for found in "$top_srcdir"/$f; do
				[ -e "$found" ] || echo "$f"
			done
		done
}
silent "every file that HACKING names exists" gone

# The README's list is what the program prints.
sed -n '/^\$ tt-smi -ls /,/^```/{ /^\$/d; /^```/d; p; }' "$readme" >list
check "the README shows a list" test -s list
run tt-smi -ls --sim 'n300,p150a:hang' --strict	# as on a terminal
cat "$out" "$err" >listed
silent "the README's list is what the program prints, stderr and all" diff list listed

# Keys: the help page of the live display and the manual's list.
keys() {	# words of the keys, one a line, those that ASCII has
	tr -d '\\&' | tr ' ' '\n' | grep -E '^[!-~]+$' | sort -u
}
sed -n '/"Tabs"/,/"Signs"/s/^	{ "\([^"]*\)", .*/\1/p' "$top_srcdir/ui/panel.c" | keys >keys.ui
sed -n '/^\.Sh LIVE/,/^\.Sh SNAP/s/^\.It Ic //p' "$man" | keys >keys.man
check "the help page has keys" test "$(wc -l <keys.ui)" -gt 20
silent "the manual has the keys of the help page" diff keys.ui keys.man

# Examples: "$ tt-smi ..." lines with --sim, run as they stand.  What is the live
# display on a terminal (the tmux tests have one) is the overview here.
examples() {
	sed -n -e 's/^ *\$ \(tt-smi .*--sim.*\)$/\1/p' -e 's/^ *\$ \(tt-smi --burnin .*\)$/\1/p' \
		"$man" "$readme"
}
examples >list
check "manual and README have examples that run anywhere" test "$(wc -l <list)" -ge 8
while IFS= read -r line; do
	case $line in
	*jq*) command -v jq >/dev/null || { skip "example: $line" "no jq"; continue; } ;;
	esac
	run timeout 60 sh -c "$line"
	case $line in
	*"|"*) check "example prints something: $line" test -s "$out" ;;
	*--burnin*) rc_is 0 "example: $line" ;;
	*" -r "*:narrow*) rc_is 5 "example: $line" ;;
	*:hang*)
		rc_is 0 "example: $line"
		run timeout 60 sh -c "$line --strict"
		rc_is 4 "example, as on a terminal: $line"
		;;
	*" -s"* | *" -ls"* | *" -d"* | *--finish* | *--fields*) rc_is 0 "example: $line" ;;
	*) rc_is 0 "example: $line" ;;
	esac
done <list

done_testing
