# SPDX-License-Identifier: GPL-2.0-or-later
# The exporter of 32 cards under 10,000 junk requests, 200 slow ones, half-closed ones and
# megabytes of header, beside a good scraper: its p99 stays under 10 ms, and no tick is late by half
# an interval.  On two quiet cores; on busy ones the figures are all that counts.
# And the proof with a real Prometheus in full: 64 exporters of 32 cards.
. "$top_srcdir/tests/rig/lib.sh"

if ! command -v python3 >/dev/null; then
	skip "junk" "no python3"
	done_testing
	exit
fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
tt-smi --exporter "$port" -i 0.5 --sim '32*p150a' 2>said &
pid=$!
await grep -q 'metrics at' said
memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status"; }
descriptors() { find "/proc/$pid/fd" | wc -l; }
run python3 "$top_srcdir/tests/rig/http_junk.py" "$port" 2000 0.5
before=$(memory) before_open=$(descriptors)
run python3 "$top_srcdir/tests/rig/http_junk.py" "$port" 10000 0.5
rc_is 0 "10,000 junk requests: the good scraper is served throughout"
echo "# $(cat "$out"), load $(cut -d' ' -f1 /proc/loadavg), $(memory) kB"
figure() { sed "s/.* $1 \([0-9.]*\).*/\1/" "$out"; }
check "its p99 is under 10 ms" awk "BEGIN { exit !($(figure p99_ms) < 10) }"
check "and no tick is late by half an interval" awk "BEGIN { exit !($(figure late_ms) < 250) }"
check "memory stays the same" [ "$(memory)" -le $((before * 5 / 4 + 4096)) ]
check "and so do descriptors" await sh -c "[ \$(find /proc/$pid/fd | wc -l) -le $((before_open + 8)) ]"
kill -TERM $pid
wait $pid
rc=$?
rc_is 0 "SIGTERM ends it"

METRICS_EXPORTERS=${METRICS_EXPORTERS:-64} bash "$top_srcdir/tests/tree/prometheus.sh" >proof
code=$?
grep -E '^not ok|every series|no .* here' proof
[ $code -eq 77 ] || check "64 exporters of 32 cards under a real Prometheus" [ $code -eq 0 ]
done_testing
