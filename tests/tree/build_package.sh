# SPDX-License-Identifier: GPL-2.0-or-later
# What packages say is what the tree says: libraries that are loaded late, the version, the origin of
# what was recorded.
. "$top_srcdir/tests/rig/lib.sh"

# One line a library: sonames, package, need; libxlsxwriter's number is that of the header.
run tt-smi --dump-libraries
rc_is 0 "the libraries that are loaded late can be listed"
sed 's/\(libxlsxwriter\(\.so\.\)\{0,1\}\)[0-9]*/\1N/g' "$out" |
	awk -F'\t' '{ print $2 "|" $3 "|" $1 }' | sort >libraries
check "there are some" test -s libraries
sed -n '/^| library |/,/^$/{ /^| `/p; }' "$top_srcdir/doc/packaging.md" | tr -d '`' |
	sed 's/, N as built against//; s/ or / /; s/^| //; s/ | /|/g' | cut -d'|' -f1-3 | sort >table
check "the table of doc/packaging.md has them" cmp libraries table

loads() { grep -rlE '(^|[^_a-z])dlm?open\(' --include='*.c' "$top_srcdir"/[a-z]*/ | grep -v '/tests/'; }
check "nothing loads a library but base/dl.c" test "$(loads)" = "$top_srcdir/base/dl.c"

# The version is one fact.
version=$(sed -n 's/^AC_INIT(\[tt-smi\], \[\(.*\)\], .*/\1/p' "$top_srcdir/configure.ac")
check "configure.ac has a version" test -n "$version"
# A package of it is newer than each of upstream's of the same name that it can stand for.
served=$(sed -n 's/^#define VERSION_SERVES "\([^"]*\)".*/\1/p' "$top_srcdir/src/say.h")
check "debian/changelog begins with upstream's release and it" \
	sh -c 'head -n 1 "$1" | grep -qF "tt-smi ($2) "' - "$top_srcdir/debian/changelog" "$served+c$version"
spec=$top_builddir/contrib/rpm/tt-smi.spec
check "and so does the spec" grep -qxE "Version: +$served[+]c$version" "$spec"
check "whose tarball has its own version alone" grep -qxE "Source0: .*-$version[.]tar[.]gz" "$spec"
if command -v dpkg >/dev/null; then
	for older in 3.0.25 5.1.0 5.1.1-1 "$served"; do
		check "apt keeps it where upstream's $older is offered" \
			dpkg --compare-versions "$served+c$version" gt "$older"
	done
else
	skip "upstream's packages are older" "no dpkg"
fi

# The spec has each library, by one of its sonames, or by its name where that counts up.
sed -n 's/^\(Requires\|Recommends\): *\(%{so \)\{0,1\}\([a-z0-9.]*\).*/\1 \3/p' "$spec" >in_spec
sed 's/Depends$/Requires/' libraries >wanted
check "the spec has as many libraries" test "$(wc -l <in_spec)" -eq "$(wc -l <libraries)"
while IFS='|' read -r sonames package need; do
	found=
	for soname in $sonames; do
		grep -qxF "$need ${soname%.so.N}" in_spec && found=yes
	done
	[ -n "$found" ] || echo "$need $package"
done <wanted >"$out"
check "and each of ours" test ! -s "$out"

# Debian's control has what the tree's build wants, and the packages here have the libraries.
if command -v dpkg-query >/dev/null; then
	run sh "$top_srcdir/debian/late-libraries" "$TT_SMI"
	rc_is 0 "each library has a package here"
	for variable in Depends Recommends; do
		sed -n "s/^late:$variable=//p" "$out" | sed 's/, /\n/g' >packages
		check "late:$variable has a package for each" \
			test "$(wc -l <packages)" -eq "$(grep -c "|$variable\$" libraries)"
		check "late:$variable: installed they are" sh -c 'tr "|" " " <packages | xargs dpkg-query -W >/dev/null'
	done
	echo 'printf "Recommends\tlibnowhere.so.7\tlibnowhere7\tnothing\n"' >nowhere
	chmod +x nowhere
	run sh "$top_srcdir/debian/late-libraries" ./nowhere
	rc_is 1 "a library that no package has stops the build"
	err_has libnowhere7 "and is named"
else
	skip "the packages of libraries" "this is not Debian"
fi

# The tarball has all of it.
(cd "$top_srcdir" && find debian -name .debhelper -prune -o -path debian/tt-smi -prune -o -type f ! -name files \
	! -name '*.substvars' ! -name '*debhelper*' ! -name 'autoreconf.*' ! -name '*.service' -print) >packaging
while read -r f; do
	sed -n '/^EXTRA_DIST += contrib\/rpm/,/^[^\t]*$/p' "$top_srcdir/Makefile.am" | tr -s ' \t\\' '\n\n\n' |
		grep -qxF "$f" || echo "$f"
done <packaging >"$out"
check "each file of debian/ is in EXTRA_DIST" test -s packaging -a ! -s "$out"

# What was recorded says where it is from: each folder, and each file of somebody else.
fixtures=$top_srcdir/tests/fixtures
unnamed() {	# README: what it does not name
	for path in "$fixtures"/*/*; do
		name=${path#"$fixtures/"}
		grep -qE "^\| \`($name/?|${name%%/*}/)\` \|" "$1" || echo "$name"
	done
}
unnamed "$fixtures/README.md" >"$out"
check "tests/fixtures/README.md names the origin of each" test ! -s "$out"
grep -v '^| `snapshots/p150a' "$fixtures/README.md" >less.md
unnamed less.md >"$out"
out_has snapshots/p150a "one that it does not name is caught"
awk -F' *[|] *' '/^\| `/ { if (NF != 6 || $4 == "" || $5 == "") print }' "$fixtures/README.md" >"$out"
check "with its licence" test ! -s "$out"

# debian/copyright names no file that is not there.
sed -n '/^Files:/,/^Copyright:/{ s/^Files://; /^Copyright:/d; p; }' "$top_srcdir/debian/copyright" |
	tr -s ' \n' '\n\n' | grep -v '^\**$' >patterns
while read -r pattern; do
	# shellcheck disable=SC2086
	ls "$top_srcdir"/$pattern >/dev/null 2>&1 || echo "$pattern"
done <patterns >"$out"
check "debian/copyright names files that there are" test -s patterns -a ! -s "$out"
for f in "$fixtures"/snapshots/*; do
	grep -qxF "${f#"$top_srcdir/"}" patterns || echo "$f"
done >"$out"
check "and each snapshot of somebody else" test ! -s "$out"
done_testing
