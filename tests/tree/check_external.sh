# SPDX-License-Identifier: GPL-2.0-or-later
# Each key of JSON that has a text is on the list of telemetry/external.c, or is here as one whose
# text stays on the machine with --external.  So is each id of a finding or a check.
. "$top_srcdir/tests/rig/lib.sh"

# Texts for people, names, paths, commands and words of registers.
stay="advice act_failure command dump host host_name hostname job note processes_unknown raw reason
	report rule selection simulator text user why stem not_locked second_chip_not_burnt error
	holders_unknown next not_read path trouble container cmdline case unlike name graph inputs devtype mobo"
# No mode that writes these takes --external: --image, -b dump, -b -trace, resets.
other="device pybuda_commit pybuda_version tti_version Python pyluwen tt_umd"

list=$(sed -n '/^} rows\[\]/,/A recording/p' "$top_srcdir/telemetry/external.c" | tr -d '\n\t"')
check "the list is found" test "${#list}" -gt 1500
cd "$top_srcdir" || exit 99
{
	grep -rhoE 'json_(text|hex)\([^,]+, *"[^"]+"' --include=*.c $rooms | sed 's/.*"\(.*\)"/\1/'
	grep -rhoE 'F\([A-Z]+, *[a-z_]+, \([^)]*\.hex' --include=*.c --include=*.h $rooms | sed 's/, (.*//;s/.* //'
	grep -rhoE 'F\(TEXT, *[a-z_]+' --include=*.c --include=*.h $rooms | sed 's/.* //'
} | sort -u >"$work/keys"
check "the keys are found" test "$(grep -c . "$work/keys")" -gt 120
while read -r key; do
	case " $(echo $stay $other) " in *" $key "*) continue ;; esac
	case $list in *[\{\|\ ]"$key"[\|\}\,]*) continue ;; esac
	case $key in *fw* | *version* | temp_* | corr_* | uncorr_* | pcie_*) continue ;; esac
	echo "$key"
done <"$work/keys" >"$work/missing"
sed 's/^/# neither listed nor said to stay: /' "$work/missing"
check "each key is listed, or stays" not test -s "$work/missing"

# An id that is not listed would be null.
unlisted() {	# list tree: ids of findings and checks in a tree that the list lacks
	sed -nE 's/^\t\{ "([a-z-]+)", (VERDICT_|").*/\1/p' "$2/report/finding.c" "$2/health/health.c" |
		sort -u >"$work/ids"
	sed -n '/^#define FINDINGS/,/^#define FLAGS/p' "$1" | sed '$d' | grep -oE '[a-z-]+' | sort -u |
		comm -23 "$work/ids" -
}
unlisted telemetry/external.c . >"$work/missing"
check "ids of findings and checks are found" test "$(grep -c . "$work/ids")" -gt 40
sed 's/^/# not in FINDINGS or CHECKS: /' "$work/missing"
check "each id is listed" not test -s "$work/missing"
mkdir -p "$work/bad/report" "$work/bad/health"
printf '\t{ "gddr-cold", VERDICT_WARN, CODE_NONE, AIR },\n' >"$work/bad/report/finding.c"
printf '\t{ "fan-noise", "its fan is quiet", HEALTH_SAMPLE,\n\t{ "fan", "its fan turns", 0,\n' >"$work/bad/health/health.c"
check "those that are not are caught" [ "$(unlisted telemetry/external.c "$work/bad" | tr '\n' ' ')" = "fan-noise gddr-cold " ]
done_testing
