# SPDX-License-Identifier: GPL-2.0-or-later
# --burnin compare of any two files of arrays: what is told, the verdict, and which files are
# refused.
. "$top_srcdir/tests/rig/lib.sh"

if ! command -v python3 >/dev/null; then
	skip "two files are compared" "no python3"
	done_testing
	exit 0
fi

make_file() {	# kind: a file of this name
	python3 -W ignore "$top_srcdir/tests/rig/make_tensors.py" "$1" "$1"
}

compared() {	# golden: lines "exit-code kind text of stdout"
	while read -r code kind what; do
		[ -e "$kind" ] || make_file "$kind"
		run tt-smi -b compare "$1" "$kind"
		rc_is "$code" "$1 and $kind: the exit code"
		out_has "$what" "$1 and $kind: $what"
	done
}

make_file npy
compared npy <<END
0 npy all equal
0 npy-noise ULP of float32: mean 11.99, largest 17 at [0, 40]
0 npy-f8 512 elements, all equal
0 npy-f2 ULP of float16: mean
5 npy-garbage 64 of 512 elements wrong
5 npy-garbage all of them lie within [0-7, 7-63]
5 npy-row all of them lie within [3, 0-63]
5 npy-sign wrong at [1, 36]: 1.8957485 is -1.8957485
5 npy-nan 1 NaN or infinite
5 npy-shape another shape: FAIL
5 npy-empty another shape: FAIL
0 pt float32 8x64 and float32 8x64
0 pt 512 elements, all equal
0 pt-seekable 512 elements, all equal
0 pt-transposed 512 elements, all equal
0 pt-slice 512 elements, all equal
0 pt-bf16 ULP of bfloat16: mean
5 pt-list 1 more arrays in the second: FAIL
END
# A tolerance cannot see the sign of a small element; its neighbours can.
make_file npy-tiny-sign
compared npy-tiny-sign <<END
5 npy-tiny 1 of 512 elements wrong
5 npy-tiny-noise wrong at [1, 36]: 9.99999975e-05 is
END
make_file pt-state
compared pt-state <<END
0 pt-state compare: 2 passed, 0 failed
5 pt-state-off weight: float32 3x4 and float32 3x4
5 pt-state-other 'bias' is only in the first: FAIL
END
make_file pt-tied
compared pt-tied <<END
0 pt-tied compare: 50 passed, 0 failed
END
make_file npy-i8
compared npy-i8 <<END
0 npy-i8 512 elements, all equal
END
run tt-smi -b compare npy npy-noise --ulp 16
rc_is 5 "--ulp holds each element to so many units in the last place"
out_has "or than 16 ULP" "and says so"
run tt-smi -b compare npy npy-noise --ulp 17
rc_is 0 "and takes those that are within"

while IFS='|' read -r kind why; do
	make_file "$kind"
	run tt-smi -b compare npy "$kind"
	rc_is 4 "$kind: refused"
	err_has "$kind: $why" "$kind: with the reason"
done <<END
npy-object|type '|O' is not read
npy-long|has 2049 bytes of data, its shape needs 2048
npy-i8-huge|has integers from 2^53 on
pt-evil|the pickle names posix.system: only plain tensors are read, and no program is run
pt-number|the pickle has a number where a tensor is wanted: epoch
pt-protocol|the pickle is of another protocol than 2
pt-cut|the pickle is cut off
pt-repeated|the pickle lists 9000 tensors, more than its
pt-views|its tensors overlap: reading them takes more than 64 times its size
pt-missing|it has no archive/data/0
pt-short|archive/data/0 has 2044 bytes, not 512 elements of float32
pt-outside|the pickle's tensor '' has more than is stored
pt-expanded|the pickle's tensor '' has more than is stored
pt-wrap|the pickle's tensor '' has more than is stored
pt-path|it has no archive/data/../../../etc/passwd
pt-deflated|archive/data.pkl is compressed
pt-twice|archive/data/0 is there twice
pt-overlap|archive/byteorder lies over another file
pt-big-endian|its byte order is not little-endian
pt-moved|archive/data/0 is not where the directory says
pt-tail|no zip archive ends at its end
zip|a zip archive without data.pkl
END
check "no program in a file was run" [ ! -e executed ]
mkfifo pipe
run tt-smi -b compare pipe npy
rc_is 4 "a pipe is not waited for"
run tt-smi -b compare npy
rc_is 2 "one file is a usage error"
run tt-smi -b compare npy npy npy
rc_is 2 "so are three"
run tt-smi -b compare npy npy --cases 8
rc_is 2 "and a case, which reference data have"
run tt-smi -b compare npy nowhere
rc_is 4 "a file that is not there is a failure"

python3 "$top_srcdir/tests/rig/make_tensors.py" torch real.pt 2>/dev/null
if [ $? -eq 77 ]; then
	skip "a file of torch itself is read" "no python3-torch"
else
	run tt-smi -b compare real.pt real.pt
	rc_is 0 "a file of torch itself is read"
	out_has "a: float32 4x3 and float32 4x3" "with its shapes"
fi
done_testing
