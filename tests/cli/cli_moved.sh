# SPDX-License-Identifier: GPL-2.0-or-later
# One file that can be moved: what it loads is found from wherever it stands, never from the folder
# that somebody happens to be in, and where a library is missing the mode names its package.
. "$top_srcdir/tests/rig/lib.sh"
export TERM=xterm-256color
snapshot=$top_srcdir/tests/fixtures/snapshots/n300-tt_smi-5.3.0.json
cp "$snapshot" before.json

run tt-smi --dump-libraries
rc_is 0 "the libraries that are loaded late can be listed"
cp "$out" libraries

# Without a library: its package, the exit code, a mode that wants it.
mkdir -p tree/proc/bus/pci tree/sys
echo 'theme = dark' >some.conf
printf '0100\t1e52b140\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n' >tree/proc/bus/pci/devices
live() {	# program: until it is drawn or has ended
	rm -f "$work/typescript"
	script -qefc "'$1' --sim p150a" "$work/typescript" &
	live=$!
	await drawn_or_ended
	kill $live 2>/dev/null
	wait $live
}
drawn_or_ended() { grep -q 'simulated boards' "$work/typescript" || ! kill -0 $live; } 2>/dev/null
wanted='libarchive13|1|tt-smi --bundle b.tar.gz --sim p150a
libcjson1|1|tt-smi -ls --load before.json
libcurl4|1|tt-smi -mr 127.0.0.1 6:0 -y
libinih1|0|env TT_SMI_CONFIG="$work/some.conf" tt-smi -ls --sim p150a
libmicrohttpd12|1|tt-smi --exporter "$work/socket" --sim p150a
libpci3|1|tt-smi -ls --root tree
libtinfo6|1|live tt-smi
libxlsxwriter[0-9]*|1|tt-smi -d -dur 0.3 -i 0.1 -dir dump --sim p150a'
preload=$(shim dl_shim)
while IFS='	' read -r need sonames package _; do
	echo "$wanted" | sed -n "s/^\([^|]*\)|/\1 /p" | while read -r name rest; do
		# shellcheck disable=SC2254
		case $package in $name) echo "$rest" ;; esac
	done >row
	check "$package ($need): a mode is known that wants it" test -s row
	sed 's/^[0-9]*|//' row >command.sh
	(
		export DL_MISSING="$sonames" LD_PRELOAD="$preload"
		. ./command.sh
	) >"$out" 2>"$err" </dev/null
	rc=$?
	rc_is "$(cut -d'|' -f1 row)" "without $package: $(cat command.sh)"
	cat "$err" >>"$out"
	out_has "install $package" "names the package"
done <libraries

# It has no path of the build in it that the loader would follow.
if command -v readelf >/dev/null; then
	readelf -d "$TT_SMI" >"$out"
	check "no rpath" sh -c '! grep -qE "RPATH|RUNPATH" "$1"' - "$out"
else
	skip "no rpath" "readelf is not installed"
fi

# All that a machine without a card can show, into a folder that $put names.
modes() {	# program
	"$1" -v
	"$1" -h
	"$1" -ls --sim 'n300,p150a'
	"$1" -ls --root "$top_srcdir/tests/fixtures/sysfs/blackhole"
	"$1" -ls --load "$put/before.json"
	"$1" --query index,board,asic_temperature --sim 'n300,p150a'
	"$1" --health --sim 'p150a:hot'
	"$1" --fields help
	"$1" --metrics help
	"$1" --links --sim n300
	"$1" --image --sim n150
	"$1" -wr 0 --dry-run --sim p150a
	"$1" -glx_reset --dry-run --sim galaxy-wh
	"$1" --burnin list
	"$1" --burnin check --cases 8 --dtype float32 >/dev/null
	"$1" --check-memory --size 64K --sim p150a
	"$1" --compare "$put/before.json" "$put/before.json"
	"$1" --during --sim p150a -- /bin/sleep 0.5
	"$1" --bundle "$put/b.tar.gz" --sim p150a
	"$1" -d -dur 0.3 -i 0.1 -dir "$put/dump" --sim p150a
	"$1" --textfile "$put/metrics.prom" --once --sim p150a
	"$1" -g "$put/reset.json" --sim n150
}

is_same() { diff "$@" >&2; }
# What differs each time: times, sizes, the folder.
same() { sed -E 's/[0-9]+/N/g; s/ +/ /g' "$1"; }

