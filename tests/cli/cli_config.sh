# SPDX-License-Identifier: GPL-2.0-or-later
# The configuration: which source decides, what --config-print and --config-check say, which files
# root does not read, and that no file, however wrong, hides a card.
. "$top_srcdir/tests/rig/lib.sh"

setting() {	# name: its line of --config-print
	sed -n "s/^$1 = //p" "$out" | tr -s ' '
}
is_set() {	# what it is, name
	check "$2" [ "$(setting "${1%% *}")" = "${1#* }" ]
}

# ---- which source decides ----
mkdir -p xdg/tt-smi home/.config/tt-smi
echo 'interval = 4' >home/.config/tt-smi/tt-smi.conf
printf 'interval = 3\nversion_as = 6.2.1\nutc = yes\n' >xdg/tt-smi/tt-smi.conf
unset XDG_CONFIG_HOME
export HOME="$work/home"
user() { env -u TT_SMI_CONFIG "$@"; }

run user tt-smi --config-print
rc_is 0 "--config-print works"
is_set "interval 4 ; $HOME/.config/tt-smi/tt-smi.conf:1" "below HOME is the user's file"
export XDG_CONFIG_HOME="$work/xdg"
run user tt-smi --config-print
file=$XDG_CONFIG_HOME/tt-smi/tt-smi.conf
is_set "interval 3 ; $file:1" "below XDG_CONFIG_HOME, where that is set"
out_has ';strict = no ' "what nothing says is the default"
XDG_CONFIG_HOME=xdg run user tt-smi --config-print
is_set "interval 4 ; $HOME/.config/tt-smi/tt-smi.conf:1" "a relative XDG_CONFIG_HOME is not one"
TT_SMI_VERSION_AS=6.3.0 run user tt-smi --config-print
is_set 'version_as 6.3.0 ; TT_SMI_VERSION_AS' "a variable is more than a file"
TT_SMI_VERSION_AS=6.3.0 run user tt-smi --config-print --version-as 6.4.0 -i=7
is_set 'version_as 6.4.0 ; --version-as' "an option is more than a variable"
is_set 'interval 7 ; -i' "and than a file"
run user tt-smi -v
check "what is configured is what holds" [ "$(cat "$out")" = 6.2.1 ]
TT_SMI_CONFIG='' run tt-smi -v
out_lacks 6.2.1 "an empty TT_SMI_CONFIG: no configuration"
echo 'interval = 9' >named.conf
TT_SMI_CONFIG=named.conf run tt-smi --config-print
is_set 'interval 9 ; named.conf:1' "TT_SMI_CONFIG names the file"
out_lacks "$file" "the only one that is read"

# What it prints says the same again, as a configuration.
cat >all.conf <<'END'
theme = dark
interval = 250ms
strict = yes
fields = power
fields = aiclk
rotate = 10m
passive = no
[alerts]
hot = asic_temperature > 95 clear 90
END
TT_SMI_CONFIG=all.conf run tt-smi --config-print
cp "$out" again.conf
TT_SMI_CONFIG=again.conf run tt-smi --config-print
values() { sed -n 's/ *; .*//; /^[a-z[]/p' "$1"; }
values again.conf >one
values "$out" >two
check "--config-print prints a configuration that says the same" cmp -s one two
check "with all that was set" [ "$(grep -c = one)" = 7 ]
run tt-smi --config-check again.conf
rc_is 0 "in which nothing is wrong"

# /etc's, in a world of our own.
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	cat >system.sh <<'END'
mkdir lower upper work && mount -t tmpfs none upper && mkdir upper/up upper/work &&
	mount -t overlay overlay -o lowerdir=/etc,upperdir=upper/up,workdir=upper/work /etc ||
	mount --bind etc /etc || exit 9
