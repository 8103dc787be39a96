# SPDX-License-Identifier: GPL-2.0-or-later
# The rooms include downwards only, each foreign library has one file that
# sees it, and libraries neither print nor exit (HACKING.md, "Rooms").
. "$top_srcdir/tests/rig/lib.sh"

# What each room may include; a room that is not here has no business in the tree.
allowed() {
	case $1 in
	base) echo base ;;
	device) echo base device ;;
	telemetry) echo base device telemetry ;;
	report) echo base device telemetry report ;;
	act) echo base device telemetry report act ;;
	reset | burnin | health) echo base device telemetry report act "$1" ;;
	output | ui) echo base telemetry report "$1" ;;
	src) echo base device telemetry report act reset burnin health output ui src ;;
	esac
}

# header regex, the files that may name it
owners='cjson/cJSON\.h	base/json.c
pci/pci\.h	device/kmd/kmd_scan.c
n\{0,1\}curses\(w/.*\)\{0,1\}\.h	ui/term_out.c
term\.h	ui/term_out.c
xlsxwriter.*\.h	output/xlsx_book.h
curl/.*\.h	reset/outside/mobo.c
microhttpd\.h	src/metrics/serve.c
archive\(_entry\)\{0,1\}\.h	base/tar.c
ini\.h	base/ini_text.c
getopt\.h	src/options.c
[a-z]*\(mmintrin\|x86intrin\|arm_neon\)\.h	burnin/kernels/simd/\(dot_.*\.c\|dot\.h\|simd\.h\)
cpuid\.h	burnin/kernels/cpu.c'

uphill() {	# tree: includes that look upwards
	(cd "$1" && for room in $rooms; do
		[ -d "$room" ] || continue
		may=" $(allowed $room) "
		grep -rnH --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$room" |
			while IFS= read -r line; do
				name=${line#*\"}
				name=${name%%\"*}
				[ "$name" = config.h ] && continue
				case $may in
				*" ${name%%/*} "*) ;;
				*) echo "$line" ;;
				esac
			done
	done)
}

reach() {	# tree: headers through which ui or output could touch a card
	(cd "$1" && for room in ui output; do
		[ -d "$room" ] || continue
		todo=$(ls "$room"/*.[ch]) seen=' '
		while [ -n "$todo" ]; do
			todo=$(grep -hoE '^#include "[^"]+\.h"' $todo 2>/dev/null | cut -d'"' -f2 | sort -u |
				while read -r name; do
					case $seen in *" $name "*) continue ;; esac
					[ -f "$name" ] && echo "$name"
				done)
			seen="$seen$(echo $todo) "
		done
		for name in device/device.h device/bus.h telemetry/sampler/sampler.h; do
			case $seen in *" $name "*) echo "$room sees $name" ;; esac
		done
	done)
}

strangers() {	# tree: foreign headers outside their file, the driver's ABI outside kmd, curses outside term
	(cd "$1" && {
		printf '%s\n' "$owners" | while IFS='	' read -r header owner; do
			grep -rnH --include='*.[ch]' \
				"^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]${header}[>\"]" $rooms 2>/dev/null |
				grep -v "^$owner:"
		done
		ls -d $rooms 2>/dev/null | xargs grep -rnHE --include='*.[ch]' \
			'include ("ui/term_local\.h"|"device/kmd/kmd_abi\.h"|<dlfcn\.h>)' |
			grep -v -e '^ui/term.*term_local' -e '^device/kmd/.*kmd_abi' -e '^base/dl\.c:.*dlfcn'
	})
}

talkers() {	# tree: a library that prints or ends the program
	(cd "$1" && for room in $rooms; do
		[ "$room" = src ] && continue
		grep -nHE '(^|[^a-zA-Z0-9_])(printf|puts|putchar|perror|exit|err|errx|warn|warnx|vprintf)[[:space:]]*\(|fprintf\((stderr|stdout)|fputs\([^;]*(stderr|stdout)' \
			--include='*.c' -r "$room" 2>/dev/null
	done | grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)')
}

forkers() {	# tree: processes that neither base/child nor base/program started
	(cd "$1" && ls -d $rooms 2>/dev/null | xargs grep -rnE --include='*.[ch]' \
		'(^|[^a-zA-Z0-9_])(v?fork|clone3?|popen|system|posix_spawnp?)[[:space:]]*\(' |
		grep -vE '^base/(child|program)\.c:|^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)')
}

outsiders() {	# tree: folders with C that are no room
	(cd "$1" && for d in */; do
		d=${d%/}
		# A folder with a build in it, however deep: ours, CI's, distcheck's.
		[ -z "$(find "$d" -name config.status)" ] || continue
		case " $rooms tests " in
		*" $d "*) continue ;;
		esac
		find "$d" -name '*.[ch]'
	done)
}

forgotten() {	# tree: C that Makefile.am does not name, so that no tarball would have it; a program names its .c
	(cd "$1" && find $rooms tests -name '*.[ch]' 2>/dev/null | awk '
		NR == FNR { for (i = 1; i <= NF; i++) named[$i]; next }
		{ program = $0; sub(/\.c$/, "", program) }
		!($0 in named) && !(program in named)' Makefile.am -)
}

nothing() {	# name command...: passes when the command says nothing
	name=$1
	shift
	"$@" >"$out" 2>"$err"
	check "$name" test ! -s "$out"
}

something() {	# name command text: passes when the command says so (the check itself can fail)
	name=$1
	$2 bad >"$out" 2>"$err"
	out_has "$3" "$name"
}

nothing "every include looks downwards" uphill "$top_srcdir"
nothing "no header leads from a screen or a file to a card" reach "$top_srcdir"
nothing "each foreign library is seen by one file" strangers "$top_srcdir"
nothing "no library prints or exits" talkers "$top_srcdir"
nothing "base/child and base/program alone start processes" forkers "$top_srcdir"
nothing "every folder with C is a room of the table" outsiders "$top_srcdir"
nothing "every file of C is in Makefile.am" forgotten "$top_srcdir"

mkdir -p bad/base bad/device bad/telemetry bad/ui bad/attic
echo '#include "device/bus.h"' >bad/base/a.c
printf '#include "telemetry/a.h"\n' >bad/ui/tab.h
echo '#include "device/bus.h"' >bad/telemetry/a.h
touch bad/device/bus.h
printf '#include "device/bus.h"\n#include <ncurses.h>\n' >bad/ui/tab.c
printf '#include <cjson/cJSON.h>\nvoid f(void) { printf("no"); }\nint g(void) { return fork(); }\n' \
	>bad/device/b.c
mkdir -p bad/burnin
echo '#include <immintrin.h>' >bad/burnin/a.c
echo 'int x;' >bad/attic/c.c
something "an include that looks upwards is caught" uphill 'base/a.c:1'
something "ui cannot see device" uphill 'ui/tab.c:1'
something "a header that leads to a card is caught" reach 'ui sees device/bus.h'
something "curses outside the terminal is caught" strangers 'ui/tab.c:2'
something "cJSON outside base/json.c is caught" strangers 'device/b.c:1'
something "intrinsics are caught: vectors are written in C" strangers 'burnin/a.c:1'
something "a library that prints is caught" talkers 'device/b.c:2'
something "a process started elsewhere is caught" forkers 'device/b.c:3'
something "a folder outside the table is caught" outsiders 'attic/c.c'
echo 'x_SOURCES = base/a.c base/a.cc' >bad/Makefile.am
something "a file that Makefile.am does not name is caught" forgotten 'ui/tab.c'

done_testing
