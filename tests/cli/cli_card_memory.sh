# SPDX-License-Identifier: GPL-2.0-or-later
# -b CARD --workload memory from outside: a good card passes, a lane that is late
# fails with channel and lane, and what was not tested is not called good.
. "$top_srcdir/tests/rig/lib.sh"

for name in bh bh+late wh; do
	cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/$name.so"
done
memory() {	# library words...
	library=$1
	shift
	run timeout 200 tt-smi -b 0 --workload memory --ttsim "$library" "$@"
}

memory wh.so --size 64k --channels 5 --iterations 1 --report wh.json
rc_is 0 "a good card passes"
out_has 'overwrites 1 MiB and more of each of 1 channel, which is not put back' "what is lost is said"
out_has 'The chip is not reset before' "and that no reset hides a fault"
out_has '  channel 5  ++++' "each lane of the channel is shown"
check "the verdict" grep -q '^0 0000:01:00.0 .*: PASS$' "$out"
check "as JSON" python3 - wh.json <<'PYTHON'
import json, sys
m = json.load(open(sys.argv[1]))["targets"][0]["memory"]
assert m["tested_every_way"] and m["iterations"] == 1 and m["findings"] == [], m
assert m["bytes_of_a_channel"] == 65536 and len(m["channels"]) == 1
c = m["channels"][0]
assert c["channel"] == 5 and c["wrong"] == 0 and c["lanes"] == [0, 0, 0, 0]
assert [e["endpoint"] for e in c["endpoints"]] == [0, 1, 2]
assert all(e["words"] == c["words"] / 3 > 10000 for e in c["endpoints"])
PYTHON

memory bh+late.so --size 64k --channels 2,3 --iterations 1 --report bh.json
rc_is 5 "a lane that is late fails"
cp bh.json report.json
verdict_is 0 FAIL memory-wrong "with channel, lane and kind"
out_has '  channel 2  ++++' "the other channel is well"
out_has '  channel 3  ++X+' "and of this one, the other lanes"
check "as JSON" python3 - bh.json <<'PYTHON'
import json, sys
d = json.load(open(sys.argv[1]))
m = d["targets"][0]["memory"]
assert d["verdict"] == "FAIL" and d["errors"] > 1000
f, = m["findings"]
assert f["channel"] == 3 and f["endpoint"] is None and f["kind"] == "shifted", f
assert f["path"] == "read" and f["late_bytes"] == [64, 128] and f["words"] > f["wrong"] > 1000
assert [n > 0 for n in f["lanes"]] == [False, False, True, False]
PYTHON

memory bh.so -dur 0.3
rc_is 4 "what was not tested in every way is not called good"
check "and that there is more is said" grep -qE \
	'INCOMPLETE: .*(of 32 MiB of memory verified|[0-7] of 8 memory channels were)' "$out"
# How far it comes is the machine's affair: what it says of that is what its report has.
memory bh.so -dur 8 --channels 0 --size 1G --report short.json
rc_is 4 "nor is what was asked for and not reached"
cp short.json report.json
verdict_is 0 INCOMPLETE not-covered "and said"
check "as JSON" python3 - short.json "$out" <<'PYTHON'
import json, re, sys
t = json.load(open(sys.argv[1]))["targets"][0]
said = re.search("INCOMPLETE: .*", open(sys.argv[2]).read()).group()
assert not t["memory"]["tested_every_way"] and t["errors"] == 0
of = t["coverage"]
done = t["memory"]["channels"][0]["bytes_verified"]
assert of["bytes"] == {"asked": 1 << 30, "done": done} and done < 1 << 30, of
assert of["patterns"]["asked"] == 15 and of["patterns"]["done"] <= 15, of
assert done < 1 << 20 or re.search(r"; [0-9.]+ of 1024 MiB of memory verified", said), said
patterns = "; %d of 15 patterns were verified" % of["patterns"]["done"]
assert (patterns in said) == (of["patterns"]["done"] < 15), said
PYTHON
run timeout 60 tt-smi -b 0 --workload memory --sim p150a:held
rc_is 6 "a held card is refused"
run timeout 60 tt-smi -b 0 --workload memory --sim p150a --iterations 1 --report report.json
rc_is 4 "simulated boards are not tested"
verdict_is 0 INCOMPLETE simulated "and said"
while IFS='|' read -r words args; do
	run timeout 60 tt-smi -b 0 --sim p150a $args
	rc_is 2 "$args: exit code"
	err_has "$words" "$args: says '$words'"
done <<'TABLE'
--channels: goes with memory|--channels 2
not a list of memory channels|--workload memory --channels 9
neither a size of at least|--workload memory --size 1k
--size: is of a card whose memory alone is tested|--workload conv,memory --size 1M
TABLE

real() {	# name library
	if [ -z "$2" ]; then
		skip "the simulator itself: $1" "$1 does not name its library"
		return
	fi
	memory "$2" --size 64k --channels 1 --iterations 1
	rc_is 0 "$1: its memory passes"
	out_has '  channel 1  ++++' "$1: each lane of it"
}
real TTSIM_WH "${TTSIM_WH:-}"
real TTSIM_BH "${TTSIM_BH:-}"
check "no process is left" sh -c "! pgrep -f '[t]t-smi .*$work' >/dev/null"
done_testing