printf 'interval = 5\nutc = no\ntimeout = 2\n' >/etc/tt-smi.conf || exit 9
exec "$@"
END
	mkdir etc
	run user unshare -m sh system.sh tt-smi --config-print
	if [ "$rc" -eq 9 ]; then
		skip "/etc/tt-smi.conf" "no file system can be mounted over /etc"
	else
		is_set "interval 3 ; $file:1" "the user's file is more than /etc's"
		is_set "utc yes ; $file:3" "also where it says no"
		is_set 'timeout 2 ; /etc/tt-smi.conf:3' "which says the rest"
	fi
else
	skip "/etc/tt-smi.conf" "needs root and unshare"
fi

# ---- what holds in a mode ----
echo 'partial_ok = yes' >partial.conf
TT_SMI_CONFIG=partial.conf run_typed 'tt-smi -s -f - --sim p150a,p150a:hang'
rc_is 0 "partial_ok: 0 on a terminal, too"
TT_SMI_CONFIG=partial.conf run tt-smi -ls --sim p150a,p150a:hang --strict
rc_is 4 "--strict is more than partial_ok of a file"
echo 'strict = yes' >strict.conf
TT_SMI_CONFIG=strict.conf run tt-smi -ls --sim p150a,p150a:hang
rc_is 4 "strict: 4 into a pipe, too"
printf 'fields = heartbeat\nutc = yes\n' >fields.conf
keys() {	# of the columns of a dump
	grep -o '"key": "[a-z_0-9]*"' "$1/index.json" | cut -d'"' -f4
}
TT_SMI_CONFIG=fields.conf run tt-smi -d 0.1 -i 0.1 -dir dump --sim p150a
rc_is 0 "a dump with fields of a file"
keys dump >dumped
check "has them" [ "$(grep -cx -e heartbeat -e utc dumped)" = 2 ]
check "and no others" [ "$(grep -cx fan_rpm dumped)" = 0 ]
TT_SMI_CONFIG=fields.conf run tt-smi -d 0.1 -i 0.1 -dir dump2 --sim p150a --fields fan_rpm
keys dump2 >dumped
check "--fields is in their place, not beside them" [ "$(grep -x -e heartbeat -e fan_rpm dumped)" = fan_rpm ]
run tt-smi --config-print
out_has ';fields = those of telemetry that the card has' "which fields it has where none is named"
run tt-smi -d 0.1 -i 0.1 -dir dump3 --sim p150a
run tt-smi -d 0.1 -i 0.1 -dir dump4 --sim p150a --fields telemetry
keys dump3 | sort >usual
keys dump4 | sort >dumped
check "is what it has" sh -c '[ -s usual ] && [ -z "$(comm -23 usual dumped)" ]'
echo 'passive = yes' >passive.conf
TT_SMI_CONFIG=passive.conf run tt-smi -s --remote --sim p150a
rc_is 2 "passive forbids, as TT_SMI_PASSIVE does: --remote is a contradiction"
err_has 'passive.conf:1' "whose place is named"
echo 'expected_chips = 3' >chips.conf
TT_SMI_CONFIG=chips.conf run tt-smi --health --json --sim p150a
out_has '3' "expected_chips is heard"
rc_is 5 "and two that are missing fail"
TT_SMI_CONFIG=chips.conf run tt-smi --health --sim p150a --expected 1
rc_is 0 "--expected is more"

echo 'floors = /proc/none/floors.conf' >floors.conf
TT_SMI_CONFIG=floors.conf run tt-smi --health --sim p150a
rc_is 2 "a file of floors that is gone: nothing is judged"
err_code bad-config '/proc/none/floors.conf' "and stderr says so"
TT_SMI_CONFIG=floors.conf run tt-smi --bundle gone.tar.gz --sim p150a
rc_is 2 "nor in a bundle, whose exit code is that of --health"
TT_SMI_CONFIG=floors.conf run tt-smi -s --sim p150a
err_empty "a mode without floors does not look for it"
printf 'firmware blackhole 79.0.0\n' >new.floors
echo "floors = $work/new.floors" >floors.conf
TT_SMI_CONFIG=floors.conf run tt-smi --health --sim p150a --strict
rc_is 5 "floors of a file hold"
echo '{ "firmware": "79.0.0" }' >golden.json
echo "expect = $work/golden.json" >expect.conf
TT_SMI_CONFIG=expect.conf run tt-smi --health --sim p150a --strict
rc_is 5 "and so do versions that are expected"

