# SPDX-License-Identifier: GPL-2.0-or-later
# --burnin check, bench, profile: the host kernels from outside.
. "$top_srcdir/tests/rig/lib.sh"

run tt-smi --burnin check --cases 8,32
rc_is 0 "every implementation agrees with the golden results"
err_empty "without a word on stderr"
check "2 cases x 2 operations x 2 types have golden results" [ "$(grep -c '^ *golden ' "$out")" = 8 ]
each=$(grep -c 'naive .*: pass$' "$out")
check "the naive one is among them each time" [ "$each" = 8 ]
pass=': pass\( (unproven)\)\{0,1\}$'	# a kernel that no silicon has proven yet says so
all=$(grep -c "^  v[123] .*$pass" "$out")
check "portable is there as often" [ "$(grep -c '^  v2 portable .*: pass$' "$out")" = 8 ]
odd=$(sed -n "s/^  v[123] \([a-z0-9]*\) .*$pass/\1/p" "$out" | sort | uniq -c | grep -vcE '^ *8 |^ *4 (avx512bf16|amx)$')
check "each kernel has every case, but for those that do bfloat16 only" [ "$odd" = 0 ]
if ! grep -q '^flags.* amx_bf16' /proc/cpuinfo && grep -q '^flags.* avx2' /proc/cpuinfo; then
	out_has "not checked: amx (unproven) needs AVX-512 AVX512-BF16 AMX-BF16" "what cannot run is named, with what it needs"
else
	skip "what cannot run is named, with what it needs" "this processor has AMX, or is no x86-64"
fi
out_has "check: $all passed, 0 failed, 0 could not be checked" "and the end counts them"

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
check "every time is a number above 0" [ "$(grep -E '^ +(8|16) ' "$out" | grep -cE '[| ](0\.0|-|nan|inf) ')" = 0 ]
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
	until grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status || ! kill -0 $pid; do sleep 0.05; done 2>/dev/null
	sleep 0.3
	kill -INT $pid
	wait $pid
	rc=$?
	rc_is 1 "$word: SIGINT ends it"
	out_has "stopped" "$word: which is said"
done
check "the trace of what was done is there" [ -s burnin-trace.json ]

for words in "check x" "bench x" "profile a b" "check --cases 9"; do
	run tt-smi -b $words
	rc_is 2 "usage: -b $words"
done

done_testing
