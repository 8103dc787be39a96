# SPDX-License-Identifier: GPL-2.0-or-later
# How many files stand in circles: each needs a symbol of another that, directly or through
# further ones, needs one of its own.  Measured on the objects, so that no comment and no header
# counts.  There is none.
. "$top_srcdir/tests/rig/lib.sh"

# nm -A -g: "file: [address] kind symbol".  Each circle as a line, its files in it.
circles() {
	awk '{
		file = $1
		sub(/:.*/, "", file)
		kind = $(NF - 1)
		if (kind ~ /^[Uwv]$/)
			needs[file, ++n[file]] = $NF
		else
			home[$NF] = file
	}
	function reach(from, at,	i, to) {
		for (i = 1; i <= n[at]; i++) {
			to = home[needs[at, i]]
			if (to == "" || to == at || (from, to) in seen)
				continue
			seen[from, to]
			reach(from, to)
		}
	}
	END {
		for (file in n)
			reach(file, file)
		for (a in n) {
			if (!((a, a) in seen) || a in done)
				continue
			line = ""
			for (b in n)
				if ((a, b) in seen && (b, a) in seen) {
					line = line " " b
					done[b]
				}
			print substr(line, 2)
		}
	}'
}

say_of_three() {	# what files a, b and c need of each other
	printf 'a.o: 0 T a\nb.o: 0 T b\nc.o: 0 T c\n'
	printf '%s.o: U %s\n' "$@"
}

objects() {	# of the sources there are: what an earlier build left does not count
	cd "$top_builddir" && find $rooms -name '*.o' | while read -r o; do
		name=${o##*/}
		name=${name##*-}
		[ -f "$top_srcdir/${o%/*}/${name%.o}.c" ] && echo "$o"
	done
}

say_of_three a b b c | circles >"$out"
check "files that need each other in one direction are in no circle" test ! -s "$out"
say_of_three a b b c c b | circles | tr ' ' '\n' | sort | tr '\n' ' ' >"$out"
check "two that need each other are, and who needs them is not" test "$(cat "$out")" = "b.o c.o "

(cd "$top_builddir" && objects | xargs nm -A -g 2>/dev/null) | circles >"$out"
now=$(wc -w <"$out")
looked=$(objects | wc -l)
echo "# objects: $looked, in circles: $now"
awk '{ print "# " NF ": " $0 }' "$out" | sort -k2nr | cut -c 1-200
check "no file stands in a circle" test "$looked" -gt 200 -a "$now" -eq 0

done_testing