# Keys that people alone see, and those that say how cards are read, change nothing for a program.
cat >people.conf <<'END'
theme = dark
no_color = yes
compact = yes
interval = 3
timeout = 2
deadline = 4
keep = 3
rotate = 1G
max_temp = 90
END
shape() { jq -c 'del(.time, .took_ms) | [paths | map(tostring) | join("/")]' "$1"; }
if command -v jq >/dev/null; then
	run tt-smi -s --sim n300,p150a
	shape "$out" >plain
	TT_SMI_CONFIG=people.conf run tt-smi -s --sim n300,p150a
	shape "$out" >configured
	check "keys that are for people leave a snapshot's keys alone" cmp -s plain configured
else
	skip "keys that are for people leave a snapshot's keys alone" "no jq"
fi
run tt-smi -ls --json --sim n300,p150a
cp "$out" plain
TT_SMI_CONFIG=people.conf run tt-smi -ls --json --sim n300,p150a
check "and the list as it is" cmp -s plain "$out"

# ---- nothing in it consents ----
printf '%s = yes\n' yes force reset warm_reset r wr no_reset dry_run wait check_busy dmc y device sim \
	root load replay burnin diag exporter textfile during >acts.conf
run tt-smi --config-check acts.conf
rc_is 5 "no option of an act or of a source has a key"
check "each is named" [ "$(grep -c 'no key is named' "$out")" = "$(grep -c . acts.conf)" ]
TT_SMI_CONFIG=acts.conf run tt-smi -wr --sim p150a
rc_is 6 "a reset asks all the same which boards are meant"
out_lacks recovered "and where nobody answers none is"

# ---- what is wrong ----
printf 'theme = dark\ninterwal = 2\ninterval = 0\n[alerts\nno_color = \033[31mred\n' >bad.conf
printf 'a line without end' >>bad.conf
run tt-smi --config-check bad.conf
rc_is 5 "--config-check of a file with trouble"
out_has "bad.conf:2: no key is named 'interwal'; is interval meant?" "the nearest key is named"
out_has "bad.conf:3: interval: '0' is not a time" "a value is judged as the option's"
out_has 'bad.conf:4: is not a [section]' "a heading that is none"
out_has 'bad.conf:5: has a control character' "an escape sequence is not taken"
check "nor repeated" sh -c '! grep -q "$(printf "\033")" "$0"' "$out"
out_has 'bad.conf:6: is neither' "a last line without its end"
out_has 'bad.conf: 5 lines are wrong' "and how many there are"
TT_SMI_CONFIG=bad.conf run tt-smi -s --sim p150a
rc_is 0 "none of that hides a card"
out_has '"board_type": "p150a' "which is read"
err_code bad-config 'bad.conf' "it is said"
err_has '2 more of this kind: tt-smi --config-check says all' "but not all of it each time"
TT_SMI_CONFIG=bad.conf run tt-smi --config-check
rc_is 5 "--config-check without a file checks the one that is read"
run tt-smi --config-check "$work/acts.conf" --sim p150a
rc_is 2 "--config-check reads no card"
run tt-smi --config-check nothing.conf
rc_is 1 "a file that is named has to be there"
TT_SMI_CONFIG='' run tt-smi --config-check
rc_is 0 "no configuration has no trouble"
name=$(printf 'a\033[31m.conf')
echo x >"$name"
run tt-smi --config-check "$name"
check "a name cannot command the terminal" sh -c '! grep -q "$(printf "\033")" "$0" "$1"' "$out" "$err"
out_has 'x1b[31m.conf:1' "it is spelled out"

