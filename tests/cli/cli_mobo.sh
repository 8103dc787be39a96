# SPDX-License-Identifier: GPL-2.0-or-later
# Warm reset of a mobo host against a server on loopback that speaks its steps,
# and fails at each of them; -g and the configurations it writes.
. "$top_srcdir/tests/rig/lib.sh"
export TT_SMI_SIM_SPEED=20

# Configurations need no server.
export HOME=$work/home
run tt-smi -g --sim n150,p150a
rc_is 0 "-g"
config=$HOME/.config/tenstorrent/reset_config.json
check "writes the default file" test -s "$config"
run tt-smi -g --sim n150
rc_is 6 "-g replaces no file of the default name"
err_code exists '' "and says so"
run tt-smi -g here.json --sim n150,p150a
rc_is 0 "-g FILE"
tt-smi -s --sim n150 >saved.json
run tt-smi -g loaded.json --load saved.json
rc_is 2 "-g does not take --load: it writes which cards this machine has"
check "and nothing is written" test ! -e loaded.json
run tt-smi -r here.json --sim n150,p150a
rc_is 0 "-r takes what -g wrote; an entry that was never filled in is no mobo"
out_has "2 of 2 cards recovered" "and resets its cards"
run tt-smi -mr here.json -y
rc_is 2 "-mr with a file that names no mobo"
run tt-smi -mr mobo-1 6:0
rc_is 6 "-mr asks; without a terminal it needs -y"
for words in 'a/b' 'user@host' 'mobo 6' 'mobo 6:x' '-1' h:0 h:99999 h:80: 6:0 '6:1 6:0' '[::1' a..b %s%n; do
	# shellcheck disable=SC2086
	run tt-smi -mr $words -y
	rc_is 2 "-mr $words is a usage error"
done
run tt-smi -mr mobo-1 6:0 -y --sim n150
rc_is 2 "simulated cards reset no real mobo"
run tt-smi -mr mobo-1 6:0 6:1 --dry-run
rc_is 0 "--dry-run"
out_has "mobo mobo-1: boot of ports 6:0 6:1" "shows the plan and does not ask"
# A file that cannot be read as a whole resets nothing, in each mode, by each of its sections.
malformed() {	# JSON, the key that is wrong
	printf '%s\n' "$1" >bad.json
	for options in "-r bad.json" "-wr bad.json -y" "-wr bad.json"; do
		# shellcheck disable=SC2086
		run tt-smi --sim n150 $options
		rc_is 2 "$options: $1"
		err_code invalid "$2" "$options: says what is wrong"
		out_lacks "recovered" "$options: resets no card"
	done
}
mobo='{"mobo": "127.0.0.1:9", "credo": [], "nb_host_pci_idx": [0]}'
cards='"wh_link_reset": {"pci_index": [0]}'
malformed "{$cards, \"wh_mobo_reset\": [{\"mobo\": \"127.0.0.1:9\", \"credo\": [\"6-0\"]}]}" \
	'"6:0"'
malformed "{$cards, \"wh_mobo_reset\": $mobo}" "wh_mobo_reset is"
malformed "{$cards, \"wh_mobo_reset\": [$(printf "$mobo, %.0s" 1 2 3 4 5 6 7 8)$mobo]}" \
	"more than 8"
for mobos in '' ", \"wh_mobo_reset\": [$mobo]"; do
	malformed "{\"wh_link_reset\": [0], \"gs_tensix_reset\": {\"pci_index\": [0]}$mobos}" \
		"wh_link_reset is"
	malformed "{$cards, \"gs_tensix_reset\": {\"pci_index\": \"1\"}$mobos}" \
		"pci_index is"
done
echo "{$cards, \"gs_tensix_reset\": {\"pci_index\": null}, \"wh_mobo_reset\": null}" >nulls.json
run tt-smi --sim n150 -r nulls.json
rc_is 0 "null, where upstream's tool knows nothing, is nothing"
out_has "1 of 1 card recovered" "and the cards are reset"

