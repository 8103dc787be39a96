# SPDX-License-Identifier: GPL-2.0-or-later
# --burnin check, bench, profile: the host kernels from outside.
. "$top_srcdir/tests/rig/lib.sh"

run tt-smi --burnin check --cases 8,32
rc_is 0 "every implementation agrees with the golden results"
err_empty "without a word on stderr"
check "2 cases x 2 operations x 2 types have golden results" [ "$(grep -c '^ *golden ' "$out")" = 8 ]
each=$(grep -c 'naive .*: pass$' "$out")
check "the naive one is among them each time" [ "$each" = 8 ]
pass=': pass$'
all=$(grep -c "^  v[123].*$pass" "$out")
check "portable is there as often" [ "$(grep -c '^  v2 portable .*: pass$' "$out")" = 8 ]
odd=$(sed -n "s/^  v[123] \([a-z0-9]*\) .*$pass/\1/p" "$out" | sort | uniq -c | grep -vcE '^ *8 |^ *4 (avx512bf16|amx)$')
check "each kernel has every case, but for those that do bfloat16 only" [ "$odd" = 0 ]
if ! grep -q '^flags.* amx_bf16' /proc/cpuinfo && grep -q '^flags.* avx2' /proc/cpuinfo; then
	out_has "not checked: amx needs AVX-512 AVX512-BF16 AMX-BF16" "what cannot run is named, with what it needs"
else
	skip "what cannot run is named, with what it needs" "this processor has AMX, or is no x86-64"
fi
out_has "check: $all passed, 0 failed, 0 could not be checked" "and the end counts them"

pairs=$(grep -cE '^  v1_[a-zA-Z]+ == v2_[a-zA-Z]+: True \([0-9.e+-]+\), [0-9.e+-]+ of the bound, portable: pass$' "$out")
check "v1 and v2 agree on each result and on both of its gradients" [ "$pairs" = 24 ]
for tensor in y dX dW dA dB; do
	rows=$([ $tensor = y ] && echo 8 || echo 4)
	check "$tensor of the plain one is there each time" [ "$(grep -cE "^  v1 naive +\|\|$tensor\|\| = [0-9.]+" "$out")" = "$rows" ]
	if grep -q '^  v3 ' "$out"; then
		check "and in all three pairs" [ "$(grep -cE "^  v[12]_$tensor == v[23]_$tensor: True .*: pass$" "$out")" = $((3 * rows)) ]
	else
		skip "and in all three pairs" "this processor has no v3"
	fi
done
out_has "bound of a pair: 2 u min(K + 2, 16) ||a|| ||b||, u 2^-24, of float64 2^-53" "the bound is stated"

# A level takes away what is above it, and no level is silently another one.
TT_SMI_CPU_LEVEL=baseline run tt-smi -b check --cases 8 --dtype float32
rc_is 0 "the plain ones agree at level baseline"
check "with nothing that needs more than the processor's baseline" not grep -qE '^  v3 (avx|amx)' "$out"
if uname -m | grep -q x86_64; then
	out_has "this processor: none" "whose processor has no features"
	TT_SMI_CPU_LEVEL=baseline run tt-smi -b check --cases 8 --impl avx2
	rc_is 1 "nor does --impl choose one"
	err_code unsupported '--impl' "which is said"
fi
TT_SMI_CPU_LEVEL=avx1024 run tt-smi -b check --cases 8
rc_is 2 "an unknown level is a usage error"
err_code bad-value 'TT_SMI_CPU_LEVEL' "that names the levels"
out_empty "and nothing is done"

# The seeds' own: a batch of 16, and factors of 32 and 32.
run tt-smi --burnin check --shape 16x32x32 --dtype d
rc_is 0 "a shape is checked in float64"
err_empty "without a word on stderr"
check "as a matmul" [ "$(grep -c '^matmul, float64, 16 x 32 x 32$' "$out")" = 1 ]
check "and nothing else is" [ "$(grep -cE '^(matmul|conv2d), ' "$out")" = 1 ]
out_has "v1_y == v2_y: True (" "with the results of the plain one and the blocked one,"
out_lacks "is the farthest" "and no element of one that holds is accused"
out_has "v1_dB == v2_dB: True (" "and their gradients"
run tt-smi -b check --shape 1x1x1,7x13x5 --shape 33x1x129,1x300x2 --dtype d,f,bfloat16
rc_is 0 "shapes that are multiples of nothing are right"
check "each in each type" [ "$(grep -cE '^matmul, (float32|float64|bfloat16), [0-9]+ x [0-9]+ x [0-9]+$' "$out")" = 12 ]
run tt-smi -b check --shape 1x7x1,1x33x1,1x100x1 --dtype f
rc_is 0 "one element, which has no correlation, is judged by how far it is off"
out_has "PCC - (golden is constant)" "and none is printed"
run tt-smi -b check --shape 2x2x2 --dtype d --impl amx
rc_is 1 "nothing that could be checked is no success"
check "and the reason is said" grep -q -e 'amx: this processor cannot run it' \
	-e 'none of the implementations chosen computes this' "$err"
