# SPDX-License-Identifier: GPL-2.0-or-later
# --burnin list, generate, verify, compare: reference data against NumPy, SciPy
# and PyTorch, and against damage.
. "$top_srcdir/tests/rig/lib.sh"

py=none
python3 -c 'import numpy' 2>/dev/null && py=python3

judge() {	# name arguments of burnin_check.py: passes, fails or is skipped as it says
	name=$1
	shift
	if [ "$py" = none ]; then
		skip "$name" "no python3-numpy"
		return
	fi
	"$py" "$top_srcdir/tests/rig/burnin_check.py" "$@" >"$out" 2>"$err" <"${input:-/dev/null}"
	status=$?
	if [ $status -eq 77 ]; then
		skip "$name" "$(cat "$out")"
	else
		result $status "$name"
	fi
}

run tt-smi -b help
rc_is 0 "-b help prints the commands"
out_has 'compare DIR FILE... | FILE FILE' "with what follows each"
out_has '(--cases, --dtype, --pcc, --ulp)' "the options that each takes"
out_has '--pcc NUMBER ' "and what these do"
run tt-smi -h
out_lacks '--pcc' "which -h leaves out"

run tt-smi --burnin list
rc_is 0 "the workload is listed"
check "15 cases, 2 operations, 2 types" [ "$(grep -cE '^ +[0-9]+ .*(conv2d|matmul) +(float32|bfloat16)' "$out")" = 60 ]
run tt-smi -b list --cases 8,8192 --dtype float32
out_is golden/burnin-list.txt "--cases and --dtype narrow it"

run tt-smi --burnin generate ref --cases 8,16,64
rc_is 0 "reference data is generated"
err_empty "without a word on stderr"
check "for each case and type seven arrays and their metadata" [ "$(ls ref/float32 ref/bfloat16 | grep -c ^k)" = 48 ]
check "and the three files of the whole" [ -s ref/config.json -a -s ref/system_info.json -a -s ref/README.md ]
check "config.json says in which order is drawn" grep -q 'order conv2d input, weight, bias, matmul A, B; seeded anew' ref/config.json
check "nothing temporary is left" [ -z "$(find ref -name '*.tmp')" ]
judge "NumPy reads every array, and float64 agrees with every result" arrays ref
judge "SciPy's correlation agrees too" scipy ref

run tt-smi --burnin generate ref --cases 8
rc_is 1 "a folder that is there is left alone"
err_code exists 'ref' "and the reason says so"
run tt-smi -b generate --cases 8 --dtype float32
run tt-smi -b generate --cases 8 --dtype float32
check "default names do not meet" [ -d burnin-reference -a -d burnin-reference-2 ]
check "both have the same bytes" diff -r burnin-reference burnin-reference-2
check "one type alone has the bytes it has beside the other" cmp burnin-reference/float32/k0072_ic008_matmul_output.npy ref/float32/k0072_ic008_matmul_output.npy

run tt-smi --burnin verify ref
rc_is 0 "what was generated verifies"
out_has "ref: 6 passed, 0 failed, 0 could not be checked" "each case of each type"
out_lacks "differ" "bit for bit"

# Every file of a case, damaged: the verdict is never a pass.
flip() {	# file [bytes from its end]: the lowest bit there, else of the last element
	at=${2:-4}
	old=$(tail -c $at "$1" | head -c 1 | od -An -tu1)
	new=$(printf '\\%o' $((old ^ 1)))
	printf "$new" | dd of="$1" bs=1 seek=$(($(wc -c <"$1") - at)) conv=notrunc 2>/dev/null
}
for file in float32/k0072_ic008_conv2d_input float32/k0072_ic008_conv2d_weight \
	float32/k0072_ic008_conv2d_bias float32/k0072_ic008_conv2d_output \
	bfloat16/k0576_ic064_matmul_A bfloat16/k0576_ic064_matmul_B bfloat16/k0576_ic064_matmul_output; do
	rm -rf bad && cp -r ref bad
	flip "bad/$file.npy"
	check "$file: one bit is flipped" sh -c "! cmp -s bad/$file.npy ref/$file.npy"
	run tt-smi -b verify bad --cases 8,64
	rc_is 5 "$file: the verdict is negative"
	out_has "bad: 3 passed, 1 failed, 0 could" "$file: for its case alone"
	case $file in
	bfloat16/*[AB]) out_has "NOT numbers that the type has" "$file: bfloat16 has no such number" ;;
	esac
done
rm -rf bad && cp -r ref bad
flip bad/bfloat16/k0576_ic064_matmul_B.npy 2
run tt-smi -b verify bad --cases 64
rc_is 5 "a bit that bfloat16 has is found as well"
out_lacks "NOT numbers that the type has" "and no digit too many is claimed"
# Data and hash changed together still are not what the rule draws.
rm -rf bad && cp -r ref bad
f=bad/float32/k0072_ic008
flip ${f}_matmul_B.npy
old=$(sed -n 's/.*"B": "\([0-9a-f]*\)".*/\1/p' ${f}_metadata.json)
new=$(tail -c +129 ${f}_matmul_B.npy | sha256sum | cut -d' ' -f1)
sed -i "s/$old/$new/" ${f}_metadata.json
run tt-smi -b verify bad --cases 8 --dtype float32
rc_is 5 "inputs changed together with their hash are found"
out_has "NOT what the rule draws" "and named"
out_lacks "SHA-256" "though the hash fits"