# ---- what is no file ----
mkfifo fifo
truncate -s 100M huge
mkdir folder
ln -s loop loop
head -c 5000 /dev/zero | tr '\0' x >long
printf 'a\0b = 1\n' >nul
printf '\377\376t\0h\0' >utf16
: >empty
while IFS='|' read -r what code words; do
	TT_SMI_CONFIG=$what run timeout 60 tt-smi -s --sim p150a
	rc_is 0 "$what in its place: the card is read"
	[ -z "$words" ] || err_has "$words" "and what is wrong is said"
	run timeout 60 tt-smi --config-check "$what"
	rc_is "$code" "--config-check $what"
done <<TABLE
fifo|1|is not a file but a FIFO
huge|1|larger than 65536 bytes
folder|1|is not a file but a folder
loop|1|Too many levels of symbolic links
long|5|long:1: is too long
nul|5|nul:1: has a NUL byte
utf16|5|utf16:1: has a NUL byte
empty|0|
TABLE
TT_SMI_CONFIG=/dev/zero run timeout 60 tt-smi -s --sim p150a
rc_is 0 "/dev/zero: the card is read"
err_code unsafe-path '/dev/zero' "and it is not"

# ---- whose it is ----
if [ "$(id -u)" -eq 0 ]; then
	echo 'version_as = 6.2.1' >ours
	mkdir ours.d theirs.d open.d
	cp ours ours.d/f && cp ours theirs.d/f && cp ours open.d/f && cp ours theirs && cp ours open
	cp ours group
	ln -s ours link
	ln -s ours their-link
	ln -s theirs.d way
	chown 65534 theirs theirs.d && chown -h 65534 their-link
	chmod o+w open open.d && chmod g+w group
	chgrp 65534 group
	while IFS='|' read -r what words; do
		TT_SMI_CONFIG=$what run tt-smi -v
		rc_is 0 "root and $what: works"
		if [ -z "$words" ]; then
			check "it is read" [ "$(cat "$out")" = 6.2.1 ]
			err_empty "and nothing said"
		else
			out_lacks 6.2.1 "it is not read"
			err_has "$words" "with the reason"
			check "said once" [ "$(wc -l <"$err")" = 1 ]
			run tt-smi --config-check "$what"
			rc_is 6 "--config-check is refused it, too"
		fi
	done <<TABLE
ours|
ours.d/f|
link|
$work/ours.d/../link|
theirs|file 'theirs' belongs to user 65534
theirs.d/f|folder 'theirs.d' belongs to user 65534
way/f|folder 'theirs.d' belongs to user 65534
their-link|link 'their-link' belongs to user 65534
open|others may write to file 'open'
open.d/f|others may write to folder 'open.d'
group|others may write to file 'group'
TABLE
else
	skip "what root does not read" "needs root"
fi

# ---- what it costs ----
LD_DEBUG=libs run user tt-smi -v
cat "$out" "$err" >libraries
check "a configuration loads libinih" grep -q libinih libraries
LD_DEBUG=libs TT_SMI_CONFIG='' run tt-smi -v
cat "$out" "$err" >libraries
check "without one it is not" sh -c '! grep -q libinih libraries'
library=$(ldconfig -p 2>/dev/null | sed -n 's/.*libinih\.so\.1 .* => //p' | head -n 1)
: >no_library
if [ -n "$library" ] && unshare -m mount --bind no_library "$library" 2>/dev/null; then
	run user unshare -m sh -c 'mount --bind no_library "$0" && exec tt-smi -s --sim p150a' "$library"
	rc_is 0 "without libinih the card is read"
	err_code no-library 'libinih1' "and the package named"
	run user unshare -m sh -c 'mount --bind no_library "$0" && exec tt-smi --config-check' "$library"
	rc_is 1 "without it nothing was checked"
else
	skip "without libinih" "needs root and unshare"
fi

done_testing
