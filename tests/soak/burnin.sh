# SPDX-License-Identifier: GPL-2.0-or-later
# All cases of the burn-in: 3.1 GiB of reference data, generated, verified, read
# by NumPy, and every input held to what PyTorch draws.  make soak; minutes.
. "$top_srcdir/tests/rig/lib.sh"

if [ "$(df -Pk . | awk 'NR == 2 { print $4 }')" -lt 4000000 ]; then
	skip "all cases are generated" "less than 4 GB free in ${TMPDIR:-/tmp}"
	done_testing
	exit
fi
run tt-smi -b generate ref
rc_is 0 "all cases are generated"
run tt-smi -b verify ref
rc_is 0 "all cases verify"
out_has "ref: 30 passed, 0 failed, 0 could not be checked" "each of both types"

# A signal ends it between two cases.
tt-smi -b generate cut >cut.out 2>cut.err &
pid=$!
until [ -e cut/bfloat16/k0072_ic008_metadata.json ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -TERM $pid
wait $pid
rc=$?
cp cut.err "$err"
rc_is 1 "a signal stops it"
err_has "cut: stopped; it has no config.json yet" "and it says so"
check "what is there is whole" [ -z "$(find cut -name '*.tmp' -o -name config.json)" ]
run tt-smi -b verify cut
rc_is 0 "and verifies"
rm -rf cut

py=/usr/bin/python3
[ -x $py ] || py=python3
judge() {	# name arguments of burnin_check.py
	name=$1
	shift
	"$py" "$top_srcdir/tests/rig/burnin_check.py" "$@" <hashes >"$out" 2>"$err"
	status=$?
	if [ $status -eq 77 ] || [ $status -eq 127 ]; then
		skip "$name" "no python3 with NumPy, PyTorch"
	else
		result $status "$name"
	fi
}
for meta in ref/*/*_metadata.json; do
	awk -F'"' '
		$2 == "dtype" { type = $4 }
		$2 == "input_channels" { gsub(/[^0-9]/, "", $3); channels = $3 }
		$2 == "conv2d" || $2 == "matmul" { op = $2 }
		length($4) == 64 { print type, channels, op, $2, $4 }' "$meta"
done | sort -k2,2n >hashes
check "every input has its hash" [ "$(wc -l <hashes)" = 150 ]
judge "NumPy reads every array, and float64 agrees with every result" arrays ref
judge "every tensor has the bits that PyTorch draws" draws
done_testing