command -v python3 >/dev/null && ldconfig -p 2>/dev/null | grep -q 'libcurl\(-gnutls\)\?\.so\.4' || {
	skip "against a server" "no python3 or no libcurl"
	done_testing
	exit
}
# Each server stands in a folder with its plan, its calls and its port.
servers=
serve() {	# folder
	mkdir -p "$1"
	: >"$1/plan"
	: >"$1/calls"
	python3 "$top_srcdir/tests/rig/mobo_server.py" "$1/plan" "$1/calls" >"$1/port" 2>/dev/null &
	servers="$servers $!"
	await [ -s "$1/port" ]
}
trap 'kill $servers; remove_work' EXIT
serve .
host=127.0.0.1:$(cat port)

# Boots that are never answered may take ten minutes, here 15 s: meanwhile the rest goes on.
mutes="mute:boot mute:boot/modules loris:boot huge:boot/modules"
for m in $mutes; do
	dir=never_$(echo "$m" | tr :/ __)
	serve "$dir"
	echo "$m" | tr : ' ' >"$dir/plan"
	TT_SMI_SIM_SPEED=40 timeout 100 tt-smi --sim n150 -mr "127.0.0.1:$(cat "$dir/port")" 6:0 -y \
		>"$dir/out" 2>"$dir/err" &
	echo $! >"$dir/pid"
done

mobo() {	# "PLAN" options
	printf '%b' "$1" >plan
	: >calls
	shift
	run timeout 60 tt-smi --sim n150,n150 "$@"
}
steps() { cut -d' ' -f1,2 calls | sed 's/ *$//; /^$/d' | uniq | tr '\n' ','; }

mobo '' -mr "$host" 6:0 6:1 -y
rc_is 0 "all goes well"
check "the steps are those of the facts" test "$(steps)" = \
	"GET about,POST boot,GET boot/progress,POST shutdown/modules,POST boot/modules,"
check "the ports are named" grep -qF '"retimer_sel": ["6:0", "6:1"]' calls
check "disable_sel is there for 1.3.2" grep -q disable_sel calls
out_has "boots, 50 %, credo" "progress is shown"
mobo 'version 1.3.1\n' -mr "$host" 6:0 -y
rc_is 0 "server 1.3.1"
check "gets no disable_sel" sh -c '! grep -q disable_sel calls'
mobo 'version 0.2.9\n' -mr "$host" 6:0 -y
rc_is 0 "server 0.2.9"
check "is asked for no progress" sh -c '! grep -q boot/progress calls'
mobo 'percent 5\n' -mr "$host" 6:0 -y
rc_is 0 "a slow boot"
check "each question once" test "$(grep -c boot/progress calls)" -eq 20

echo "{\"wh_mobo_reset\": [{\"mobo\": \"$host\", \"credo\": [], \"nb_host_pci_idx\": [0]}]}" >asked.json
tt-smi -s --sim n150 --record played.rec >"$out"
for source in "--load saved.json" "--replay played.rec" "--root $top_srcdir/tests/fixtures/sysfs/wormhole"; do
	for words in "-mr $host 6:0 -y" "-mr asked.json -y" "-r asked.json" "-wr asked.json -y"; do
		: >calls
		# shellcheck disable=SC2086
		run timeout 60 tt-smi $words $source
		rc_is 6 "${words%% *}, ${source%% *}: the mobo of cards from a file is refused"
		check "${words%% *}, ${source%% *}: and not asked" test ! -s calls
	done
done

mobo 'exception 50\n' -mr "$host" 6:0 -y
rc_is 5 "an exception in the middle"
err_has "retimer 6:0 does not answer" "is the reason"
check "and no module is shut down" sh -c '! grep -q modules calls'
mobo 'password other\n' -mr "$host" 6:0 -y
rc_is 1 "wrong credentials"
err_has "it refuses user and password: give --credentials FILE; nothing was reset" "with what to do"
printf 'admin:other\n' >cred
chmod 600 cred
mobo 'password other\n' -mr "$host" 6:0 -y --credentials cred
rc_is 0 "the right ones, from a file"
TT_SMI_USER=admin TT_SMI_PASSWORD=other mobo 'password other\n' -mr "$host" 6:0 -y
rc_is 0 "and from the environment"

