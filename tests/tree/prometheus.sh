# SPDX-License-Identifier: GPL-2.0-or-later
# make proof-metrics: a real Prometheus, its own judges of metrics and rules, and a fleet with
# METRICS_EXPORTERS hosts (16; 64 in make soak) of 32 simulated cards each.  A card of each of the first
# hosts has a fault, and what is in contrib/ has to say so, and nothing else.
. "$top_srcdir/tests/rig/lib.sh"

exporters=${METRICS_EXPORTERS:-16} cards=32
contrib=$top_srcdir/contrib
for need in promtool prometheus python3; do
	command -v $need >/dev/null || { echo "no $need here: Debian's prometheus has promtool"; exit 77; }
done
end_all() { kill $pids 2>/dev/null; wait $pids 2>/dev/null; }
pids=
trap 'end_all; remove_work' EXIT
ask() { python3 "$top_srcdir/tests/rig/promql.py" "$prometheus" "$@"; }
judge() {	# file
	sh -c 'promtool check metrics <"$1"' - "$1" >"$work/judged" 2>&1
	rc=$?
	mv judged "$out"
}
# What a command prints, until it is what a file has; the name of the check comes last.
await_is() {	# file name command...
	expected=$1 name=$2
	shift 2
	for _ in $(seq 240); do
		"$@" >found 2>&1
		cmp -s "$expected" found && break
		sleep 0.5
	done
	diff "$expected" found >"$out"
	: >"$err"
	check "$name" cmp -s "$expected" found
}
await_value() {	# expression value name
	echo "$2" >value
	await_is value "$3" ask "$1"
}

# The text, the rules and their tests, by Prometheus' own tool
for spec in 'n150,n300,p100a,p150a,p150b,p300,e150' 'p150a:hang,n300:hot,p150a:garbage,n150:held'; do
	for more in '' --external --passive --remote --commands; do
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
for rules in tt-smi tt-smi-holders; do
	run promtool check rules "$contrib/prometheus/$rules.rules.yml"
	rc_is 0 "promtool check rules: $rules"
	run promtool test rules "$contrib/prometheus/$rules.rules_test.yml"
	rc_is 0 "promtool test rules: $rules"
done
sed 's/== 0$/== 2/' "$contrib/prometheus/tt-smi.rules.yml" >tt-smi.rules.yml
cp "$contrib/prometheus/tt-smi.rules_test.yml" .
run promtool test rules tt-smi.rules_test.yml
check "the tests would find a rule that never fires" [ "$rc" -ne 0 ]
run promtool check config --syntax-only "$contrib/prometheus/prometheus.yml"
rc_is 0 "promtool check config: the example"

# A fleet: a fault, and the alert that it has to raise on its card
cat >faults <<END
hot TenstorrentOverThrottleLimit
gone TenstorrentChipMissing
hang TenstorrentChipFailed
stuck TenstorrentHeartbeatStopped
width TenstorrentLinkDegraded
dram TenstorrentMemoryNotTrained
lane TenstorrentMemoryWrong
eth TenstorrentEthernetLinkLost
garbage TenstorrentFinding
END
ports=$(python3 -c 'import socket, sys
made = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in made: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in made])' $((exporters + 2)))
# shellcheck disable=SC2086
set -- $ports
prometheus=$1 node=$2
shift 2
begin_exporter() {	# port boards
	TT_SMI_STATE_DIR=$work/state-$1 tt-smi --exporter "$1" --sim "$2" 2>"said-$1" &
	pids="$pids $!"
}
: >expected
while read -r fault alert; do
	begin_exporter "$1" "$((cards - 1))*p150a,p150a:$fault@3"
	echo "$alert 127.0.0.1:$1 0000:20:00.0 1" >>expected
	echo "127.0.0.1:$1" >>hosts
	shift
done <faults
begin_exporter "$1" "$cards*p150a:stuck@3"
echo "TenstorrentAllChipsDown 127.0.0.1:$1 - 1" >>expected
echo "127.0.0.1:$1" >>hosts
shift
begin_exporter "$1" "p150a:held,$((cards - 1))*p150a"
held=127.0.0.1:$1
for port; do
	[ "127.0.0.1:$port" = "$held" ] || begin_exporter "$port" "$cards*p150a"
	echo "127.0.0.1:$port" >>hosts
done
last=$! last_port=$port
sort -o expected expected
sort -o hosts hosts

