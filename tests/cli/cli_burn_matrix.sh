# SPDX-License-Identifier: GPL-2.0-or-later
# What a burn is asked for, by all combinations of work, type and target: each is either
# refused before anything happens, or stands in the ledger of every target that passes.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/burn_lib.sh"
export TT_SMI_BURNIN_DWELL=32	# how much the host computes is not what is tested here
export TT_SMI_SIM_SPEED=100
lib wh

# Every subset of the four words.
subsets=$(for a in conv ''; do for b in matmul ''; do for c in memory ''; do for d in vector ''; do
	echo "$a,$b,$c,$d" | sed 's/,,*/,/g; s/^,//; s/,$//'
done; done; done; done | grep .)
has() { case ,$1, in *,$2,*) ;; *) return 1 ;; esac; }

# Whether a burn can do this; what nobody does, or a target cannot, is a mistake.
can() {	# targets workload dtype
	products=no
	if has "$2" conv || has "$2" matmul; then products=yes; fi
	if has "$2" vector; then
		[ $products = yes ] && [ "$1" != host ] || return 1
	fi
	[ -n "$3" ] || return 0
	[ $products = yes ] || return 1
	case $1/$3 in
	host/*|cards/bfloat16) ;;
	cards/*) return 1 ;;
	*) has "$3" bfloat16 ;;
	esac
}
refused=0 wrong=''
for targets in host cards 'host cards' all; do
	for workload in $subsets; do
		for dtype in '' float32 bfloat16 float32,bfloat16; do
			can "$targets" "$workload" "$dtype" && continue
			# shellcheck disable=SC2086
			run timeout 60 tt-smi -b $targets --ttsim wh.so --iterations 1 --workload $workload \
				${dtype:+--dtype $dtype}
			refused=$((refused + 1))
			if [ $rc != 2 ] || [ -s "$out" ] || ! grep -Eq '^tt-smi: --(workload|dtype): ' "$err"; then
				wrong="$wrong
# -b $targets --workload $workload ${dtype:+--dtype $dtype}: exit code $rc, $(head -n 1 "$out")"
			fi
		done
	done
done
echo "# $refused of $((4 * 15 * 4)) combinations are refused$wrong"
check "what a target cannot do is a usage error, and nothing is done" [ -z "$wrong" ]

if [ $py = none ]; then
	skip "what stands in the ledger" "no python3"
	done_testing
	exit
fi
covers() {	# name workload channels: all of it stands in each card's ledger, and was done
	check "$1" $py - "$2" "$3" <<'PYTHON'
import json, sys
work, channels = set(sys.argv[1].split(",")), int(sys.argv[2])
ops = len(work & {"conv", "matmul"})
for t in json.load(open("report.json"))["targets"]:
	if "card_settings" not in t:
		continue
	want = {"rounds": 1}
	if ops:
		want.update(cores=80, kinds=80 * ops)
	if "vector" in work:
		want["vectors"] = 80
	if "memory" in work:
		want["channels"] = channels
	if "memory" in work and ops:
		want.update(movers=80, reloads=80, endpoints=3 * channels)
	got = t["coverage"]
	for key, amount in want.items():
		assert got[key]["asked"] == amount, (key, got)
	for key in {"kinds", "vectors", "channels", "movers"} - set(want):
		assert key not in got, (key, got)
	for key, item in got.items():
		assert item["done"] >= item["asked"], (key, got)
	assert t["verdict"] == "PASS", t["reason"]
PYTHON
}
for workload in $subsets; do
	can cards "$workload" '' || continue
	size=''
	[ "$workload" = memory ] && size='--size 64k'
	# shellcheck disable=SC2086
	burn cards --no-reset --ttsim wh.so --iterations 1 --workload $workload $size
	rc_is 0 "$workload: a card passes"
	covers "$workload: all of it stands in its ledger" "$workload" 6
done
burn cards --no-reset --ttsim wh.so --iterations 1 --workload conv,memory --channels 1,4
covers "two channels are asked for, and no others" conv,memory 2
burn cards --no-reset --ttsim wh.so --iterations 1 --workload memory --channels 5 --size 64k
covers "one channel is, where the memory alone is tested" memory 1
burn host cards --no-reset --ttsim '2*wh.so' --iterations 1 --threads 1 --workload matmul,vector --dtype float32,bfloat16
rc_is 0 "a host and two cards pass together"
covers "each card has a ledger of its own" matmul,vector 0
json "beside the host's work in both types" \
	"[w['dtype'] for w in t['work']] == ['bfloat16', 'float32'] and all(w['blocks'] > 0 for w in t['work'])"

# Each report is of its own target.
json "operands and sums of a card are a card's, and those of the host the host's" \
	"'rounds nothing' in r['targets'][1]['card_settings']['accumulation'] and r['targets'][1]['card_settings']['dtype'] == 'bfloat16' and 'rounded once' in t['accumulation'] and 'six patterns' in t['operands'] and 'operands' not in r['settings']"

# Time is asked for where no number of rounds is.
burn cards --no-reset --ttsim wh.so -dur 1.5 --workload conv
rc_is 0 "a burn of a second and a half passes"
json "with all of its time" "t['coverage']['seconds']['asked'] == 1.5 <= t['coverage']['seconds']['done'] and t['coverage']['cores'] == {'asked': 80, 'done': 80}"
burn cards --no-reset --ttsim wh.so --first-light --workload conv
json "a first light is its stages" "t['coverage']['rounds'] == {'asked': 5, 'done': 5} and t['coverage'].get('seconds', {'asked': 0})['asked'] == 0"

# A process that believes it was told to stop: a flipped word in what it shares with us.
stop_it() {	# of the process that burns the card: its first shared word is "stop"
	$py - "$(child_of $pid)" <<'PYTHON'
import re, sys
for line in open("/proc/%s/maps" % sys.argv[1]):
	m = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw-s .*/dev/zero", line)
	if not m or int(m[2], 16) - int(m[1], 16) < 60000:
		continue
	with open("/proc/%s/mem" % sys.argv[1], "r+b", 0) as f:
		f.seek(int(m[1], 16))
		if f.read(4) == b"\0\1\0\0":	# it runs, and nobody has told it to stop
			f.seek(int(m[1], 16))
			f.write(b"\1")
			sys.exit(0)
sys.exit(1)
PYTHON
}
begin cards --no-reset --ttsim wh.so -dur 1000 --workload conv
if stop_it; then
	ended
	rc_is 4 "a burn that ends before its time is no success"
	out_has ' of 1000 s of load' "and says how long it was"
	json "and so does the report" "t['coverage']['seconds']['asked'] == 1000 > t['coverage']['seconds']['done'] and t['verdict'] == 'INCOMPLETE'"