run tt-smi -b bench --shape 16x32x32,32x128x128 --dtype f,d
rc_is 0 "bench times shapes"
check "a row for each and each type" [ "$(grep -cE '^ +(16 x 32 x 32|32 x 128 x 128) .* %$' "$out")" = 4 ]
run tt-smi -b profile shape.json --shape 7x13x5 --dtype d
rc_is 0 "profile runs one"
out_has "matmul  float64   7 x 13 x 5: " "and says so"

huge=1048576x1048576x1048576
for word in check bench profile; do
	run tt-smi -b $word --shape 1x1x1,$huge
	rc_is 1 "$word: what does not fit into memory is not begun"
	err_code no-memory '1048576' "$word: the need and what there is are said"
	out_lacks "matmul" "$word: of no other shape either"
done
for shape in 0x1x1 1x0x1 1x1 1x1x1x1 x1x1 1x1x 1x-1x1 +1x1x1 1048577x1x1 99999999999999999999x1x1 16,32,32 1x1x1,,1x1x1 16*32*32; do
	run tt-smi -b check --shape $shape
	rc_is 2 "--shape $shape is a usage error"
	err_code bad-value '1048576' "which says what a shape is"
done
run tt-smi -b check --shape 1x1x1 --cases 8
rc_is 2 "cases are other shapes"
err_code conflict '--cases' "which is said"
run tt-smi -b check --shape 1x1x1 --workload conv
rc_is 2 "a conv2d of a shape is not to be had"
run tt-smi -b list --shape 1x1x1
err_code conflict '--shape' "where a shape goes is said"
for words in list generate "host -dur 1"; do
	run tt-smi -b $words --dtype d
	rc_is 2 "-b $words has no float64"
	err_code unsupported '--dtype' "which is said"
done

# What PyTorch makes of the same: the draws are its own, bit for bit.
cat >torch_check.py <<'END'
import re, sys, torch
rows = dict(re.findall(r"^  v1 naive +\|\|(\w+)\|\| = ([0-9.e+-]+)", open(sys.argv[1]).read(), re.M))
torch.manual_seed(42)
a, b = torch.randn(16, 32), torch.randn(32, 32)
torch.manual_seed(44)
dc = torch.randn(16, 32)
a.requires_grad_(), b.requires_grad_()
c = a @ b
c.backward(dc)
for name, ours in rows.items():
    theirs = {"y": c, "dA": a.grad, "dB": b.grad}[name].detach().double().norm().item()
    assert abs(float(ours) - theirs) < 1e-6 * theirs, (name, ours, theirs)
assert len(rows) == 3
END
if python3 -c 'import torch' 2>/dev/null; then
	run tt-smi -b check --shape 16x32x32 --dtype f
	check "PyTorch has the same norms of the result and both gradients" python3 torch_check.py "$out"
else
	skip "PyTorch has the same norms of the result and both gradients" "PyTorch is not installed"
fi

run tt-smi -b check --cases 32 --dtype float32 --pcc 1
rc_is 5 "a correlation of 1 leaves no room for another order of the terms"
out_has "FAIL" "and says so"

for version in v1 v2 v3; do
	run tt-smi -b check --cases 8 --dtype float32 --impl $version
	if [ $version = v3 ] && [ "$rc" = 1 ]; then
		skip "--impl $version checks all of that version" "this processor has none"
		continue
	fi
	rc_is 0 "--impl $version is a name, too"
	check "--impl $version checks all of that version, and no other" [ "$(sed -n 's/^  \(v[123]\) .*/\1/p' "$out" | sort -u)" = $version ]
done
for names in v4 naive,portable; do
	run tt-smi -b check --cases 8 --impl $names
	rc_is 2 "--impl $names is a usage error"
done
run tt-smi -b bench --cases 8,16
rc_is 0 "bench times them"
check "a row for each case, operation and type" [ "$(grep -cE '^ +(8 +72|16 +144) .* %$' "$out")" = 8 ]
# Of a rate above every peak that was sampled no share is known.
check "every time is a number above 0" [ "$(grep -E '^ +(8|16) ' "$out" | cut -d'|' -f2 |
	grep -cE '[| ](0\.0|-|nan|inf)( |$)')" = 0 ]
best=$(sed -n 's/.*rate: of \([a-z0-9]*\)$/\1/p' "$out" | sort -u | tr '\n' ' ')
check "the implementation is named" [ -n "$best" ]

