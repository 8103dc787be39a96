# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of a card's memory on the chip simulator itself: the test from the host
# finds and names each of them, --check-memory the one that it can see, and a
# channel that is switched off is not touched.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/memory_lib.sh"

channels_of() {	# library fault@seed: where it will be; and another one, where that matters
	wrapped "$1" "$2" tt-smi -s >/dev/null
	case $2 in
	twin*|stray*|cross*|dark*) sed -n 's/^channel=\([0-9]*\) .* other=\([0-9]*\)$/\1,\2/p' told;;
	*) sed -n 's/^channel=\([0-9]*\) .*/\1/p' told;;
	esac
}
from_the_host() {	# name library
	for fault in lane stuck alias highline pair endpoint write flip twin stray cross shortline burst deaf dark; do
		for seed in $(seq "$seeds"); do
			rounds=1
			[ $fault = flip ] && rounds=5
			burn "$2" "$fault@$seed" tt-smi -b 0 --workload memory --size 64k --seed "$seed" \
				--channels "$(channels_of "$2" "$fault@$seed")" --iterations $rounds
			rc_is 5 "$1: $fault, seed $seed: FAIL"
			judge host $fault "$1: $fault, seed $seed"
		done
	done
}
without_a_write() {	# name library
	for seed in $(seq "$seeds"); do
		wrapped "$2" "lane@$seed" tt-smi --check-memory --json --size 128k
		rc_is 5 "$1: --check-memory, seed $seed: the card disagrees"
		check "$1: --check-memory, seed $seed: channel, lane and kind" python3 - "$out" <<'PYTHON'
import json, sys
n = {k: int(v, 0) for k, v in (w.split("=") for w in open("told").readline().split())}
for c in json.load(open(sys.argv[1]))["check_memory"][0]["channels"]:
    bad = c["channel"] == n["channel"]
    assert c["verdict"] == ("disagrees" if bad else "agrees"), c
    assert c["kind"] == ("shifted" if bad else None) and c["endpoint"] is None, c
    assert c["late_bytes"] == ([n["late_even"], n["late_odd"]] if bad else []), c
    assert [i for i in range(4) if c["lanes"][i]] == ([n["lane"]] if bad else []), c
PYTHON
	done
}
switched_off() {	# name library
	for seed in $(seq "$seeds"); do
		burn "$2" "harvest@$seed" tt-smi -b 0 --workload memory --size 64k --iterations 1
		rc_is 0 "$1: a channel that is switched off, seed $seed: the others pass"
		check "$1: seed $seed: it stands nowhere" python3 - report.json <<'PYTHON'
import json, sys
off = int(open("told").readline().split()[0].split("=")[1])
c = json.load(open(sys.argv[1]))["targets"][0]["memory"]["channels"]
assert len(c) in (5, 7) and off not in [x["channel"] for x in c], (off, c)
assert all(x["words"] > 0 for x in c)
PYTHON
		check "$1: seed $seed: and was not touched" sh -c '! grep -q touched told'
		wrapped "$2" "harvest@$seed" tt-smi --check-memory --size 64k
		rc_is 0 "$1: seed $seed: --check-memory"
		check "$1: seed $seed: does not touch it either" sh -c '! grep -q touched told'
	done
}
each_chip from_the_host
each_chip without_a_write
each_chip switched_off
done_testing
