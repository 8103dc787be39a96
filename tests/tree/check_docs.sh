# SPDX-License-Identifier: GPL-2.0-or-later
# Manual pages, README and help against the program: the option table, the field
# table, the exit codes, links and references.  check_examples.sh types the examples.
. "$top_srcdir/tests/rig/lib.sh"
man=$top_srcdir/man
pages=$(cd "$man" && ls)
readme=$top_srcdir/README.md

run tt-smi --dump-options
rc_is 0 "the option table can be listed"
cut -f1 "$out" | sort -u >options
check "the option table is not empty" test -s options

# ".It Fl wr , Fl Fl warm_reset Op Ar BOARDS" documents wr and warm_reset.
documented() {	# page...
	sed -n '/^\.It Fl /{ s/\\-/-/g; s/^\.It //; p; }' "$@" | awk '{
		for (i = 1; i < NF; i++)
			if ($i == "Fl" && $(i + 1) != "Fl") print $(i + 1)
	}' | sort
}

undocumented() { documented "$@" | uniq >in_manual; comm -23 options in_manual; }
invented() { documented "$@" | uniq >in_manual; comm -13 options in_manual; }
twice() { documented "$@" | uniq -d; }
section() {	# page heading: its lines
	awk -v heading=".Sh $2" '/^\.Sh / { on = $0 == heading } on' "$man/$1"
}

silent() {	# name command...: passes when it prints nothing
	name=$1
	shift
	"$@" >"$out" 2>"$err"
	check "$name" test ! -s "$out"
}