# Each way to fail at each step: exit code 1 before anything was done, 5 later.
for way in cut garbage fail endless mute refuse redirect loris headers continue http2 huge; do
	while read -r step code; do
		# These may take ten minutes: further down, beside each other.
		case "$way $step" in
		"mute boot"* | "loris boot"* | "huge boot"*) [ "$step" = boot/progress ] || continue ;;
		esac
		case "$way $step" in "garbage boot" | "garbage boot/modules") code=0 ;; esac
		mobo "$way $step\n" -mr "$host" 6:0 -y
		rc_is $code "$way at $step"
		check "$way at $step: bounded output" test "$(cat "$out" "$err" | wc -c)" -le 2000
		[ $code = 0 ] || err_has "$host: $step: " "$way at $step: is named"
		check "$way at $step: nobody else is asked" sh -c '! grep -q elsewhere calls'
	done <<-TABLE
		about 1
		boot 5
		boot/progress 5
		shutdown/modules 0
		boot/modules 5
	TABLE
done
mobo 'escape yes\nexception 100\n' -mr "$host" 6:0 -y
out_has 'credo\x1b]0;owned' "a step's name is shown"
check "and cannot command the terminal" sh -c "! LC_ALL=C grep -q '[$(printf '\033\007')]' '$err' '$out'"
mobo 'refuse boot\n' -mr "$host" 6:0 -y
check "nor can an exception" sh -c "! grep -q '$(printf '\033')' '$err' '$out'"

# Signals: left between the dangerous steps, and only there; what was done is said.
begin() {	# "PLAN" the call to wait for, options
	printf '%b' "$1" >plan
	: >calls
	until=$2
	shift 2
	timeout 100 tt-smi --sim n150,n150 "$@" >"$out" 2>"$err" &
	job=$!
	await has_text calls " $until "
	us=$(pgrep -P $job)
}
over() { wait $job; rc=$?; }
export TT_SMI_SIM_SPEED=1
for signal in INT TERM HUP; do
	begin 'mute about\n' about -mr "$host" 6:0 -y
	kill -$signal $us
	over
	rc_is 6 "SIG$signal before anything is done"
	err_has "stopped: $host: nothing was done to it" "SIG$signal: says so"
done
check "and nothing was" test "$(steps)" = "GET about,"
begin 'percent 1\n' boot/progress -mr "$host" 6:0 -y
kill -INT $us
over
rc_is 5 "SIGINT while it boots"
err_has "stopped: $host: its ports go on booting, its modules were left alone" "says how things are"
check "and no module is touched" sh -c '! grep -q modules calls'
begin 'mute boot\n' boot -mr "$host" 6:0 -y
kill -INT $us
await has_text "$err" 'a second signal'
err_has "cannot be undone: waiting for its end (600 s at most)" "SIGINT in a step that cannot be left"
check "and it waits" kill -0 $us
kill -INT $us
over
rc_is 5 "a second one leaves it"
err_has "stopped: $host: server 1.3.2, boots its ports: left half way; run it again" "and says what it was at"
export TT_SMI_SIM_SPEED=20
begin 'version 0.2.9\nslow boot\n' boot -mr "$host" 6:0 -y
kill -INT $us
over
rc_is 5 "SIGINT in a boot without progress"
err_has "stopped: $host: its ports have booted, its modules were left alone; run it again" \
	"lets it end and says how things are"
