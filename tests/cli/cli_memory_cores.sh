# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of a card's memory on the chip simulator itself, as the cores see them
# that read it beside the products: each is found and named, no core is blamed.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/memory_lib.sh"

from_the_cores() {	# name library
	for fault in stale stuck alias endpoint write flip twin stray; do
		for seed in $(seq "$seeds"); do
			# The host writes through endpoint 0 alone, which is that of the first seed.
			[ $fault = stray ] && [ "$seed" -gt 1 ] && continue
			burn "$2" "$fault@$seed" tt-smi -b 0 --workload conv,memory --iterations 1 --no-reset
			rc_is 5 "$1: $fault, seed $seed: FAIL"
			judge cores $fault "$1: $fault, seed $seed"
			check "$1: $fault, seed $seed: no core is blamed" \
				sh -c '! grep -q "wrong words* on" "$1"' sh "$out"
		done
	done
}
well() {	# name library
	burn "$2" "harvest@1" tt-smi -b 0 --workload conv,memory --iterations 1 --no-reset --stop-on-error
	rc_is 0 "$1: a good card with a channel switched off passes, whatever its cores find on purpose"
	check "$1: every way but that was read while products were made" python3 - report.json <<'PYTHON'
import json, sys
off = int(open("told").readline().split()[0].split("=")[1])
m = json.load(open(sys.argv[1]))["targets"][0]["card_memory"]
assert m["findings"] == [] and m["bytes_verified"] > 1 << 20 and m["mvmul_meanwhile"] > 100000, m
assert len(m["channels"]) in (5, 7) and off not in [c["channel"] for c in m["channels"]], m
for c in m["channels"]:
    assert sum(e["words"] for e in c["endpoints"]) == c["words"], c
    assert all(e["words"] > 0 and e["wrong"] == 0 for e in c["endpoints"]), c
PYTHON
	check "$1: and that channel was not touched" sh -c '! grep -q touched told'
}
each_chip well
each_chip from_the_cores
done_testing