silent "every option has an entry in a page of the manual" undocumented "$man"/*
silent "every option of the manual exists" invented "$man"/*
silent "no option has an entry twice, in one page or in two" twice "$man"/*
cat "$man"/* >all.1
sed '/^\.It Fl s ,/d' all.1 >less.1
undocumented less.1 >"$out"
out_has snapshot "an option that the manual lacks is caught"
echo '.It Fl Fl frobnicate' >more.1
invented all.1 more.1 >"$out"
out_has frobnicate "an option that the program lacks is caught"
echo '.It Fl s , Fl Fl shot' >more.1
twice all.1 more.1 >"$out"
out_has s "an option that two pages have is caught"

# Each word that an option takes stands in its entry.
unsaid() {	# page...
	awk -F '\t' 'FNR == NR {
		if ($4 != "")
			words[$1] = $4
		next
	}
	/^\.(It Fl|El|Sh)/ { split("", of) }	# whose entry it is
	/^\.It / {
		n = split($0, word, " ")
		for (i = 2; i <= n; i++)
			if (word[i - 1] == "Fl")
				of[word[i]] = 1
	}
	{
		n = split($0, word, /[^A-Za-z0-9_.+-]+/)
		for (option in of)
			for (i = 1; i <= n; i++)
				said[option, word[i]] = 1
	}
	END {
		for (option in words)
			for (i = split(words[option], word, " "); i > 0; i--)
				if (!((option, word[i]) in said))
					print option ": " word[i]
	}' options.table "$@"
}
run tt-smi --dump-options
cp "$out" options.table
check "options have words" test "$(cut -f4 options.table | grep -c .)" -ge 6
silent "every word that an option takes stands in its entry" unsaid "$man"/*
sed 's/ramp/slope/' "$man/tt-smi-burnin.1" >other.1
unsaid other.1 >"$out"
out_has "pattern: ramp" "a word that the manual lacks is caught"

# Pages: each is installed, and leads to others that are there.
unlisted() {
	for page in $pages; do
		sed -n '/^dist_man_MANS = /,/[^\\]$/p' "$top_srcdir/Makefile.am" |
			grep -qE "[ 	]man/$page( |\$)" || echo "$page"
	done
}
silent "every page is installed" unlisted
nowhere() {	# page...: references to no page of ours, and to no heading of the page
	awk -v pages="$pages" 'BEGIN {
		for (n = split(pages, name); n > 0; n--)
			there[name[n]] = 1
	}
	/^\.S[hs] / { heading[FILENAME, substr($0, 5)] = 1 }
	match($0, /Xr tt-smi[a-z.-]* [0-9]/) {
		to = substr($0, RSTART + 3, RLENGTH - 3)
		sub(/ /, ".", to)
		if (!(to in there))
			print FILENAME ": " to
	}
	match($0, /Sx [A-Za-z -]*[A-Za-z]/) {
		from[++n_from] = FILENAME
		to_heading[n_from] = substr($0, RSTART + 3, RLENGTH - 3)
	}
	END {
		for (i = 1; i <= n_from; i++)
			if (!((from[i], to_heading[i]) in heading))
				print from[i] ": " to_heading[i]
	}' "$@"
}
silent "every reference of the manual leads somewhere" nowhere "$man"/*
printf '.Xr tt-smi-nowhere 1\n.Sx NOWHERE .\n' >wrong.1
nowhere wrong.1 >"$out"
check "a reference that leads nowhere is caught" test "$(grep -ci nowhere "$out")" -eq 2
unnamed() {
	for page in $pages; do
		[ "$page" = tt-smi.1 ] && continue
		name=${page%.*} number=${page##*.}
		section tt-smi.1 'SEE ALSO' | grep -q "^\.Xr $name $number" || echo "tt-smi.1: $page"
		section "$page" 'SEE ALSO' | grep -q '^\.Xr tt-smi 1' || echo "$page: tt-smi(1)"
	done
}
silent "tt-smi(1) names every page under SEE ALSO, and each names it" unnamed

run tt-smi -b help
rc_is 0 "help of -b works"
cp "$out" help
run tt-smi -h
rc_is 0 "help works"
cat "$out" >>help
unhelped() {
	while read -r option; do
		grep -qE -e "(^|[ ,])--?$option([], ]|\$)" help || echo "$option"
	done <options
}
silent "every option is in the help" unhelped

# The checks of --health: the table and the manual's list.
tt-smi --health --checks help | awk '!NF { exit } { print $1 }' | sort >checks
section tt-smi.1 HEALTH | sed -n 's/^\.It Li //p' | sort >checks.man
check "the manual lists the checks of --health" cmp -s checks checks.man

# Stages of --diag: each has its row, a time in the longest level (one without is never run), and
# its line in the manual.
diag=$top_srcdir/src/diag
sed -n '/^enum diag_stage_id/,/DIAG_STAGES/p' "$diag/diag.h" | grep -o 'DIAG_[A-Z_]*' |
	grep -v DIAG_STAGES >stages
sed -n 's/^	\[\(DIAG_[A-Z_]*\)\] = { .*/\1/p' "$diag/diag.c" >stages.rows
check "each stage of --diag has its row, in the order of the stages" cmp -s stages stages.rows
sed -n '/"about 15 minutes"/,/^	*\./p' "$diag/diag.c" | grep -o 'DIAG_[A-Z_]*' >stages.run
check "each is run by the longest level" cmp -s stages stages.run
sed -n 's/^	\[DIAG_[A-Z_]*\] = { "\([a-z-]*\)".*/\1/p' "$diag/diag.c" >stages
section tt-smi-burnin.1 DIAG | sed -n 's/^\.It Li //p' >stages.man
check "the manual lists the stages of --diag" cmp -s stages stages.man

# The keys of the configuration: the table, its page and the example, which says all defaults.
conf_keys() { sed -n '/^;\{0,1\}\[/q; s/^;\{0,1\}\([a-z_]*\) = .*/\1/p' "$1"; }
tt-smi --config-print >settings
conf_keys settings >keys
check "there are keys" test "$(wc -l <keys)" -gt 15
section tt-smi.conf.5 KEYS | sed -n 's/^\.It Ic //p' >keys.man
check "tt-smi.conf(5) lists the keys" cmp -s keys keys.man
example=$top_srcdir/contrib/config/tt-smi.conf
conf_keys "$example" >keys.example
check "the example has the keys" cmp -s keys keys.example
cp "$top_srcdir/health/floors.conf" .
echo '{ "kmd": "2.9.0" }' >golden.json
sed -n "s,/etc/tt-smi/,$PWD/,; s/^;\\([[a-z].*\\)/\\1/p" "$example" >set.conf
run tt-smi --config-check set.conf
rc_is 0 "and values that are good"