broken() {	# name, text of stderr; the case of 8 channels in bad is out of order
	run tt-smi -b verify bad --cases 8 --dtype float32
	rc_is 4 "$1: could not be checked is no pass"
	err_has "$2" "$1: the reason is said"
	rm -rf bad && cp -r ref bad
}
rm -rf bad && cp -r ref bad
rm ${f}_conv2d_bias.npy
broken "a missing array" "conv2d_bias.npy: cannot open: No such file"
truncate -s 1000 ${f}_matmul_A.npy
broken "an array cut off" "matmul_A.npy: has 872 bytes of data, its shape needs 294912"
cp ${f}_matmul_B.npy ${f}_matmul_A.npy
broken "another shape" "matmul_A.npy: does not have the shape of matmul A"
rm ${f}_matmul_A.npy && mkfifo ${f}_matmul_A.npy
broken "a pipe" "matmul_A.npy: is not a regular file"
echo '{' >${f}_metadata.json
broken "metadata that is no JSON" "metadata.json: "
rm ${f}_metadata.json
broken "no metadata" "no reference data of these cases"
run tt-smi -b verify ref --cases 8,32
rc_is 4 "a case that was asked for and is not there is no pass"
err_code not-found 'k0288_ic032' "and is named"
name=$(printf 'ref\033[2J\nx')
cp -r ref "$name"
run tt-smi -b verify "$name" --cases 8
rc_is 0 "a folder may have any name"
out_has 'ref\x1b[2J\x0ax: 2 passed' "which cannot act on the terminal"
run tt-smi -b verify nowhere
rc_is 4 "nothing verified is no pass"
rm bad/float32/*_ic016_*
run tt-smi -b verify bad
rc_is 4 "a case that config.json lists and is not there is no pass"
err_code not-found 'k0144_ic016' "and is named"
out_has "bad: 5 passed, 0 failed, 1 could not be checked" "the others are checked"
rm -rf bad && cp -r ref bad
sed -i 's/"seed": 42/"seed": 43/' bad/config.json
run tt-smi -b verify bad
rc_is 5 "a config.json that was changed is a negative verdict"
err_code corrupt 'bad/config.json' "and is named"
echo '{"input_channels": [8]}' >bad/config.json
run tt-smi -b verify bad
rc_is 4 "one of another program beside data of ours is no pass"
err_code invalid 'bad' "and says so"
rm bad/config.json
run tt-smi -b verify bad
rc_is 4 "what has no config.json was not finished, and is no pass"
err_code invalid 'bad' "and says so"
rm -rf bad && cp -r ref bad
# A header that promises all the memory there is: its file is as long, and takes no room.
{ printf '\223NUMPY\001\000\106\000'; printf '%-70s' "{'descr': '<f4', 'fortran_order': False, 'shape': (274877906944,), }"; } >${f}_conv2d_output.npy
if truncate -s $((80 + 4 * 274877906944)) ${f}_conv2d_output.npy 2>/dev/null; then
	broken "a shape larger than the machine" "conv2d_output.npy: does not have the shape of conv2d output"
	out_lacks "out of memory" "and no memory was asked for"
else
	skip "a shape larger than the machine" "no such file can be made here"
fi

o=ref/float32/k0576_ic064_conv2d_output.npy
run tt-smi --burnin compare ref "$o" ref
rc_is 0 "equal results compare well, a file and a folder"
out_has "ref: 13 passed" "each of them"
mkdir -p mine/float32 mine/bfloat16
m=mine/float32/k0576_ic064_conv2d_output.npy
judge "a result with a little noise is made" noise "$o" "$m" 0.001
if [ -f "$m" ]; then
	run tt-smi -b compare ref mine
	rc_is 0 "a little noise passes 0.999"
	check "differences, ULP and correlation are reported" grep -Eq 'differ, ULP max [0-9.e+]+ mean [0-9.e+]+, abs [0-9.e-]+, rel 0.00[01][0-9]*, PCC 0.999999[0-9]+' "$out"
	run tt-smi -b compare ref mine --pcc 0.9999999
	rc_is 5 "and fails a stricter threshold"
	judge "a noisy result is made" noise "$o" "$m" 0.1
	run tt-smi -b compare ref "$m"
	rc_is 5 "much noise fails"
	out_has "FAIL" "and says so"
	judge "a result twice as large is made" noise "$o" "$m" 0 2
	run tt-smi -b compare ref "$m"
	rc_is 5 "a factor fails, though the correlation is 1"
	out_has "PCC 1.000000000" "as it says"
fi
cp "$o" k0576_ic064_conv2d_output.npy
run tt-smi -b compare ref k0576_ic064_conv2d_output.npy
rc_is 4 "a file in no folder of a type"
err_has "say --dtype" "needs --dtype"
run tt-smi -b compare ref k0576_ic064_conv2d_output.npy --dtype float32
rc_is 0 "and has it"
run tt-smi -b compare ref README.md
rc_is 4 "a file of another name is not compared"
mkdir none
run tt-smi -b compare ref none
rc_is 4 "nothing compared is a failure"
# What has to be there is the same for verify and compare.
rm -rf bad && cp -r ref bad
rm bad/bfloat16/k0144_ic016_*
for words in "" "--dtype bfloat16" "--cases 16,64"; do
	run tt-smi -b compare ref bad $words
	rc_is 4 "compare ${words:-of all}: a result that is not there is no pass"
	err_code not-found 'k0144_ic016' "and is named"
	run tt-smi -b verify bad $words
	rc_is 4 "verify ${words:-of all}: nor is the case"
	err_code not-found 'k0144_ic016' "and is named"
done
for command in "compare ref" verify; do
	run tt-smi -b $command bad --dtype float32
	rc_is 0 "$command: one that was not asked for need not be there"
	run tt-smi -b $command ref --cases 8,32
	rc_is 4 "$command: one that config.json does not list must be there if it was chosen"
	err_code not-found 'k0288_ic032' "and is named"
done

for words in "verify" "compare ref" "list ref" "generate a b" "list --cases 9" "list --cases x" \
	"list --dtype float16" "compare ref ref --pcc 2"; do
	run tt-smi -b $words
	rc_is 2 "usage: -b $words"
done
# An option that a command would ignore was meant for something else.
while read -r words; do
	run tt-smi -b $words
	rc_is 2 "usage: -b $words"
	err_code conflict '-b' "-b $words: it says what the option goes with"
	out_empty "-b $words: and nothing is done"
done <<END
list --sim nonsense
list --pcc 0.9
list --impl portable
generate x --threads 2
verify ref --timeout 3
compare ref ref --seed 3
check -dir x
bench --workload conv
profile --report x.json
check --channels 2
host --channels 2
host --phases 2
cards --threads 2
host -i 1
list -d
END
export TT_SMI_SIM=nonsense
run tt-smi -b list --cases 8
rc_is 0 "a variable that the command has no use for is no mistake"
unset TT_SMI_SIM
run tt-smi -s --cases 8 --sim p150a
rc_is 2 "--cases belongs to the burn-in"
run tt-smi -b
rc_is 1 "-b alone burns nothing"
err_code nothing-named '-b' "and says what it takes"

# A signal, of SIGINT the second, does not wait for a product.
for signals in 15 "2 2"; do
	name="generate is ended at once (${signals#2 })"
	command -v python3 >/dev/null || { skip "$name" "no python3"; continue; }
	check "$name" python3 -c "
import os, shutil, subprocess, sys, time
p = subprocess.Popen(['tt-smi', '-b', 'generate', 'cut', '--cases', '8192'])
while not os.path.isdir('cut/float32'):
    time.sleep(0.01)
for s in sys.argv[1:]:
    time.sleep(0.3)
    p.send_signal(int(s))
rc, finished = p.wait(), os.path.exists('cut/config.json')
shutil.rmtree('cut')
assert rc == -int(sys.argv[1]) and not finished, rc" $signals
done

# A disk that is too small is found before anything is written, a limit of files while it is.
run sh -c 'ulimit -f 200; exec tt-smi -b generate limited --cases 8'
rc_is 1 "a file over the limit is a failure"
err_code too-large '' "with the reason"
check "no half file is left, and no config.json" [ -z "$(find limited -name '*.tmp' -o -name config.json)" ]
if command -v unshare >/dev/null && unshare -rm true 2>/dev/null; then
	mkdir full
	run unshare -rm sh -c "mount -t tmpfs -o size=900k none full && tt-smi -b generate full/ref --cases 8; rc=\$?
		find full -type f; exit \$rc"
	rc_is 1 "a disk that is too small is a failure"
	err_code no-space 'full/ref' "with the reason"
	out_empty "nothing is written"
else
	skip "a disk that is too small is a failure" "no user namespaces"
fi

# PyTorch itself.
lines() {	# directory: "float32 8 conv2d input HASH" for each input of each case
	for meta in "$1"/*/*_metadata.json; do
		awk -F'"' '
			$2 == "dtype" { type = $4 }
			$2 == "input_channels" { gsub(/[^0-9]/, "", $3); channels = $3 }
			$2 == "conv2d" || $2 == "matmul" { op = $2 }
			length($4) == 64 { print type, channels, op, $2, $4 }' "$meta"
	done | sort -k2,2n
}
run tt-smi -b generate more --cases 128,256,512
{ lines ref; lines more; } >hashes
check "there are hashes to compare" [ "$(wc -l <hashes)" = 60 ]
input=hashes
judge "every tensor has the bits that PyTorch draws" draws
input=/dev/null
for way in torch-dir torch-dir-plain; do
	rm -rf theirs
	judge "$way: PyTorch writes a directory" $way theirs 8 64
	[ -d theirs ] || continue
	run tt-smi -b verify theirs
	rc_is 0 "$way: a directory written by PyTorch verifies"
	out_has "theirs: 4 passed, 0 failed" "$way: each case of each type"
	out_has "drawn by another rule, held to their hashes" "$way: by its own rule"
	run tt-smi -b compare ref theirs --cases 8,64
	rc_is 0 "$way: its results compare well with ours"
	run tt-smi -b compare theirs ref --cases 8,64
	rc_is 0 "$way: and ours with them"
	flip theirs/bfloat16/k0576_ic064_matmul_output.npy 1
	run tt-smi -b compare ref theirs --cases 64
	rc_is 5 "$way: but not with a flipped bit"
	flip theirs/bfloat16/k0576_ic064_matmul_output.npy 1
	for file in k0072_ic008_conv2d_input k0576_ic064_conv2d_weight k0576_ic064_matmul_B; do
		flip theirs/bfloat16/$file.npy 2
		run tt-smi -b verify theirs
		rc_is 5 "$way: $file: a flipped bit is found there too"
		flip theirs/bfloat16/$file.npy 2
	done
	for op in conv2d matmul; do
		flip theirs/bfloat16/k0576_ic064_${op}_output.npy 1
		run tt-smi -b verify theirs
		rc_is 5 "$way: a flipped bit of a result of $op, too"
		flip theirs/bfloat16/k0576_ic064_${op}_output.npy 1
	done
	run tt-smi -b verify theirs
	rc_is 0 "$way: and without them it verifies again"
	[ $way = torch-dir-plain ] || continue
	run tt-smi -b compare ref theirs --cases 64 --ulp 4 --dtype bfloat16
	rc_is 5 "$way: nor within few ULP"
	mkdir -p bare
	cp theirs/bfloat16/k0576_ic064_*_output.npy bare/
	run tt-smi -b compare ref bare/*.npy --dtype bfloat16
	rc_is 4 "$way: without metadata nobody knows who rounded so"
	out_has 'it has no metadata' "$way: and that is said"
done
done_testing
