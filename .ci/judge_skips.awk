# SPDX-License-Identifier: GPL-2.0-or-later
#
# judge_skips.awk - read the output of ./dev test, and count each skip for want of a program or package
# as a failure: .ci/run installs what Debian has.  Such a reason begins with "no" or says "not installed".
# Other things may be missing on a machine: a card, the simulator, a kernel's feature, a mirror.
/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
	split($0, n, " ")
	next
}
{ print }
/^SKIP: / && !seen[$0]++ {
	reason = $0
	sub(/.* # SKIP /, "", reason)
	if (reason ~ /^no |not installed|has no reader/ &&
	    reason !~ /^no (IPv6|mirror|such file|user namespaces|file system|control group|bare Debian)/) {
		print "FAIL: a package is missing: " $0
		missing++
	}
}
END {
	if (!(1 in n))
		n[3] = 1
	printf "%d passed, %d failed, %d skipped\n", n[1], n[3] + missing, n[5] - missing
	exit n[3] + missing > 0 || !n[1]
}