# Exit codes: src/say.h, the manual's list, the README's table.
sed -n 's/^[[:space:]]*EXIT_[A-Z_]* = \([0-9]*\),\{0,1\}$/\1/p' "$top_srcdir/src/say.h" >codes
check "exit.h has its codes" test "$(wc -l <codes)" -ge 7
section tt-smi.1 'EXIT STATUS' | sed -n 's/^\.It \([0-9]\)$/\1/p' >codes.man
check "the manual lists the exit codes of src/say.h" cmp -s codes codes.man
sed -n 's/^| \([0-9]\) | [^|]* |$/\1/p' "$readme" >codes.readme
check "the README lists the exit codes of src/say.h" cmp -s codes codes.readme

# What is new begins with this version, and so does the section of any other.
version=$(sed -n 's/^AC_INIT(\[[^]]*\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
check "the newest version in NEWS is this one" test \
	"$(grep -m 1 '^tt-smi [0-9]' "$top_srcdir/NEWS")" = "tt-smi $version"

# Where bugs go: AC_INIT's field is the one place that says it.
bugs=$(sed -n 's/^AC_INIT(\[[^]]*\], \[[^]]*\], \[\([^]]*\)\])$/\1/p' "$top_srcdir/configure.ac")
check "configure.ac names where bugs go" test -n "$bugs"
check "the help ends with it" test "$(tail -n 1 help)" = "Report bugs in $bugs."
check "the manual and the README say the same" sh -c '
	grep -qF "Report bugs in $1" "$2" && grep -qF "Report bugs in $1" "$3"' - "$bugs" "$man/tt-smi.1" "$readme"

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
section tt-smi-json.5 FINDINGS | sed -n 's/^\.It Li //p' | sort >findings.man
silent "the manual tells what each finding means" diff findings findings.man

# Codes: likewise.
sed -n 's/^\t\[CODE_[A-Z_]*\] = "\([a-z-]*\)",$/\1/p' "$top_srcdir/base/error.c" | sed '/^$/d' | sort >codes
check "the source has codes" test "$(wc -l <codes)" -ge 50
section tt-smi-json.5 CODES | sed -n 's/^\.It Li //p' | sort >codes.man
silent "the manual says what each code means" diff codes codes.man
sed -n 's/^	\[ACTION_[A-Z_]*\] = "\([a-z-]*\)",$/\1/p' "$top_srcdir/report/finding.c" | sort >actions
check "the program has codes of next steps" test "$(wc -l <actions)" -ge 11
section tt-smi-json.5 'NEXT STEPS' | sed -n 's/^\.It Li //p' | sort >actions.man
silent "the manual says what each next step means" diff actions actions.man
schema_actions() {
	sed -n '/"action": {$/,/}/s/.*"enum": \[\(.*\)\]/\1/p' "$top_srcdir/output/snapshot.schema.json" |
		tr -d '" ' | tr ',' '\n' | sort | diff actions -
}
silent "the schema of snapshots has these" schema_actions
unused_codes() {
	{
		(cd "$top_srcdir" && grep -rhoE 'CODE_[A-Z_]+' --include='*.c' --exclude=error.c $rooms)
		grep -v '^	\[CODE_' "$top_srcdir/base/error.c" | grep -oE 'CODE_[A-Z_]+'
		printf 'CODE_%s\n' NONE FAILED
	} | sort -u >used
	sed -n 's/^\t\(CODE_[A-Z_]*\),$/\1/p' "$top_srcdir/base/error.h" | sort | comm -23 - used
}
silent "each code is used" unused_codes

# Metrics: --metrics help, the manual's list.
run tt-smi --metrics help
cut -d' ' -f1 "$out" | sort -u >metrics
check "the program has metrics" test "$(wc -l <metrics)" -ge 60
section tt-smi-metrics.7 METRICS | sed -n 's/^\.It Li //p' | sort >metrics.man
silent "the manual says what each metric is" diff metrics metrics.man

lint() { (cd "$man" && mandoc -T lint $pages); }	# from there, it finds the pages that they name
if command -v mandoc >/dev/null; then
	silent "mandoc has nothing to say of the manual" lint
else
	skip "mandoc has nothing to say of the manual" "no mandoc"
fi

# JSON: each key of a document, and of what it lists, stands in its section of tt-smi-json(5).
unwritten() {	# section: keys of document that the page does not have
	{ section tt-smi-json.5 DESCRIPTION; section tt-smi-json.5 "$1"; } | grep -E '^\.(It |Pq )?Li ' |
		tr -cs 'a-z0-9_' '\n' | sort -u >keys.man
	jq -r '[paths | select(length == 1 or (length == 3 and (.[1] | type) == "number")) | .[-1] | strings] |
		unique[]' document | sort | comm -23 - keys.man >missing
	sed "s/^/$1: /" missing
}
json() {	# section command...
	heading=$1
	shift
	TT_SMI_SIM='2*p150a' TT_SMI_SIM_SPEED=5 run "$@"
	cp "$out" document
	check "$heading: it is JSON" sh -c "jq . document >/dev/null && test -s document"
	silent "$heading: each key is in tt-smi-json(5)" unwritten "$heading"
}
report() {	# section option...: the same of a file
	heading=$1
	shift
	TT_SMI_SIM='2*p150a' TT_SMI_SIM_SPEED=5 run tt-smi --report report.json "$@"
	json "$heading" cat report.json
}
if command -v jq >/dev/null; then
	json SNAPSHOT tt-smi -s --json
	cp document snapshot.json
	json LIST tt-smi -ls --json
	json HEALTH tt-smi --health --json
	json COMPARISON tt-smi --compare snapshot.json --json
	json LINKS tt-smi --links --against snapshot.json --json
	json IMAGE tt-smi --image --json
	json 'CHECK OF MEMORY' tt-smi --check-memory --size 64K --json
	report RECEIPT --during -- true
	run tt-smi -d -dur 1 -dir a_dump --sim p150a
	json DUMP cat a_dump/index.json
	json DUMP tt-smi -d 0.1 -i 0.1 --ndjson --sim p150a
	report BURN -b all -dur 1
	json 'MANY HOSTS' tt-smi --merge report.json --json
	report DIAG --diag 1 --sim p150a
	report RESET -r 0
	TT_SMI_SIM=p150a run tt-smi --bundle a_bundle.tar.gz
	json BUNDLE tar -xzOf a_bundle.tar.gz tt-smi-bundle/bundle.json
	echo '{"boards": [{"frobnicated": 1}]}' >document
	unwritten LIST >"$out"
	check "a key that nobody wrote down is caught" grep -q frobnicated "$out"
else
	skip "each key of the JSON is in tt-smi-json(5)" "no jq"
fi

# Links of README and guides lead to files, and to headings of theirs.
astray() {	# file...
	for page; do
		grep -oE '\]\([^)]*\)' "$page" | tr -d '])(' | grep -v '^https*:' | while IFS='#' read -r to part; do
			to=$(dirname "$page")/${to:-$(basename "$page")}
			test -e "$to" || echo "$page: $to"
			[ -z "$part" ] || sed -n 's/^##* //p' "$to" | tr 'A-Z ' 'a-z-' | tr -d "?'" |
				grep -qx -e "$part" || echo "$page: $to#$part"
		done
	done
}
silent "every link of README and guides leads somewhere" astray "$top_srcdir"/*.md "$top_srcdir"/doc/*.md
printf '[a](nowhere.md) [b](#nowhere)\n' >wrong.md
astray wrong.md >"$out"
check "a link that leads nowhere is caught" test "$(grep -c nowhere "$out")" -eq 2

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

# Keys: the help page of the live display and the manual's list.
keys() {	# words of the keys, one a line, those that ASCII has
	tr -d '\\&' | tr ' ' '\n' | grep -E '^[!-~]+$' | sort -u
}
sed -n '/"Tabs"/,/"Signs"/s/^	{ "\([^"]*\)", .*/\1/p' "$top_srcdir/ui/panel.c" | keys >keys.ui
section tt-smi.1 'LIVE DISPLAY' | sed -n 's/^\.It Ic //p' | keys >keys.man
check "the help page has keys" test "$(wc -l <keys.ui)" -gt 20
silent "the manual has the keys of the help page" diff keys.ui keys.man

done_testing
