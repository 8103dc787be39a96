# SPDX-License-Identifier: GPL-2.0-or-later
# make proof-metrics: a real Prometheus, and its own judge of metrics, at a small fleet.
. "$top_srcdir/tests/rig/lib.sh"

exporters=${METRICS_EXPORTERS:-4} cards=32
for need in promtool prometheus python3; do
	command -v $need >/dev/null || { echo "no $need here: Debian's prometheus has promtool"; exit 77; }
done
end_all() { kill $pids 2>/dev/null; wait $pids 2>/dev/null; }
pids=
trap 'end_all; remove_work' EXIT
ask() {	# expression: the value of its only series
	python3 - "$prometheus" "$1" <<-'END'
		import json, sys, urllib.parse, urllib.request
		where, query = sys.argv[1:]
		url = f"http://127.0.0.1:{where}/api/v1/query?" + urllib.parse.urlencode({"query": query})
		try:
		    found = json.load(urllib.request.urlopen(url, timeout=30))["data"]["result"]
		    print(found[0]["value"][1] if len(found) == 1 else f"{len(found)} series")
		except OSError as trouble:
		    print(trouble)
	END
}
judge() {	# file
	sh -c 'promtool check metrics <"$1"' - "$1" >"$work/judged" 2>&1
	rc=$?
	mv judged "$out"
}
is_asked() { [ "$(ask "$1")" = "$2" ]; }
await_is() {	# expression value name
	for _ in $(seq 600); do
		is_asked "$1" "$2" && break
		sleep 0.1
	done
	echo "# $1 is $(ask "$1"), expected $2" >"$out"
	: >"$err"
	check "$3" is_asked "$1" "$2"
}

for spec in 'n150,n300,p100a,p150a,p150b,p300,e150' 'p150a:hang,n300:hot,p150a:garbage,n150:narrow'; do
	for more in '' --external --passive --remote; do
		run tt-smi --textfile /dev/stdout --once --sim "$spec" $more
		rc_is 0 "the text of $spec $more"
		judge "$out"
		rc_is 0 "promtool finds nothing wrong with it"
	done
done
cat >wrong <<END
# HELP tt_smi_x X.
# TYPE tt_smi_x counter
tt_smi_x 1
END
judge wrong
check "promtool would find a counter without its ending" [ "$rc" -ne 0 ]

ports=$(python3 -c 'import socket, sys
made = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in made: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in made])' $((exporters + 1)))
prometheus=${ports%% *}
targets=$(echo "${ports#* }" | sed "s/\([0-9]*\)/'127.0.0.1:\1'/g; s/ /, /g")
cat >prometheus.yml <<END
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: cards
    static_configs: [ { targets: [ $targets ] } ]
END
run promtool check config prometheus.yml
rc_is 0 "the configuration is good"
for port in ${ports#* }; do
	TT_SMI_STATE_DIR=$work/state-$port tt-smi --exporter "$port" --sim "$cards*p150a" 2>"said-$port" &
	pids="$pids $!"
done
(exec prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb \
	--web.listen-address="127.0.0.1:$prometheus" >prometheus.log 2>&1) &
pids="$pids $!"
await_is 'count(up == 1)' "$exporters" "Prometheus scrapes $exporters exporters"
await_is 'count(tt_smi_up == 1)' $((exporters * cards)) "and has every card of each"
port=${ports##* }
tt-smi --textfile one.prom --once --sim "$cards*p150a"
await_is 'count({__name__=~"tt_smi_.+", instance="127.0.0.1:'"$port"'"})' \
	"$(grep -vc '^#' one.prom)" "every series of an exporter is there"
await_is 'count(tt_smi_core_watts * on(bdf, chip, instance) group_left(board) tt_smi_chip_info{board="p150a"})' \
	$((exporters * cards)) "the manual's join adds the board"
await_is 'count(rate(tt_smi_heartbeats_total[1m]) > 0)' $((exporters * cards)) "the heartbeats move"
pid=$(echo $pids | cut -d' ' -f1)
kill -TERM "$pid"
wait "$pid"
await_is 'count(up == 0)' 1 "an exporter that ended is down"

done_testing