else
	kill -TERM $pid
	ended
	skip "a burn that ends before its time" "memory of another process cannot be written here"
fi

# Known before the start: said before the card is taken or reset.
while IFS='|' read -r text args; do
	# shellcheck disable=SC2086
	run timeout 60 tt-smi -b cards --ttsim wh.so $args
	check "$args: is no success" [ "$rc" != 0 ]
	cat "$err" >>"$out"
	out_has "$text" "$args: says '$text'"
	out_lacks 'reset' "$args: and nothing was reset"
done <<'TABLE'
--dtype: a card burns conv and matmul in bfloat16, not in float32|--dtype float32
--dtype: a card burns conv and matmul in bfloat16, not in float32|--dtype float32,bfloat16
INCOMPLETE: memory channel 6 is switched off, or the card has none of this number|--workload conv,memory --channels 6
INCOMPLETE: memory channel 7 is switched off, or the card has none of this number|--workload memory --size 64k --channels 5,7
--first-light: goes with conv or matmul in --workload|--workload memory --first-light
--held: goes with conv or matmul in --workload|--workload memory --held
--phases: goes with conv or matmul in --workload|--workload memory --phases 2
--pattern: goes with conv or matmul in --workload|--workload memory --pattern pulse
TABLE
none_left "all of them"
done_testing
