# SPDX-License-Identifier: GPL-2.0-or-later
# Long dumps: a day of 8 cards, 2.2 million samples of one, kills at 50 moments,
# and the workbook through an office program.  make soak; minutes, not seconds.
. "$top_srcdir/tests/rig/lib.sh"

# The most memory that tt-smi or its children took, in KiB, into the file `peak`.
cat >peak.py <<'EOP'
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL)
open("peak", "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
EOP

# samples of a long dump and of a tenth of it: name, spec, seconds, cards
long_dump() {
	dump=$1 spec=$2 seconds=$3
	TT_SMI_VIRTUAL_TIME=1795000000; export TT_SMI_VIRTUAL_TIME
	run python3 peak.py tt-smi -d -dir "$dump-short" -dur $((seconds / 10)) --sim "$spec"
	rc_is 0 "$dump: a tenth of it"
	short=$(cat peak)
	rm -rf "$dump-short"
	run python3 peak.py tt-smi -d -dir "$dump" -dur "$seconds" --sim "$spec"
	rc_is 0 "$dump: all of it"
	err_has " $((seconds * 2)) samples" "$dump: every tick took place"
	err_has "0 late, 0 lost" "$dump: and in time"
	echo "# memory: $short KiB for a tenth, $(cat peak) KiB for all"
	check "$dump: memory stays the same" test "$(cat peak)" -le $((short * 5 / 4 + 4096))
	check "$dump: every row is there" \
		sh -c "for f in $dump/*.csv; do test \$(wc -l <\$f) -eq $((seconds * 2 + 1)) || exit 1; done"
	unset TT_SMI_VIRTUAL_TIME
	ls -l "$dump" | sed 's/^/# /'
}

if command -v python3 >/dev/null; then
	long_dump day '8*p150a' 86400
	rm -rf day
	long_dump million p150a 1100000
	check "2.2 million samples go on in further sheets" sh -c \
		'unzip -p million/telemetry.xlsx xl/workbook.xml | grep -q "0 p150a (3)"'
	rm -rf million
else
	skip "long dumps" "no python3"
fi

KILLS=$(seq -s ' ' 50) bash "$top_srcdir/tests/cli/cli_dump.sh" >kills.out 2>&1
check "50 kills at random moments, and all else of the dump's tests" test $? -eq 0
grep '^not ok' kills.out

if command -v soffice >/dev/null; then
	run tt-smi -d -dir look -i 0.01 -dur 10 --sim 'p150a:hang@4-6,n300'
	run soffice --headless "-env:UserInstallation=file://$work/office" --convert-to pdf \
		--outdir look look/telemetry.xlsx
	check "LibreOffice makes a PDF of the workbook" test -s look/telemetry.pdf
	run soffice --headless "-env:UserInstallation=file://$work/office" --convert-to csv \
		--outdir look/csv "look/0_p150a_0000-01-00.0.csv"
	check "and reads the CSV: the same rows, cell by cell" python3 \
		"$top_srcdir/tests/rig/dump_check.py" office look/0_p150a_0000-01-00.0.csv \
		look/csv/0_p150a_0000-01-00.0.csv
else
	skip "LibreOffice makes a PDF of the workbook" "not installed"
fi
done_testing
