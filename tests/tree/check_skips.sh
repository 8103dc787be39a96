# SPDX-License-Identifier: GPL-2.0-or-later
# .ci/run counts a skip as a failure if a package is missing, and as a skip if the machine lacks something else.
. "$top_srcdir/tests/rig/lib.sh"

judged() {	# PASSED FAILED SKIPPED, and on stdin reasons, one a line: prints the last line
	awk '{ print "SKIP: tests/cli/x.sh " NR " - a check # SKIP " $0 }' >given
	echo "$1 passed, $2 failed, $3 skipped" >>given
	run awk -f "$top_srcdir/.ci/judge_skips.awk" given
	tail -n 1 "$out"
}

packages() {
	cat <<'END'
no python3
no python3-scipy or python3-torch
no ripgrep; grep does the same above
no script(1)
no slurmctld here: Debian's slurm-wlm and munge
jq is not installed
strace is not installed
gcc-riscv64-unknown-elf is not installed
container: debootstrap is not installed
umockdev (libumockdev-dev) or cmocka is not installed
python3 has no reader for it (openpyxl, pandas)
END
}
machine() {
	cat <<'END'
no IPv6 here
no user namespaces
no such file or archive can be made here
no file system can be mounted over /etc
no control group of memory can be made here
no mirror: set FRESH_MIRROR
fresh: jammy/root/tarball is skipped: no mirror of Ubuntu is set (FRESH_UBUNTU)
TTSIM_WH and TTSIM_BH name no simulator
needs root and setpriv
this processor has no v3
strace may not trace here
sanitizers, whose mlock() does nothing, or there is no setpriv
the_peak_is_what_the_processor_counts
END
}
packages >wanting
while IFS= read -r reason; do
	echo "$reason" | judged 5 0 3 >last
	check "a failure: $reason" grep -qx '5 passed, 1 failed, 2 skipped' last
done <wanting
machine >lacking
judged 5 0 13 <lacking >last
check "what no package brings is a skip" grep -qx '5 passed, 0 failed, 13 skipped' last
rc_is 0 "and no failure"
judged 5 2 11 <wanting >last
check "failures are added to those there are" grep -qx '5 passed, 13 failed, 0 skipped' last
rc_is 1 "which the exit code says"
check "the count is the one line of its kind" [ "$(grep -c ' passed, ' "$out")" = 1 ]
cat given given >twice
run awk -f "$top_srcdir/.ci/judge_skips.awk" twice
out_has '5 passed, 13 failed, 0 skipped' "a line that is printed twice counts once"
run awk -f "$top_srcdir/.ci/judge_skips.awk" /dev/null
rc_is 1 "an output without a count is a failure"
out_has '0 passed, 1 failed, 0 skipped' "and counted"
done_testing
