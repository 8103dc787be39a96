# SPDX-License-Identifier: GPL-2.0-or-later
# --exporter: metrics over HTTP, whoever asks and however.
. "$top_srcdir/tests/rig/lib.sh"

at() { sed -n 's/^tt-smi: metrics at //p' "$work/said"; }
has_begun() { grep -q 'metrics at' said || ! kill -0 $pid 2>/dev/null; }
begin() {	# address, options...: starts one; its address is $url
	where=$1
	shift
	: >said
	# Where this test runs under nohup SIGHUP would end nothing.
	env --default-signal=HUP tt-smi --exporter "$where" "$@" >"$work/printed" 2>said &
	pid=$!
	await has_begun
	url=$(at)
}
finish() {	# signal
	kill "-$1" $pid
	wait $pid
	rc=$?
	cp said "$err"
}
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
get() { run python3 "$top_srcdir/tests/rig/http_get.py" "$@"; }

run tt-smi --exporter x --root /proc/none
rc_is 2 "an address that is none"
err_code bad-value '' "is named"
err_lacks "no Tenstorrent device" "before anything is said of cards"

port=$(free_port)
begin "$port" -i 0.1 --sim '2*p150a,n300'
check "it listens at 127.0.0.1 where no address is given" [ "$url" = "http://127.0.0.1:$port/metrics" ]
get "127.0.0.1:$port" 'GET /metrics HTTP/1.1'
out_has 'HTTP/1.1 200 OK' "the metrics are served"
out_has 'Content-Type: text/plain; version=0.0.4; charset=utf-8' "as Prometheus' text"
out_has 'tt_smi_up{bdf="0000:01:00.0",chip="0"} 1' "with all cards"
out_has 'tt_smi_chips_present 3' "that there are"
newer() {
	get "127.0.0.1:$port" 'GET /metrics HTTP/1.1'
	[ "$(grep '^tt_smi_sample_timestamp_seconds' "$out")" != "$first" ]
}
first=$(grep '^tt_smi_sample_timestamp_seconds' "$out")
check "a later scrape has a later sample" await newer
get "127.0.0.1:$port" 'HEAD /metrics HTTP/1.1'
out_has 'HTTP/1.1 200 OK' "HEAD is answered"
out_lacks 'tt_smi_up' "without the text"
get "127.0.0.1:$port" 'GET /ready HTTP/1.1'
out_has 'HTTP/1.1 200 OK' "it is ready"
for request in 'GET / HTTP/1.1=404' 'GET /metrics/x HTTP/1.1=404' 'POST /metrics HTTP/1.1=405' \
	'DELETE /metrics HTTP/1.1=405' 'PUT /x HTTP/1.1=405' 'GET /metrics HTTP/9.9=505'; do
	get "127.0.0.1:$port" "${request%=*}"
	check "${request%=*} is ${request#*=}" grep -Eq "^HTTP/1\.[01] ${request#*=} " "$out"
done
run python3 "$top_srcdir/tests/rig/http_junk.py" "$port" 400
rc_is 0 "400 junk requests, 200 slow ones, half-closed ones and a megabyte of header"
get "127.0.0.1:$port" 'GET /metrics HTTP/1.1'
out_has 'HTTP/1.1 200 OK' "and it serves all the same"
run python3 "$top_srcdir/tests/rig/http_crowd.py" "$port" 3 300 50
rc_is 0 "300 idle connections and 50 slow ones of another address, opened again and again, stop no scrape"
run tt-smi --exporter "$port" --sim p150a
rc_is 1 "a port that is taken is a failure"
err_code address-in-use 'http://127.0.0.1' "which names it"
finish TERM
rc_is 0 "SIGTERM ends it"
check "stdout has nothing" test ! -s printed
check "stderr has where it listens and no more" [ "$(wc -l <said)" = 1 ]
check "no process is left" sh -c "! pgrep -P $pid"

begin "$port" --textfile both.prom --sim p150a
check "the port is free again at once" [ -n "$url" ]
check "--textfile goes with it" await test -s both.prom
finish INT
rc_is 0 "SIGINT ends it"

if python3 -c 'import socket; socket.socket(socket.AF_INET6).bind(("::1", 0))' 2>/dev/null; then
	begin "[::1]:$port" --sim p150a
	check "an IPv6 address" [ "$url" = "http://[::1]:$port/metrics" ]
	get "[::1]:$port" 'GET /metrics HTTP/1.1'
	out_has 'HTTP/1.1 200 OK' "serves"
	finish HUP
	rc_is 0 "SIGHUP ends it"
else
	skip "an IPv6 address" "no IPv6 here"
fi

begin "$work/tt.sock" --sim p150a
check "a path is a socket" test -S tt.sock
get "$work/tt.sock" 'GET /metrics HTTP/1.1'
out_has 'HTTP/1.1 200 OK' "which serves"
run tt-smi --exporter "$work/tt.sock" --sim p150a
rc_is 1 "two cannot have it"
finish KILL
check "one that was killed leaves it" test -S tt.sock
begin "$work/tt.sock" --sim p150a
get "$work/tt.sock" 'GET /metrics HTTP/1.1'
out_has 'HTTP/1.1 200 OK' "and the next one takes it over"
finish TERM
check "one that ended does not" test ! -e tt.sock
echo precious >file
run tt-smi --exporter ./file --sim p150a
rc_is 1 "a file at the path"
check "stays" grep -qx precious file
begin "0:$port" --sim p150a
check "all addresses are written out" [ "$url" = "http://0.0.0.0:$port/metrics" ]
finish TERM
err_has "no password" "and who can read there is said"
run bash -c 'ulimit -n 64; exec "$0" "$@"' "$TT_SMI" --exporter "$port" --sim p150a
check "too few descriptors for the connections are an error at the start" [ "$rc" = 1 ]
err_code no-descriptors '384 more' "that names how many are needed"
for wrong in 0 65536 x localhost:1 1.2.3.4.5:80 127.0.0.1 ::1:80x ''; do
	run tt-smi --exporter "$wrong" --sim p150a
	rc_is 2 "--exporter '$wrong' is refused"
done
run tt-smi --exporter "$port" --once --sim p150a
rc_is 2 "--once is not for it"

mkdir empty
begin "$port" -i 0.1 --root "$work/empty"
check "it goes on without a card" [ -n "$url" ]
get "127.0.0.1:$port" 'GET /metrics HTTP/1.1'
out_has 'tt_smi_chips_present 0' "and says that there is none"
finish TERM
rc_is 0 "and ends"

done_testing