put=$work/out.0
mkdir "$put" && cp "$snapshot" "$put/before.json"
mkdir empty && cd empty || exit 1
modes "$TT_SMI" >"$work/plain" 2>&1
cd "$work" || exit 1
check "the modes have something to say" test "$(wc -l <plain)" -gt 200
check "a dump has its workbook" test -s "$(find "$put/dump" -name '*.xlsx')"

# Copied, into a folder with blanks in its name and under another name.
mkdir "a folder with blanks"
cp "$TT_SMI" "a folder with blanks/tt smi"
for program in "$work/a folder with blanks/tt smi" "./tt smi"; do
	put=$work/out.1
	rm -rf "$put" && mkdir "$put" && cp "$snapshot" "$put/before.json"
	(cd "a folder with blanks" && modes "$program") >moved 2>&1
	same plain | sed "s|$work/out.N|OUT|g" >plain.same
	same moved | sed "s|$work/out.N|OUT|g" >moved.same
	check "$program: every mode says the same" is_same plain.same moved.same
done

# A hostile folder: whatever is loaded or run is there under its name, and tells on itself.
unset TT_SMI_CONFIG XDG_CONFIG_HOME
export HOME=$work/home
mkdir home hostile && cd hostile || exit 1
cat >trap.c <<'E2'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void caught(void)
{
	FILE *f = fopen(getenv("CAUGHT"), "a");

	fputs("a library\n", f);
	fclose(f);
}
E2
export CAUGHT="$work/caught"
$CC -shared -fPIC -o trap.so trap.c || exit 99
for soname in $(cut -f2 ../libraries) libgcc_s.so.1 libz.so.1 libc.so.6 libm.so.6 libttsim.so; do
	cp trap.so "$soname"
done
for name in ipmitool tt-smi sh true ip lspci modinfo dmesg journalctl; do
	printf '#!/bin/sh\necho "a program" >>"%s"\n' "$CAUGHT" >$name
	chmod +x $name
done
for name in floors.conf golden.json images.c snapshot.schema.json reset_config.json tt-smi.conf \
	tt-smi.ini .tt-smi.conf .terminfo xterm-256color curl.rc .curlrc .netrc; do
	echo '%hostile' >$name
done
mkdir -p proc sys/class/tenstorrent dev/tenstorrent x
cp xterm-256color x/
cd "$work" || exit 1

# The trap works where the loader is led there.
mkdir led && cp hostile/trap.so led/libarchive.so.13
run env LD_LIBRARY_PATH="$work/led" tt-smi --bundle b.tar.gz --sim p150a
check "a library of the folder would be seen" test -s caught
rm -f caught
put=$work/out.2
mkdir "$put" && cp "$snapshot" "$put/before.json"
(cd hostile && modes "$TT_SMI") >moved 2>&1
same moved | sed "s|$work/out.N|OUT|g" >moved.same
check "a hostile folder: every mode says the same" is_same plain.same moved.same
(cd hostile && PATH=".:$PATH:" modes "$TT_SMI") >"$out" 2>&1
(cd hostile && live "$TT_SMI") >"$out" 2>&1 </dev/null
check "the live display was there" grep -q 'simulated boards' typescript
check "and nothing there was loaded or run" test ! -e caught

# What the kernel is asked for by name is never relative to the folder.
relative() {	# traces
	grep -hE '^([0-9]+ +)?[a-z0-9_]+\((AT_FDCWD, )?"([^/"]|")' "$@"
}
if may_trace; then
	strace -f -qq -e trace=%file -o seen cat relative >/dev/null 2>&1
	relative seen >"$out"
	out_has '"relative"' "a relative path would be seen"
	# A sanitizer cannot look for leaks beside a tracer.
	cat >traced <<'E2'
#!/bin/sh
n=$(($(cat "$put/n") + 1))
echo $n >"$put/n"
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 exec strace -f -qq -e trace=%file -o "$put/trace.$n" "$TT_SMI" "$@"
E2
	chmod +x traced
	put=$work/out.3
	export put
	mkdir "$put" && cp "$snapshot" "$put/before.json" && echo 0 >"$put/n"
	(cd hostile && modes "$work/traced") >"$out" 2>&1
	(cd hostile && live "$work/traced") >"$out" 2>&1 </dev/null
	check "each mode was traced" test "$(ls "$put"/trace.* | wc -l)" -ge 23
	relative "$put"/trace.* >"$out"
	check "no mode asks for anything relative to the folder" test ! -s "$out"
else
	skip "what is opened" "$why_untraced"
fi
done_testing
