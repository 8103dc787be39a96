# SPDX-License-Identifier: GPL-2.0-or-later
# Warm reset of a mobo host against a server on loopback that speaks its steps,
# and fails at each of them; -g and the configurations it writes.
. "$top_srcdir/tests/lib.sh"
export TT_SMI_SIM_SPEED=20

# Configurations need no server.
export HOME=$work/home
run tt-smi -g --sim n150,p150a
rc_is 0 "-g"
config=$HOME/.config/tenstorrent/reset_config.json
check "writes the default file" test -s "$config"
run tt-smi -g --sim n150
rc_is 6 "-g replaces no file of the default name"
err_has "is there already" "and says so"
run tt-smi -g here.json --sim n150,p150a
rc_is 0 "-g FILE"
run tt-smi -r here.json --sim n150,p150a
rc_is 0 "-r takes what -g wrote; an entry that was never filled in is no mobo"
out_has "2 of 2 cards recovered" "and resets its cards"
run tt-smi -mr here.json -y
rc_is 2 "-mr with a file that names no mobo"
run tt-smi -mr mobo-1 6:0
rc_is 6 "-mr asks; without a terminal it needs -y"
for words in 'a/b' 'user@host' 'mobo 6' 'mobo 6:x' '-1'; do
	# shellcheck disable=SC2086
	run tt-smi -mr $words -y
	rc_is 2 "-mr $words is a usage error"
done
run tt-smi -mr mobo-1 6:0 -y --sim n150
rc_is 2 "simulated cards reset no real mobo"
run tt-smi -mr mobo-1 6:0 6:1 --dry-run
rc_is 0 "--dry-run"
out_has "mobo mobo-1: boot of ports 6:0 6:1" "shows the plan and does not ask"

command -v python3 >/dev/null && ldconfig -p 2>/dev/null | grep -q 'libcurl\(-gnutls\)\?\.so\.4' || {
	skip "against a server" "no python3 or no libcurl"
	done_testing
	exit
}
: >plan
: >calls
python3 "$top_srcdir/tests/mobo_server.py" plan calls >port 2>/dev/null &
server=$!
trap 'kill $server; cd /; rm -rf "$work"' EXIT
for _ in $(seq 100); do
	[ -s port ] && break
	sleep 0.1
done
host=127.0.0.1:$(cat port)

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
for way in cut garbage fail endless mute refuse; do
	while read -r step code; do
		[ "$way $step" = "mute boot" ] && continue	# ten minutes are its right
		[ "$way $step" = "mute boot/modules" ] && continue
		case "$way $step" in "garbage boot" | "garbage boot/modules") code=0 ;; esac
		mobo "$way $step\n" -mr "$host" 6:0 -y
		rc_is $code "$way at $step"
		check "$way at $step: bounded output" test "$(cat "$out" "$err" | wc -c)" -le 2000
		[ $code = 0 ] || err_has "$host: $step: " "$way at $step: is named"
	done <<-TABLE
		about 1
		boot 5
		boot/progress 5
		shutdown/modules 0
		boot/modules 5
	TABLE
done
check "an exception's text cannot command the terminal" sh -c "! grep -q '$(printf '\033')' '$err' '$out'"

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
kill $server
wait $server 2>/dev/null
run timeout 60 tt-smi -mr "$host" 6:0 -y
rc_is 1 "no server at all"
err_has "nothing was reset" "and nothing happened"
trap 'cd /; rm -rf "$work"' EXIT
done_testing
