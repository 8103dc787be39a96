# SPDX-License-Identifier: GPL-2.0-or-later
# What of HACKING.md's style a grep can see.  clang-format is no judge here:
# version 14 tears hand-aligned tables and member comments apart.
. "$top_srcdir/tests/rig/lib.sh"

c_files() {	# tree: all C of the project
	(cd "$1" && find $rooms tests -name '*.[ch]' 2>/dev/null | sort)
}

scripts() {
	(cd "$1" && find dev .ci/run tests contrib/slurm -name corpus -prune -o \( -name '*.sh' -o -name dev -o \
		-name run -o -path 'contrib/slurm/*' \) -type f -print 2>/dev/null | sort)
}

all_code() { c_files "$1"; scripts "$1"; }

per_file() {	# tree list-command awk-program: the program prints what is wrong, FILENAME:line
	(cd "$1" && $2 . | xargs -r awk "$3")
}

no_spdx() {
	per_file "$1" c_files 'FNR == 1 && $0 != "/* SPDX-License-Identifier: GPL-2.0-or-later */" {
		print FILENAME ":1: " $0 }'
	per_file "$1" scripts '/^#!/ && FNR == 1 { next }
		{ if ($0 != "# SPDX-License-Identifier: GPL-2.0-or-later") print FILENAME ": " $0; nextfile }'
}

no_config() {
	per_file "$1" c_files 'FILENAME ~ /\.c$/ && FILENAME !~ /burnin\/firmware\// && /^#[ \t]*include/ {
		if ($0 != "#include \"config.h\"") print FILENAME ":" FNR ": " $0
		nextfile }'
}

no_pragma() {
	per_file "$1" c_files 'FILENAME ~ /\.h$/ && /^#/ {
		if ($0 != "#pragma once") print FILENAME ":" FNR ": " $0
		nextfile }'
}

wide() {	# columns, tabs at 8; the locale is UTF-8; a row of text in a test stays in one piece
	per_file "$1" c_files '{
		if (length($0) + 7 * gsub(/\t/, "&") <= 100) next
		while (at = index($0, "\t")) sub(/\t/, substr("        ", (at - 1) % 8 + 1))
		print FILENAME ":" FNR ":" $0 }' | grep -E '^[^:]*:[0-9]+:.{101,}$' |
		grep -vE '^tests/[^:]*:[0-9]+:[[:space:]]*(\{ )?([A-Z0-9]+ )*"'
}

untidy() {
	per_file "$1" c_files '
		FNR == 1 { last = "" }
		/[ \t]$/ { print FILENAME ":" FNR ": blanks at the end" }
		/^ +[^ *]/ || /^ \*[^ \/\t]/ && !/^ \*+\// { print FILENAME ":" FNR ": indent with tabs: " $0 }
		/\r/ { print FILENAME ":" FNR ": carriage return" }
		/^\t*(if|for|while|switch)\(/ { print FILENAME ":" FNR ": no blank after keyword" }
		/^(static |const |struct |void |int |bool )[^=;]*\) *\{$/ {
			print FILENAME ":" FNR ": brace of a function on its own line" }
		/^[ \t]*\/\// || /;[ \t]*\/\/ / { print FILENAME ":" FNR ": // comment" }
		/^}[ \t]*else/ || /^\t+else[^;]*$/ && last ~ /^\t+}$/ { print FILENAME ":" FNR ": else after a brace" }
		{ last = $0 }'
}