mkdir collected
TT_SMI_STATE_DIR=$work/state-textfile tt-smi --textfile collected/tt-smi.prom --sim '2*p150a' 2>said-textfile &
textfile=$!
pids="$pids $textfile"
if command -v prometheus-node-exporter >/dev/null; then
	(exec prometheus-node-exporter --web.listen-address="127.0.0.1:$node" --collector.disable-defaults \
		--collector.textfile --collector.textfile.directory=collected >node.log 2>&1) &
	pids="$pids $!"
fi
# The rules as they are, but that nothing waits for minutes: promtool tests that.
sed '/^ *for: /d' "$contrib/prometheus/tt-smi.rules.yml" >rules.yml
targets=$(sed "s/.*/'&'/" hosts | paste -sd,)
cat >prometheus.yml <<END
global: { scrape_interval: 5s, evaluation_interval: 5s }
rule_files: [ rules.yml ]
scrape_configs:
  - job_name: tt-smi
    static_configs: [ { targets: [ $targets ] } ]
  - job_name: node
    static_configs: [ { targets: [ '127.0.0.1:$node' ] } ]
  - job_name: prometheus
    static_configs: [ { targets: [ '127.0.0.1:$prometheus' ] } ]
END
run promtool check config prometheus.yml
rc_is 0 "the configuration is good"
(exec prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb \
	--web.listen-address="127.0.0.1:$prometheus" >prometheus.log 2>&1) &
pids="$pids $!"

await_value 'count(up{job="tt-smi"} == 1)' "$exporters" "Prometheus scrapes $exporters exporters"
await_value 'count(tt_smi_up{job="tt-smi"})' $((exporters * cards)) "and has every card of each"
await_is expected "each fault raises its alert and no other" ask \
	'sum by (alertname, instance, bdf) (ALERTS)' alertname instance bdf
rounds=$(ask 'min(prometheus_rule_group_iterations_total)')
has_gone_on() { [ "$(ask 'min(prometheus_rule_group_iterations_total)')" -ge $((rounds + 4)) ]; }
check "the rules are evaluated four times more" await has_gone_on
ask 'sum by (alertname, instance, bdf) (ALERTS)' alertname instance bdf >found
diff expected found >"$out"
check "and the alerts are still these" cmp -s expected found
ask 'ALERTS{alertname="TenstorrentChipMissing"}' serial board >found
check "a card that is missing is named by its serial and board" grep -qE '^[0-9a-f]{16} p150a 1$' found

up=$((exporters * cards - 3 - cards))	# without one of gone, hang and stuck, and a host of stuck ones
count_series() {
	while read -r host; do
		echo "$host $(python3 "$top_srcdir/tests/rig/http_get.py" "$host" 'GET /metrics HTTP/1.1' | grep -c '^tt_smi_')"
	done <hosts
}
count_series >series
await_is series "every series of each exporter is there: $(awk '{ n += $2 } END { print n }' series) in all" ask \
	'count by (instance) ({__name__=~"tt_smi_.+", job="tt-smi"})' instance
await_value 'count(tt_smi_core_watts * on(bdf, chip, instance) group_left(board) tt_smi_chip_info{board="p150a", job="tt-smi"})' \
	$((up - 1)) "the manual's join adds the board; garbage is no power"
await_value 'count(rate(tt_smi_heartbeats_total{job="tt-smi"}[1m]) > 0)' \
	$up "the heartbeats move"
no_data() {
	python3 "$top_srcdir/tests/rig/promql.py" "$prometheus" --dashboard "$contrib/grafana/tt-smi.json" \
		'__rate_interval=1m' 'job=tt-smi' 'instance=.*' "host=$held" 'bdf=0000:01:00.0' 2>asked
}
echo >value
await_is value "every panel of the dashboard has data" no_data
check "of all its $(cat asked) expressions" [ "$(cat asked)" -gt 30 ]

if command -v prometheus-node-exporter >/dev/null; then
	grep -c '^tt_smi_' collected/tt-smi.prom >value
	await_is value "node_exporter serves the textfile, and Prometheus has each series of it" ask \
		'count({__name__=~"tt_smi_.+", job="node"})'
	kill -TERM $textfile
	wait $textfile
	await_value 'count(time() - tt_smi_sample_timestamp_seconds{job="node"} > 15)' 1 \
		"a text that is not written any more is seen to be old"
else
	skip "node_exporter serves the textfile" "no prometheus-node-exporter here"
fi

kill -TERM "$last"
wait "$last"
echo "TenstorrentExporterDown 127.0.0.1:$last_port - 1" >>expected
sort -o expected expected
await_is expected "an exporter that ended raises its alert" ask \
	'sum by (alertname, instance, bdf) (ALERTS)' alertname instance bdf

done_testing