check "and no module is touched" sh -c '! grep -q modules calls'
begin 'mute shutdown/modules\n' shutdown/modules -mr "$host" 6:0 -y
kill -INT $us
over
rc_is 0 "SIGINT while its modules are shut down"
check "they are started again" test "$(tail -n 1 calls | cut -d' ' -f2)" = boot/modules
begin 'mute shutdown/modules\n' shutdown/modules -mr "$host" 6:0 -y
kill -INT $us
await has_text "$err" 'a second signal'
kill -INT $us
over
rc_is 5 "a second one leaves it"
err_has "shuts its modules down: left half way; run it again" "and says so"
check "they are started again all the same" test "$(tail -n 1 calls | cut -d' ' -f2)" = boot/modules
printf '{"wh_mobo_reset": [{"nb_host_pci_idx": [1], "mobo": "%s", "credo": ["6:0"]}]}\n' "$host" >one.json
begin 'mute shutdown/modules\n' shutdown/modules -r one.json
kill -INT $us
over
rc_is 5 "the same with a card here"
check "they are started again, too" test "$(tail -n 1 calls | cut -d' ' -f2)" = boot/modules
out_lacks "recovered in" "but the card is left alone"

# With the cards here that hang on it.
cat >config.json <<END
{"wh_link_reset": {"pci_index": []}, "wh_mobo_reset": [{"nb_host_pci_idx": [1], "mobo": "$host",
"credo": ["6:0"], "disabled_ports": ["0:2"]}]}
END
mobo '' -r config.json
rc_is 0 "-r with upstream's configuration"
out_has "1 of 1 card recovered" "the card that hangs on it is reset between"
out_has "1 0000:02:00.0 n150 L: recovered" "and no other"
check "disabled ports are named" grep -qF '"disable_sel": ["0:2"]' calls
check "the modules run at the end" test "$(tail -n 1 calls | cut -d' ' -f2)" = boot/modules
mobo 'exception 50\n' -r config.json
rc_is 5 "a boot that fails"
out_lacks "recovered" "resets no card"
mobo '' -mr config.json --dry-run
rc_is 0 "--dry-run with cards"
check "asks the server nothing" test ! -s calls
out_has "ASIC_RESET" "and shows the plan for the card"

# The cards that the same file has beside it, and those that its user names.
jq '.[0].wh_link_reset.pci_index = [0] | .[0]' -s one.json >both.json
mobo '' -r both.json --report r.json
rc_is 0 "-r resets the cards of wh_link_reset with the mobo's"
out_has "2 of 2 cards recovered" "both of them"
check "the report has both, the act, and the exit code" jq -e \
	'(.cards | length) == 2 and .exit_code == 0 and (.act | test("boot of ports 6:0")) and .tries == 1' r.json
mobo '' -mr both.json -y
out_has "1 of 1 card recovered" "-mr resets the mobo's alone"
mobo '' -wr one.json 0
rc_is 6 "naming them for -wr is no consent to the mobo's reset"
err_code needs-answer '-y' "which -y is"
check "asks the server nothing" test ! -s calls
mobo '' -r one.json 0
out_has "2 of 2 cards recovered" "cards that are named beside the file"
TT_VISIBLE_DEVICES=0 mobo '' -r one.json
rc_is 6 "a card that hangs on it and may not be seen"
check "asks the server nothing" test ! -s calls
(
	ulimit -n 24 || exit 99
	mobo '' -mr both.json -y
	[ "$rc" = 6 ]
)
check "too few descriptors for the cards: -mr is refused" [ $? = 0 ]
err_code no-descriptors '' "with want and need"
out_lacks "lost" "no card is called lost"
check "and the server was asked nothing" test ! -s calls
# A card that hangs on it and is not here: before its mobo is booted, not instead of a reset.
jq '.wh_mobo_reset[0].nb_host_pci_idx = [0, 7, 9]' one.json >seven.json
for options in "-r seven.json" "-mr seven.json -y" "-r seven.json 0" "-mr seven.json --dry-run"; do
	# shellcheck disable=SC2086
	mobo '' $options
	rc_is 3 "$options: a card that is not here"
	err_code no-device '/dev/tenstorrent/7' "$options: names it"
	err_code no-device '/dev/tenstorrent/9' "$options: and the next one"
	check "$options: asks the server nothing" test ! -s calls
	out_lacks "recovered" "$options: resets no card"