forbidden() {
	per_file "$1" c_files '
		FNR == 1 { inside = 0 }
		/typedef[ \t]+(struct|enum|union)/ { print FILENAME ":" FNR ": typedef" }
		/(^|[^A-Za-z_])alloca[ \t]*\(/ { print FILENAME ":" FNR ": alloca" }
		/(TO)(DO)|(FIX)(ME)/ { print FILENAME ":" FNR ": unfinished" }
		/^#[ \t]*define[ \t]+[A-Za-z_0-9]+\(/ && !/ARRAY_LEN|FIGURE|DL_|_FUNCTIONS\(F\)/ && FILENAME !~ /^(\.\/)?tests\// {
			print FILENAME ":" FNR ": macro with arguments" }
		/^[ \t]*#[ \t]*if/ { if (inside) print FILENAME ":" FNR ": #if inside a function" }
		/^\{/ { inside = 1 }
		/^\}/ { inside = 0 }
		/(^|[^A-Za-z_])(strcpy|strcat|sprintf|gets|strtok|atoi|atol|atof)[ \t]*\(/ {
			print FILENAME ":" FNR ": use the checked one" }'
}

# json_end() ends the line itself.
second_newline() {
	per_file "$1" c_files '
		ended && /strbuf_(putc|puts)\(.*\\n/ { print FILENAME ":" FNR ": json_end() has ended the line" }
		{ ended = /json_end\(/ }'
}

# bash says so, passes over the loop and its checks, and the test goes on (tests/rig/lib.sh).
readonly_loop() {
	per_file "$1" scripts 'FILENAME !~ /tests\/(rig|bench|soak)\// &&
		/(^|[ \t;])(for work in |work=|read (-r )?([a-z_]+ )*work *(;|$))/ {
			print FILENAME ":" FNR ": the folder of the test is readonly: " $0 }'
}

# Anybody may have made /nonexistent, and root makes folders on the way to a file: what must not be
# there is below the folder of the test, or below /proc.
foreign_name() {
	per_file "$1" all_code 'FILENAME ~ /^(.\/)?tests\// && FILENAME !~ /check_style/ && /[ "=]\/(nonexistent|nowhere|no\/)/ {
		print FILENAME ":" FNR ": a name that anybody may make: " $0 }'
}

# Names of others are not plain yet there.  The act of a reset (what) has hosts and ports that were
# judged, a phase its own name; tables of options, libraries and reference data have our words.
raw_names() {
	(cd "$1" && grep -nE '(^|[^a-z_])f?(printf|puts)\((stdout, *)?"[^"]*%s|(^|[^a-z_f])puts\([a-z]|fputs\([^"]*, stdout' -r src \
		--include=*.c) | grep -vE '^src/(reference/|option_help.c|modes.c|say.c|outlet.c|complete/)' |
		grep -vE 'what\.text|reset_phase_name|stderr'
}

nothing() {	# name command: passes when it has nothing to say of the project
	$2 "$top_srcdir" >"$out" 2>"$err"
	check "$1" test ! -s "$out"
}

caught() {	# name command text: passes when it says this of a bad tree
	$2 bad >"$out" 2>"$err"
	out_has "$3" "$1"
}

nothing "every file begins with its SPDX line" no_spdx
nothing "config.h is the first include of every .c" no_config
nothing "every header is #pragma once" no_pragma
nothing "no line is wider than 100 columns" wide
nothing "tabs, blanks and braces are as in the style" untidy
nothing "nothing forbidden or unfinished is in the code" forbidden
nothing "stdout gets names through say_result() or outlet_print() alone" raw_names
nothing "nobody ends a line of JSON again" second_newline
nothing "no test has a loop over the readonly name of its folder" readonly_loop
nothing "no test relies on a name outside its folder that is not there" foreign_name

mkdir -p bad/base bad/tests
printf '#include <stdio.h>\n#include "config.h"\n' >bad/base/a.c
printf '#ifndef A_H\n' >bad/base/a.h
printf 'echo\nfor work in a; do\n\tls /nonexistent/a\n' >bad/tests/a.sh
printf '\tint %0100d;\n    if(x) \n' 1 >bad/base/b.c
printf 'typedef struct a b;\n{\n#ifdef A\n}\n\tstrcpy(a, b);\n#define F(x) x\n' >bad/base/c.c
caught "a missing SPDX line is caught in C" no_spdx 'base/a.c:1'
caught "a missing SPDX line is caught in a script" no_spdx 'tests/a.sh'
printf "\tjson_end(&j, '}');\n\tstrbuf_putc(to, '\\\\n');\n" >bad/base/d.c
caught "a second end of a line of JSON is caught" second_newline 'base/d.c:2'
mkdir bad/src
printf 'int f(void)\n{\n\tprintf("%%%%s\\n", name);\n\tputs(name);\n}\n' >bad/src/a.c
caught "a name that is printed raw is caught" raw_names 'src/a.c:3'
caught "and by puts()" raw_names 'src/a.c:4'
caught "a loop that bash would pass over is caught" readonly_loop 'tests/a.sh:2'
caught "a name that anybody may make is caught" foreign_name 'tests/a.sh:3'
caught "another first include is caught" no_config 'base/a.c:1'
caught "an include guard is caught" no_pragma 'base/a.h:1'
caught "a long line is caught" wide 'base/b.c:1'
caught "blanks for tabs are caught" untidy 'base/b.c:2: indent'
caught "blanks at the end are caught" untidy 'base/b.c:2: blanks'
caught "a typedef is caught" forbidden 'base/c.c:1'
caught "an #ifdef inside a function is caught" forbidden 'base/c.c:3'
caught "an unchecked string function is caught" forbidden 'base/c.c:5'
caught "a macro with arguments is caught" forbidden 'base/c.c:6'

done_testing
