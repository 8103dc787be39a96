# SPDX-License-Identifier: GPL-2.0-or-later
# Counters of metrics: kept over restarts, never falling, with what acts did; and cards that this
# program resets meanwhile.
. "$top_srcdir/tests/rig/lib.sh"

file=$work/tt-smi.prom
value() { sed -n "s/^tt_smi_$1 //p" "$file"; }
once() { run tt-smi --textfile "$file" --once "$@"; }
a='bdf="0000:01:00.0",chip="0"'
at_least() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b && b != "") }'; }

# Restarts
once --sim p150a
before=$(value "core_energy_joules_total{$a}")
check "energy is counted from the first two samples on" at_least "$before" 1
once --sim p150a
err_empty "a second program goes on without a word"
check "from where the first one was" at_least "$(value "core_energy_joules_total{$a}")" "$before"
for n in resets_total burnins_total throttled_seconds_total gddr_uncorrected_errors_total; do
	check "$n is there, and 0" [ "$(grep "^tt_smi_$n{$a" "$file" | sed 's/.* //' | sort -u)" = 0 ]
done
newest=$(ls -t "$TT_SMI_STATE_DIR"/counters-sim.[01] | head -n 1)
head -c -5 "$newest" >torn && cat torn >"$newest"
before=$(value "core_energy_joules_total{$a}")
once --sim p150a
rc_is 0 "a torn file"
err_code corrupt 'torn' "is said"
check "and loses its last record alone" at_least "$(value "core_energy_joules_total{$a}")" 1
once --sim p150a
err_empty "once"
# A program with --device does not keep the others from counting
b='bdf="0000:02:00.0",chip="0"'
tt-smi --textfile one.prom -i 0.1 --device 0 --sim '2*p150a' 2>"$err" &
pid=$!
check "one that has a selection runs" await test -s one.prom
once --sim '2*p150a'
before=$(value "core_energy_joules_total{$b}")
once --sim '2*p150a'
check "a card that it does not sample is counted all the same" \
	awk -v a="$(value "core_energy_joules_total{$b}")" -v b="$before" 'BEGIN { exit !(a > b && b > 0) }'
kill $pid
wait $pid 2>/dev/null
once --sim '2*p150a'
before=$(value "core_energy_joules_total{$b}")
once --device 1 --sim '2*p150a'
check "its own counters begin at 0" at_least "$before" "$(value "core_energy_joules_total{$b}")"
saved=$TT_SMI_STATE_DIR
unset TT_SMI_STATE_DIR
HOME=$work/home XDG_STATE_HOME=$work/xdg once --sim p150a
rc_is 0 "without TT_SMI_STATE_DIR"
check "nothing is kept of simulated boards" sh -c "! ls '$work/xdg/tt-smi' '$work/home/.local/state/tt-smi' 2>/dev/null | grep -E 'counters|acts'"
TT_SMI_STATE_DIR=$saved
export TT_SMI_STATE_DIR

# Acts
run tt-smi -r 0 --sim p150a -y
rc_is 0 "a reset"
run tt-smi -b 0 --sim p150a -dur 1 --no-reset
once --sim p150a
check "is counted by its result" [ "$(value "resets_total{$a,result=\"recovered\"}")" = 1 ]
check "and so is a burn" [ "$(value "burnins_total{$a,result=\"incomplete\"}")" = 1 ]
check "each once" [ "$(value "burnins_total{$a,result=\"pass\"}")" = 0 ]
TT_SMI_SIM_SPEED=50 run tt-smi -b 0,1 --sim p150a:resetfail,p150a -dur 1
once --sim p150a:resetfail,p150a
check "one that never began is not, as after a reset that failed" \
	[ "$(value "burnins_total{$a,result=\"fail\"}")" = 0 ]
rm "$TT_SMI_STATE_DIR/acts-sim.lock" && mkdir "$TT_SMI_STATE_DIR/acts-sim.lock"
run tt-smi -r 0 --sim p150a -y
rc_is 0 "a reset that cannot be counted is done"
check "and says so" grep -q 'not counted for metrics: ' "$out"
run tt-smi -b 0 --sim p150a -dur 1 --no-reset
err_code wrong-kind '' "and so does a burn"
rmdir "$TT_SMI_STATE_DIR/acts-sim.lock"

# Another user's metrics can read them, whatever the umask
modes() { stat -c %a "$TT_SMI_STATE_DIR/acts-sim" "$TT_SMI_STATE_DIR/reset.log" "$TT_SMI_STATE_DIR/roster-sim" | sort -u; }
mkdir dark
TT_SMI_STATE_DIR=$work/dark
(umask 077; TT_SMI_SIM_SPEED=50 tt-smi -r 0 --sim p150a:resetfail -y; tt-smi --textfile x.prom --once --sim p150a) >reset.out 2>&1
check "new files of the state directory are for all to read" [ "$(modes)" = 644 ]
once --sim p150a
check "a lost card is counted" [ "$(value "resets_total{$a,result=\"lost\"}")" = 1 ]
check "no reset is in flight" [ "$(value "reset_in_flight{$a}")" = 0 ]
for kept in acts-sim reset.log; do
	rm "dark/$kept"
	case $kept in acts-sim) mkdir "dark/$kept" ;; *) ln -s "$kept" "dark/$kept" ;; esac
done
once --sim p150a
rc_is 0 "files that cannot be read"
err_code wrong-kind 'acts-sim' "are named: counts of acts"
err_code unsafe-path 'reset.log' "and the log"
check "once each" [ "$(wc -l <"$err")" = 2 ]
check "what is not known is not 0: acts" [ -z "$(value "resets_total{$a,result=\"lost\"}")" ]
check "what is not known is not 0: resets in flight" [ -z "$(value "reset_in_flight{$a}")" ]
check "and all else is there" [ -n "$(value "core_energy_joules_total{$a}")" ]
TT_SMI_STATE_DIR=$work/x.prom/state
once --sim p150a
rc_is 0 "a state directory that cannot be"
for what in 'counters are not kept' 'resets and burn-ins are left out' 'resets in flight are left out'; do
	check "stderr says once: $what" [ "$(grep -c "$what" "$err")" = 1 ]
done
for name in resets_total burnins_total reset_in_flight; do
	check "it is not 0, but not known: $name" sh -c "! grep -q '^tt_smi_$name' '$file'"
done
check "counters are there" [ -n "$(value "core_energy_joules_total{$a}")" ]
TT_SMI_STATE_DIR=$saved

# A card that this program resets in another process
tt-smi --textfile "$file" -i 0.1 --sim p150a,p150a 2>"$err" &
pid=$!
flies() { [ "$(value "reset_in_flight{$a}")" = "$1" ]; }
tell() {	# event pid [source [started [bdf]]]
	started=${4:-$(awk '{ print $22 }' "/proc/$2/stat")}
	printf '{"time": "x", "pid": %s, "started": %s, "event": "%s", "bdf": "%s", "source": "%s"}\n' \
		"$2" "$started" "$1" "${5:-0000:01:00.0}" "${3:-sim}" >>"$TT_SMI_STATE_DIR/reset.log"
}
check "no card is being reset" await flies 0
sleep 1000 &
other=$!
tell fire $other kmd
tell fire $other
check "one that is reset now is marked" await flies 1
check "it stays up" grep -qxF "tt_smi_up{$a} 1" "$file"
check "its readings are withheld" [ -z "$(value "core_watts{$a}")" ]
check "and its counters are there" [ -n "$(value "heartbeats_total{$a}")" ]
check "the other card is read" [ -n "$(value 'core_watts{bdf="0000:02:00.0",chip="0"}')" ]
tell verdict $other
check "after the verdict it is read again" await flies 0
# Of a host that went down in the midst of a reset
tell fire $other sim 1
tell fire $other sim '' 0000:02:00.0
other_flies() { [ "$(value 'reset_in_flight{bdf="0000:02:00.0",chip="0"}')" = "$1" ]; }
check "the other card is reset" await other_flies 1
check "a process that has the pid of one that ended resets nothing" flies 0
tell verdict $other sim '' 0000:02:00.0
check "the other card was reset" await other_flies 0
tell fire $other
check "it is reset again" await flies 1
kill -9 $other
wait $other 2>/dev/null
check "a reset that was killed is over" await flies 0
tt-smi -r 0 --sim p150a -y >reset.out 2>&1 &
check "a real one is seen" await flies 1
wait $!
check "and its end" await flies 0
kill $pid
wait $pid 2>/dev/null
grep -q 'reason="failed"' "$file"
check "no card was down for it" [ $? -ne 0 ]

# Errors of links: a recorded tree with a bridge above the card
cp -R "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
bdf=0000:01:00.0
put() {	# folder count
	for kind in correctable:COR nonfatal:NONFATAL fatal:FATAL; do
		printf 'Undefined 0\nTOTAL_ERR_%s %d\n' "${kind#*:}" "$2" >"$1/aer_dev_${kind%:*}"
	done
}
put "tree/sys/bus/pci/devices/$bdf" 7
card="bdf=\"$bdf\",chip=\"0\",device=\"card\",kind=\"fatal\""
once --root tree
check "what the kernel counted of the card is there" [ "$(value "pcie_aer_errors_total{$card}")" = 7 ]
put "tree/sys/bus/pci/devices/$bdf" 2
put tree/sys/bus/pci/devices/0000:00:04.0 5
once --root tree
check "and does not fall when the kernel begins anew" [ "$(value "pcie_aer_errors_total{$card}")" = 9 ]
check "those of the bridge above it beside them" [ "$(value "pcie_aer_errors_total{$a,device=\"bridges\",kind=\"correctable\"}")" = 5 ]

# A tree is a copy: what is written there while a command runs happened to no card.
run tt-smi --during --json --root tree -- \
	sh -c "printf 'TOTAL_ERR_COR 9\n' >tree/sys/bus/pci/devices/$bdf/aer_dev_correctable"
check "a receipt counts no errors of a copy" \
	jq -e '.boards == null and (.missing | contains("nothing was measured"))' "$err"

# Eight hours of cards that come, go and hang
rm -r "$TT_SMI_STATE_DIR"
cat >never_falls.awk <<'AWK'
function ask(command,	answer) { close(command); command | getline answer; return answer + 0 }
/^tt_smi_build_info/ { if (++ticks % 1000 == 500) {
	fds = ask("ls /proc/" pid "/fd | wc -l")
	kb = ask("sed -n 's/^VmRSS:[^0-9]*//p' /proc/" pid "/status")
	if (ticks == 500) { fds_first = fds; kb_first = kb }
	if (fds > fds_first + 8) grown = fds " descriptors after " fds_first	# workers that rest
	if (kb > kb_first + 4096) grown = kb " kB after " kb_first } }
/^tt_smi_[a-z_]*_total[{]/ { if ($2 + 0 < v[$1] + 0) bad = $0; v[$1] = $2; n++ }
END { if (bad grown) print bad grown; print (ticks > 5000 && n > 500000 && kb && !bad && !grown) }
AWK
mkfifo texts
# Sanitizers keep what is freed for a while: little of it here.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:quarantine_size_mb=1:thread_local_quarantine_size_kb=64 \
TT_SMI_VIRTUAL_TIME=1795000000 tt-smi --textfile /dev/stdout -i 5 -dur 8h \
	--sim 'p150a:hang@1000-2000,p150a:gone@3000-9000,n300:stuck@500-800,p150a:off@20000-21000' >texts 2>"$err" &
pid=$!
awk -v pid=$pid -f never_falls.awk texts >"$out"
wait $pid
check "no counter falls in eight hours, and neither memory nor descriptors grow" [ "$(tail -n 1 "$out")" = 1 ]
check "the files of them stay small" [ "$(du -sk "$TT_SMI_STATE_DIR" | cut -f1)" -le 1024 ]
done_testing
