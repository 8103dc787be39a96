# SPDX-License-Identifier: GPL-2.0-or-later
# An option's value lands in a member of the type that its kind asks for, and somebody reads it: one
# that nobody reads is taken without a word and does nothing.
. "$top_srcdir/tests/rig/lib.sh"
command -v python3 >/dev/null || { skip "options" "no python3"; done_testing; exit; }

cat >ignored.py <<'PYTHON'
import glob, os, re, sys
src = os.path.join(sys.argv[1], "src")
def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()

header = text(os.path.join(src, "options.h"))
kinds = dict(re.findall(r"\b(OPTION_\w+),?\s*/\*(.*?)\*/", text(os.path.join(src, "option_table.h")),
    re.S))
types = {}
for type, names in re.findall(r"^\t((?:const )?(?:struct )?\w+) ([^;/]*);", header, re.M):
    for name in re.findall(r"(\*?)(\w+)", names):
        types[name[1]] = type + (" *" if name[0] else "")
code = "".join(text(path) for path in glob.glob(os.path.join(src, "**", "*.c"), recursive=True)
    if not os.path.basename(path).startswith("option"))

def is_read(id, member):
    return re.search(r"(->|\.)%s\b|\b%s\b" % (member, id), code)

table = re.split(r"\n\t\[(OPT_\w+)\] = ", text(os.path.join(src, "option_table.c")))[1:]
print(len(table) // 2)
for id, row in zip(table[0::2], table[1::2]):
    kind = re.search(r"\.kind = (OPTION_\w+)", row)
    kind = kind[1] if kind else "OPTION_FLAG"
    at = re.search(r"\.at = offsetof\(struct options, (\w+)\)", row)
    if at and not re.search(r"(^|[^\w])%s($|[^\w*])" % re.escape(types[at[1]]),
            " ".join(kinds[kind].split())):
        print("%s: %s is %s; of %s it is %s" % (id, at[1], types[at[1]], kind, kinds[kind]))
    acts = re.search(r"\.(mode|implies|note) = |OPTION_ACCEPTED", row)
    if not acts and not is_read(id, at[1] if at else id):
        print("%s: nobody reads it" % id)
PYTHON
ignored() {	# tree
	python3 ignored.py "$1" >"$out" 2>&1
	sed 1d "$out"
}
ignored "$top_srcdir" >found
check "options were found" test "$(head -n 1 "$out")" -gt 80
check "each lands in a member of its type, which somebody reads" test ! -s found
sed 's/^/# /' found

mkdir -p bad/src
cp "$top_srcdir/src/option_table.h" bad/src
cat >bad/src/options.h <<'SOURCE'
	bool yes, external;
	uint64_t keep;
	int64_t settle;
	char *const *command;
	const char *folder;
SOURCE
cat >bad/src/option_table.c <<'SOURCE'
const struct option_row option_rows[OPTIONS] = {
	[OPT_HELP] = { { "h" }, OPTION_MODES, "help", .mode = MODE_HELP },
	[OPT_YES] = { { "yes" }, OPTION_RESETS, "do not ask", .at = offsetof(struct options, yes) },
	[OPT_PLAIN] = { { "plain" }, OPTION_RESETS, "nowhere" },
	[OPT_SETTLE] = { { "settle" }, OPTION_RESETS, "wait", .kind = OPTION_SECONDS,
		.at = offsetof(struct options, settle) },
	[OPT_KEEP] = { { "keep" }, OPTION_DUMPS, "keep", .kind = OPTION_CHOICE,
		.at = offsetof(struct options, keep) },
	[OPT_FOLDER] = { { "folder" }, OPTION_DUMPS, "folder", .kind = OPTION_LIST,
		.at = offsetof(struct options, folder) },
};
SOURCE
echo 'int f(void) { return o->yes + o->keep + !o->folder; }' >bad/src/mode.c
ignored bad | sed 's/: .*//' | tr '\n' ' ' >found
check "those that are ignored or of another type are caught" \
	test "$(cat found)" = "OPT_PLAIN OPT_SETTLE OPT_KEEP OPT_FOLDER "

done_testing
