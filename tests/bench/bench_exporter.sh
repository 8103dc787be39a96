# SPDX-License-Identifier: GPL-2.0-or-later
# The exporter of 32 boards beside node_exporter's own, both scraped once a second: how long a scrape
# takes, which processor time both take for it (the sampling of the cards is ours alone), and bytes.
set -u
. "$top_srcdir/tests/bench/lib.sh"
runs=${BENCH_RUNS:-30}
work=$(mktemp -d)
export TT_SMI_STATE_DIR="$work/state"
node=$(command -v prometheus-node-exporter || command -v node_exporter)
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$work"' EXIT

bench_watch "$work/then"
"$TT_SMI" --exporter "$work/ours" --sim '32*p150a' 2>/dev/null &
ours=$!
pids=$ours
theirs=
if [ -n "$node" ]; then
	"$node" --web.listen-address=127.0.0.1:19100 >/dev/null 2>&1 &
	theirs=$!
	pids="$ours $theirs"
fi
python3 - "$runs" "$work/ours" "$ours" 127.0.0.1:19100 "$theirs" >"$work/figures" <<'END'
import glob, os, socket, sys, time

runs = int(sys.argv[1])

def scrape(where):
    began = time.perf_counter()
    if "/" in where:
        s = socket.socket(socket.AF_UNIX)
        s.connect(where)
    else:
        host, port = where.rsplit(":", 1)
        s = socket.create_connection((host, int(port)))
    s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    answer = b"".join(iter(lambda: s.recv(65536), b""))
    s.close()
    return time.perf_counter() - began, len(answer.split(b"\r\n\r\n", 1)[1])

def processor(pid):
    """Seconds that a process and its children have taken."""
    sum = 0
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            words = open(stat).read().rsplit(")", 1)[1].split()
            one = stat.split("/")[2]
            if one == pid or words[1] == pid:
                for task in glob.glob("/proc/%s/task/*/schedstat" % one):
                    sum += int(open(task).read().split()[0])
        except OSError:
            pass
    return sum / 1e9

peers = [p for p in ((sys.argv[2], sys.argv[3]), (sys.argv[4], sys.argv[5])) if p[1]]
for where, pid in peers:
    for attempt in range(300):
        try:
            scrape(where)
            break
        except OSError:
            time.sleep(0.1)
took, size = {p: [] for p in peers}, {}
before = {p: processor(p[1]) for p in peers}
began = time.monotonic()
for i in range(runs):
    time.sleep(max(0, began + i + 1 - time.monotonic()))
    for p in peers:
        t, size[p] = scrape(p[0])
        took[p].append(t)
wall = time.monotonic() - began
for p in peers:
    print("%.2f %.3f %d" % (sorted(took[p])[runs // 2] * 1000,
                            (processor(p[1]) - before[p]) / wall * 100, size[p]))
END
kill $pids
wait $pids 2>/dev/null
bench_seen "$work/then"
awk 'BEGIN { name[1] = "tt-smi --exporter, 32 boards"; name[2] = "node_exporter, this machine" }
	{ printf "%-30s a scrape %7.2f ms, processor %6.3f %% of a core, %7d bytes\n", name[NR], $1, $2, $3 }' "$work/figures"
[ -n "$node" ] || echo "node_exporter is not installed"
read -r ms core bytes <"$work/figures"
bench_figure exporter.scrape "$ms" "$world"
bench_figure exporter.core "$core" "$world"
bench_figure exporter.bytes "$(awk "BEGIN { printf \"%.1f\", $bytes / 32000 }")" "$world"