done
jq '.wh_mobo_reset[0].nb_host_pci_idx = [1, 1]' one.json >twice.json
mobo "" -mr twice.json --dry-run
out_has "reset of 1 card here" "a card that is named twice counts once"

# Two mobos, and the second refuses: the first was booted, so this is a failure half way.
serve second
other=127.0.0.1:$(cat second/port)
two() {	# "PLAN of the second" NODES options
	printf '%b' "$1" >second/plan
	: >second/calls
	jq --arg h "$other" ".wh_mobo_reset[0].nb_host_pci_idx = $2 | .wh_mobo_reset[1] =
		{mobo: \$h, credo: [\"6:0\"], nb_host_pci_idx: []}" one.json >two.json
	shift 2
	mobo '' "$@"
}
while read -r nodes options; do
	# shellcheck disable=SC2086
	two 'password other\n' "$nodes" $options
	rc_is 5 "$options, cards $nodes: the second of two mobos refuses"
	err_has "$other: about: it refuses user and password" "and is named"
	err_has "run it again" "and that something was done"
	err_lacks "nothing was reset" "and not that nothing was"
	out_lacks "recovered" "no card is reset"
	check "the first one's modules are booted, once" test "$(steps)" = \
		"GET about,POST boot,GET boot/progress,POST shutdown/modules,POST boot/modules,"
	check "and not twice" test "$(grep -c '^POST boot/modules' calls)" -eq 1
	check "the report has the same exit code" jq -e '.exit_code == 5 and (.act_failure | test("about"))' r.json
	rm r.json
done <<-'TABLE'
	[1] -r two.json --report r.json
	[1] -mr two.json -y --report r.json
	[] -r two.json --report r.json
TABLE
two '' '[1]' -r two.json
rc_is 0 "two that do not refuse"
check "the modules of both are booted, once" test \
	"$(grep -c '^POST boot/modules' calls) $(grep -c '^POST boot/modules' second/calls)" = "1 1"

mobo 'exception 50\n' -r one.json --report r.json
check "a report of a boot that failed" jq -e \
	'.exit_code == 5 and (.act_failure | test("retimer 6:0")) and .cards == []' r.json
mobo 'fail boot/modules\n' -r one.json --report r.json
rc_is 5 "modules that do not start"
check "the report's exit code is the program's" jq -e '.exit_code == 5' r.json
mobo '' -mr "$host" 6:0 -y --report r.json
check "a report without cards" jq -e '.exit_code == 0 and .cards == [] and .hostname != ""' r.json
for options in "-mr $host 6:0" "-r one.json"; do
	# shellcheck disable=SC2086
	mobo '' $options -y --report /proc/none/r.json
	rc_is 1 "$options: a report that cannot be written"
	check "$options: asks the server nothing" test ! -s calls
done
mobo '' -mr "$host" 6:0 --report r.json
rc_is 6 "a question that nobody can answer"
check "replaces the report of an earlier run" jq -e '.exit_code == 6 and .tries == 0' r.json
for bad in '{"wh_mobo_reset": [{"mobo": "h", "credo": "6:0"}]}' '{"wh_mobo_reset": [{"mobo": "h:0"}]}' \
	'{"wh_mobo_reset": [{"mobo": "h", "nb_host_pci_idx": 1}]}' '[]' 'x'; do
	echo "$bad" >bad.json
	mobo '' -mr bad.json -y
	rc_is 2 "a configuration that is wrong: $bad"
done
# Each end of a reset with a card here: what is kept of it has no password, nothing stays locked.
unlocked() {	# every card that was ever locked can be locked at once
	for lock in "$TT_SMI_STATE_DIR"/sim-*.lock; do
		[ -e "$lock" ] && flock -n "$lock" true || return 1
	done
}
printf 'admin:h0rse\n' >cred
chmod 600 cred
printf '{"wh_mobo_reset": [{"nb_host_pci_idx": [1], "mobo": "%s", "credo": ["6:0"]}]}\n' "$host" >secret.json
while IFS='|' read -r what password code; do
	rm -f r.json
	mobo "password $password\n$what\n" -r secret.json --credentials cred --report r.json
	rc_is "$code" "'$what', password $password: exit code"
	check "'$what', password $password: a report is there" jq -e ".exit_code == $code" r.json
	check "'$what', password $password: nothing has our password" \
		sh -c "! grep -q -e h0rse -e \"$(printf 'admin:h0rse' | base64)\" r.json '$out' '$err'"
	check "'$what', password $password: nothing is left locked" unlocked
done <<TABLE
percent 50|h0rse|0
exception 50|h0rse|5
cut boot/progress|h0rse|5
fail boot/modules|h0rse|5
percent 50|other|1
TABLE
check "the log has the resets" grep -q '"fire"' "$TT_SMI_STATE_DIR/reset.log"
check "and no password" sh -c "! grep -q h0rse '$TT_SMI_STATE_DIR/reset.log'"
# What -g wrote, filled in as its user does.
run tt-smi -g trip.json --sim n150,n150
jq --arg h "$host" '.wh_mobo_reset[0] |= (.mobo = $h | .credo = ["6:0"] | .nb_host_pci_idx = [0])' trip.json >filled.json
mobo '' -r filled.json
rc_is 0 "-r takes what -g wrote and a user filled in"
out_has "2 of 2 cards recovered" "with its cards"
mobo '' -mr filled.json -y
rc_is 0 "and so does -mr"

# As upstream's tool writes it: null where it knows nothing, an entry that nobody filled in.
cat >upstream.json <<END
{
    "time": "2024-03-06T20:12:27.640859",
    "host_name": "host-1",
    "gs_tensix_reset": {
        "pci_index": []
    },
    "wh_link_reset": {
        "pci_index": [
            0,
            1
        ]
    },
    "re_init_devices": true,
    "wh_mobo_reset": [
        {
            "nb_host_pci_idx": null,
            "mobo": "<MOBO NAME>",
            "credo": [
                "<GROUP>:<CREDO>"
            ],
            "disabled_ports": null
        },
        {
            "nb_host_pci_idx": [
                0
            ],
            "mobo": "$host",
            "credo": [
                "6:0",
                "7:1"
            ],
            "disabled_ports": null
        },
        {
            "nb_host_pci_idx": null,
            "mobo": "$host",
            "credo": [
                "6:1"
            ],
            "disabled_ports": [
                "0:2"
            ]
        }
    ],
    "disable_serial_report": false,
    "disable_sw_version_report": false
}
END
mobo '' -r upstream.json
rc_is 0 "-r takes a file of upstream's tool"
out_has "2 of 2 cards recovered" "all its cards"
check "two mobos are booted, in turn" test "$(grep -c '^POST boot ' calls)" -eq 2
check "and their modules run at the end" test "$(grep -c '^POST boot/modules' calls)" -eq 2
mobo '' -mr upstream.json -y
rc_is 0 "and so does -mr"

for m in $mutes; do
	dir=never_$(echo "$m" | tr :/ __)
	wait "$(cat "$dir/pid")"
	rc=$?
	cp "$dir/out" "$out"
	cp "$dir/err" "$err"
	rc_is 5 "$m: ends within its limit"
	err_has "${m#*:}: no whole answer within 15.0 s" "$m: and says so"
done
kill $servers
wait $servers 2>/dev/null
run timeout 60 tt-smi -mr "$host" 6:0 -y
rc_is 1 "no server at all"
err_has "nothing was reset" "and nothing happened"
trap remove_work EXIT
done_testing