for impl in naive portable; do
	TT_SMI_BURNIN_IMPL=$impl
	export TT_SMI_BURNIN_IMPL
	run tt-smi -b profile "$impl.json" --cases 8
	unset TT_SMI_BURNIN_IMPL
	rc_is 0 "profile runs $impl when it is asked for"
	check "and says so of each operation and type" [ "$(grep -c ": $impl\$" "$out")" = 4 ]
done
run tt-smi -b profile trace.json --cases 8,64
rc_is 0 "profile runs the best"
out_has "trace.json: load it at ui.perfetto.dev or chrome://tracing" "and names the trace"
cat >trace.py <<'END'
import json, sys
trace = json.load(open(sys.argv[1]))
assert set(trace) == {"traceEvents", "displayTimeUnit"} and trace["displayTimeUnit"] in ("ms", "ns")
events = trace["traceEvents"]
number = lambda v: isinstance(v, (int, float)) and not isinstance(v, bool)
for e in events:	# the Trace Event Format: what each kind has to have, and nothing that it does not know
    assert isinstance(e["name"], str) and e["name"] and type(e["pid"]) is int and type(e["tid"]) is int, e
    if e["ph"] == "X":
        assert set(e) == {"name", "cat", "ph", "ts", "dur", "pid", "tid"} and isinstance(e["cat"], str), e
        assert number(e["ts"]) and number(e["dur"]), e
    else:
        assert e["ph"] == "M" and e["name"] == "thread_name" and set(e["args"]) == {"name"}, e
for tid in {e["tid"] for e in events}:
    ends = [e["ts"] + e["dur"] for e in events if e["ph"] == "X" and e["tid"] == tid]
    assert all(b >= a - 0.002 for a, b in zip(ends, ends[1:])), "phases are in the order of their ends"
for tid in {e["tid"] for e in events}:
    names = [e for e in events if e["ph"] == "M" and e["tid"] == tid]
    assert len(names) == 1 and names[0]["args"]["name"] == "thread %d" % tid
    spans = [e for e in events if e["ph"] == "X" and e["tid"] == tid]
    assert sum(e["name"] in ("conv2d", "matmul") for e in spans) == 8, "8 operations"
    assert all(e["ts"] >= 0 and e["dur"] >= 0 and e["pid"] == 1 for e in spans)
    ends = []
    for e in sorted(spans, key=lambda e: (e["ts"], -e["dur"])):
        while ends and ends[-1] <= e["ts"] + 0.0005:
            ends.pop()
        assert not ends or e["ts"] + e["dur"] <= ends[-1] + 0.002, "phases lie inside one another"
        ends.append(e["ts"] + e["dur"])
END
if command -v python3 >/dev/null; then
	check "each thread has its operations, and phases that lie inside one another" python3 trace.py trace.json
else
	skip "each thread has its operations, and phases that lie inside one another" "no python3"
fi
run tt-smi -b profile --cases 8 --dtype float32
run tt-smi -b profile --cases 8 --dtype float32
check "default names do not meet" [ -s burnin-trace.json -a -s burnin-trace-2.json ]
run tt-smi -b profile none/trace.json --cases 8
rc_is 1 "a trace that cannot be written is a failure"
err_has "none/trace.json" "which names it"

# Stopped with all its threads at work: what was done is told, and that it is not all.
for word in check bench profile; do
	rm -f burnin-trace*
	tt-smi -b $word >"$out" 2>"$err" &
	pid=$!
	await_of $pid has_line /proc/$pid/comm '^tt-smi$'
	await_of $pid has_line /proc/$pid/status '^SigCgt:.*[2367abef]$'
	nap 0.3
	kill -INT $pid
	wait $pid
	rc=$?
	rc_is 4 "$word: SIGINT ends it"
	out_has "stopped" "$word: which is said"
done
check "the trace of what was done is there" [ -s burnin-trace.json ]

# One product may take minutes: who asks a second time does not wait for its end.  The data and what the
# check compares with are made faster, and end at the first signal: this one has to come later.
computed() { [ "$(awk '{ print $14 }' /proc/$pid/stat 2>/dev/null || echo 9999)" -ge $1 ]; }	# ticks
caught() { grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status 2>/dev/null; }
for word in check bench profile; do
	tt-smi -b $word --shape 3000x3000x3000 --impl v1 --dtype f >"$out" 2>"$err" &
	pid=$!
	[ $word = check ] && ticks=1500 || ticks=30
	await_of $pid computed $ticks
	kill -INT $pid
	await_of $pid not caught
	kill -INT $pid
	wait $pid
	rc=$?
	rc_is 130 "$word: a second SIGINT ends it at once"
done

for words in "check x" "bench x" "profile a b" "check --cases 9"; do
	run tt-smi -b $words
	rc_is 2 "usage: -b $words"
done

done_testing
