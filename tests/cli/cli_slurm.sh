# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/slurm without a Slurm: what healthcheck, prolog and epilog decide, with a sinfo and a scontrol that
# keep a node's state in a file.  make proof-slurm has the real one.
. "$top_srcdir/tests/rig/lib.sh"

mkdir bin boards
cp "$top_srcdir"/contrib/slurm/* bin/ && chmod -R u+w bin
cat >bin/sinfo <<'END'
#!/bin/sh
[ ! -e sinfo.hangs ] || exec sleep 1000
[ ! -e sinfo.fails ] || exit 1
cat slurm.state
END
cat >bin/scontrol <<'END'
#!/bin/sh
printf '%s;' "$@" >>calls
echo >>calls
[ ! -e scontrol.fails ] || exit 1
[ "$1 $2" = "update nodename=n1" ] || exit 9
case $3 in
state=drain) echo "drained|${4#reason=}" >slurm.state ;;
state=resume) echo "idle|none" >slurm.state ;;
esac
END
cat >bin/logger <<'END'
#!/bin/sh
END
chmod +x bin/sinfo bin/scontrol bin/logger
PATH=$work/bin:$PATH
export SLURMD_NODENAME=n1 TT_SMI_SLURM_CONF=$work/slurm.conf TMPDIR=$work
: >calls
echo 'idle|none' >slurm.state
# A busy machine may keep a card that is well waiting.
cat >bin/patient <<'END'
#!/bin/sh
[ "$1" = --health ] && exec tt-smi "$@" --timeout 60
exec tt-smi "$@"
END
chmod +x bin/patient
settings() {
	{ printf '%s\n' "STATE=$work/drained" "TT_SMI=$work/bin/patient" DEADLINE=60 "$@"; } >slurm.conf
}
board() { export TT_SMI_SIM="$1"; }
health() { : >calls; run "$work/bin/healthcheck"; }
state_is() { check "$2" [ "$(cat slurm.state)" = "$1" ]; }
no_call() { check "$1: Slurm is told nothing" [ ! -s calls ]; }
settings

board p150a
health
rc_is 0 "a node that is well"
no_call "it"
board p150a:hang
health
state_is 'drained|tt-smi: 0 0000:01:00.0: answer: chip does not answer (registers read all ones); action=reset; 1 FAIL, 14 SKIP, 2 PASS (simulated)' "a hung card drains its node, with the reason in one line"
err_has 'n1: drained: tt-smi: 0 0000:01:00.0: answer' "which is in the log, too"
health
no_call "it is still hung"
board p150a:hot
health
no_call "something else is wrong with it"
board p150a
health
state_is 'idle|none' "it is well again: what we have drained is resumed"
health
no_call "it stays well"
check "and nothing of it is kept" [ -z "$(ls drained)" ]

board p150a:hot
health
check "a hot card drains its node" grep -q '^drained|tt-smi: 0 0000:01:00.0: temperature: chip at 9.*throttle limit' slurm.state
echo "$(cat slurm.state); RMA 4711" >slurm.state
board p150a
health
no_call "a reason that somebody has added to"
err_has 'stays drained: its reason is not ours any more' "which is said"
health
no_call "and it stays drained"
echo 'idle|none' >slurm.state
board p150a:hang
health
cp slurm.state ours
echo 'idle|none' >slurm.state
board p150a
health
no_call "a node that somebody has resumed before us"
cp ours slurm.state
health
no_call "somebody's drain that has our very words"
for state in 'drained|maintenance' 'draining|maintenance' 'draining*|none' 'down*|Not responding' 'mixed-drain|x'; do
	echo "$state" >slurm.state
	for spec in p150a:hang p150a; do
		board $spec
		health
		no_call "$spec on a node that is $state"
	done
done
echo 'idle|none' >slurm.state
settings EXPECTED=2
board p150a
health
state_is 'drained|tt-smi: host: expected: 1 of 2 chips are here; action=rescan; 1 FAIL, 17 PASS (simulated)' "a card that is missing drains its node"
board '2*p150a'
health
state_is 'idle|none' "until it is there"

# A check that is broken itself
left() {	# processes of the scripts that still run
	for p in $(pgrep -x 'sleep|sh|timeout|fake|healthcheck|prolog|epilog|tt-smi|patient'); do
		{ tr '\0' '\n' <"/proc/$p/environ"; } 2>/dev/null | grep -qx "TMPDIR=$work" && echo "$p"
	done
}
none_is_left() { [ -z "$(left)" ]; }
fake() {	# [setting...]: a tool that is what stdin says
	{ echo '#!/bin/sh'; cat; } >bin/fake && chmod +x bin/fake
	settings TT_SMI="$work/bin/fake" DEADLINE=1 "$@"
}
broken() {	# name why
	health
	rc_is 0 "$1: no failure of the node"
	no_call "$1"
	err_has "n1: not checked: $2" "$1: the log says why"
}
board p150a:hang
settings TT_SMI=/proc/none/tt-smi
broken "a tool that is not there" '/proc/none/tt-smi: not found'
settings CHECKS=nonsense
broken "a setting that the tool refuses" 'nothing could be checked, stderr says why: tt-smi: --checks'
fake <<'END'
trap '' TERM
sleep 1000 & wait
END
broken "a tool that does not end" 'ended after 3 s'
mv bin/fake bin/timeout
fake <<'END'
echo "TT-SMI CRITICAL: x | y"; exit 2
END
broken "one that no signal ends" 'no answer within 3 s'
rm bin/timeout
# It ignores SIGTERM, and so does its sleep.
for p in $(left); do kill -9 "$p"; done
while IFS='|' read -r code text; do
	fake <<END
echo '$text'; exit $code
END
	broken "'$text' with $code" 'the check could not be run'
done <<'END'
2|tt-smi: what is this
0|TT-SMI CRITICAL: x
2|TT-SMI OK: x
1|
139|TT-SMI CRITICAL: x
END
fake <<'END'
echo 'TT-SMI UNKNOWN: 0 0000:01:00.0: node: it cannot be opened; 3 SKIP | chips=1;;;0;'; exit 3
END
broken "what could not be looked at" '0 0000:01:00.0: node: it cannot be opened; 3 SKIP'
settings
TMPDIR=/proc/none broken "no folder for its output" 'no folder for its output'
if grep -qs 0x1e52 /sys/bus/pci/devices/*/vendor; then
	skip "a node without cards" "this machine has one"
else
	mkdir root
	unset TT_SMI_SIM
	export TT_SMI_ROOT=$work/root
	broken "a node without cards" 'no card is here'
	settings EXPECTED=4
	health
	check "one that should have some is drained" grep -q '^drained|tt-smi: host: ' slurm.state
	unset TT_SMI_ROOT
fi
settings
echo 'idle|none' >slurm.state
rm -f drained/*
board p150a:hang
for how in sinfo.fails scontrol.fails; do
	: >$how
	case $how in
	sinfo*) said='Slurm does not answer (sinfo knows no such node): no drain' ;;
	*) said='cannot be drained (scontrol: exit code 1): 0 0000:01:00.0' ;;
	esac
	health
	rc_is 0 "$how: no failure of the node"
	err_has "$said" "$how: the log says so"
	check "$how: and nothing is kept that would resume it" [ -z "$(ls drained 2>/dev/null)" ]
	rm $how
done
: >drained.file
settings STATE="$work/drained.file/x"
health
check "where it cannot be written down, it is drained all the same" grep -q '^drained|tt-smi: ' slurm.state
err_has 'has to be resumed by hand' "and the log says who resumes it"
board p150a
health
no_call "a drain that is not written down"

# A link in the record's place is replaced, and a folder of another user is not used.
settings STATE="$work/linked"
mkdir linked && echo victim >victim && ln -s "$work/victim" linked/n1 && ln -s "$work/victim" linked/n1.new
board p150a:hang
echo 'idle|none' >slurm.state
health
check "a link in the record's place: what it leads to is unchanged" [ "$(cat victim)" = victim ]
check "and the record is a file" [ "$(cat linked/n1)" = "$(sed 's/^drained|//' slurm.state)" -a ! -L linked/n1 ]
board p150a
health
state_is 'idle|none' "from which the node is resumed"
if [ "$(id -u)" -eq 0 ]; then
	settings STATE="$work/theirs"
	mkdir theirs && chown 65534 theirs
	board p150a:hang
	health
	check "a folder of another user: the node is drained" grep -q '^drained|tt-smi: ' slurm.state
	err_has 'belongs to another user' "the log says why there is no record"
	sed 's/^drained|//' slurm.state >theirs/n1
	board p150a
	health
	no_call "a record that another user may have written"
	mkdir roots
	ln -s "$work/roots" theirs/way && chown -h 65534 theirs/way
	mkdir theirs/roots
	for state in way way/new roots; do
		settings STATE="$work/theirs/$state"
		board p150a:hang
		echo 'idle|none' >slurm.state
		health
		check "a path that another user can change ($state): the node is drained" \
			grep -q '^drained|tt-smi: ' slurm.state
		check "$state: and nothing is written" [ -z "$(ls roots theirs/roots | grep -v :)" ]
		err_has 'belongs to another user' "$state: the log says why there is no record"
	done
	board p150a
fi

# The prolog
settings
export SLURM_JOB_ID=77 SLURM_JOB_UID=$(id -u)
: >calls
run "$work/bin/prolog"
rc_is 0 "a job starts on a node that is well"
board p150a:hang
run "$work/bin/prolog"
rc_is 1 "and is refused by one that is not"
err_has 'n1: job 77 is refused: 0 0000:01:00.0: answer: chip does not answer' "with the reason"
board p150a:slow
settings TT_SMI=tt-smi
run timeout 300 "$work/bin/prolog"
rc_is 1 "a card that does not answer in time, too"
fake <<'END'
trap '' TERM
sleep 1000 & wait
END
run timeout 300 "$work/bin/prolog"
rc_is 0 "a tool that does not end refuses no job"
err_has 'not checked: ended after 3 s' "and is said to"
no_call "a prolog"

# The epilog
list_of() {	# pid...: a tool that says that these have the card
	{ echo ': >asked'; echo 'case $1 in -r) echo "$@" >>resets; exit '"$code"' ;; esac'; echo 'cat <<XX'
	echo '    "processes": ['
	printf '            "pid": %s,\n            "cmdline": "python -c x[0] = [1],",\n' "$@"
	echo '    ],'
	echo 'XX'; } | fake HOLDERS_WAIT="$wait" "$more"
}
code=0 wait=1 more=
sleep 1000 &
ours=$!
SLURM_JOB_ID=78 sleep 1000 &
other=$!
list_of 1 $ours $other
run "$work/bin/epilog"
rc_is 1 "a process of the job that still has a card"
err_has "job 77 is over, but has a card still: process $ours (sleep)" "is named"
err_lacks "process $other" "one of another job is not"
check "no card is reset unless that is configured" [ ! -e resets ]
list_of $ours
run env SLURM_JOB_UID=$(($(id -u) + 1)) "$work/bin/epilog"
rc_is 0 "what a process of another user than the job's writes into its environment drains no node"
list_of 1 $ours $other
wait=100
list_of $ours
rm -f asked
(await [ -e asked ]; kill $ours) &
run "$work/bin/epilog"
rc_is 0 "one that ends meanwhile is waited for"
kill $other
list_of 1
run "$work/bin/epilog"
rc_is 0 "nobody has a card"
more=RESET=yes
list_of 1
run "$work/bin/epilog"
rc_is 0 "and it is reset where that is configured"
check "if nobody has it" grep -qx -- '-r all --check-busy -y' resets
code=5
list_of 1
run "$work/bin/epilog"
rc_is 1 "cards that do not come back"
err_has 'did not come back from their reset' "are said to"
code=6
list_of 1
run "$work/bin/epilog"
rc_is 0 "cards that somebody has are not reset"
err_has 'not reset (exit code 6)' "which is said"
while IFS='|' read -r end said name; do
	{ echo 'case $1 in -r)'; echo "$end"; echo 'esac'; echo 'echo "    \"processes\": ["'; } |
		fake RESET=yes RESET_LIMIT=1 HOLDERS_WAIT=1
	run timeout 60 "$work/bin/epilog"
	rc_is 1 "a reset $name drains the node"
	err_has "$said" "which is said"
done <<'END'
trap 'echo >termed; exit 6' TERM; sleep 1000 & wait|may be half reset: ended after 1 s|that takes too long
trap '' TERM; sleep 1000 & wait|may be half reset: ended after 1 s|that no signal but SIGKILL ends
kill -SEGV $$|may be half reset (exit code 139)|that crashes
END
check "one that takes too long is asked to end" [ -e termed ]
for p in $(left); do kill -9 "$p"; done
settings TT_SMI=/proc/none/tt-smi
run "$work/bin/epilog"
rc_is 0 "a tool that is not there drains nothing here, either"
settings RESET=yes
board p150a:held
run "$work/bin/epilog"
rc_is 0 "the tool itself: a card that another job has"
err_has 'not reset (exit code 6)' "is left alone"
board p150a
run "$work/bin/epilog"
rc_is 0 "and one that nobody has is reset"
err_empty "without a word"

# RESET=ill: where the next step of the check is a reset, as the tool's line says it.
settings RESET=ill
while IFS='|' read -r spec said; do
	board "$spec"
	tt-smi --health --nagios --sim "$spec" >line
	rm -f "$work/state/reset.log"
	TT_SMI_STATE_DIR=$work/state run "$work/bin/epilog"
	rc_is 0 "RESET=ill: $spec"
	check "$spec: the step is $said" grep -q "; action=${said%% *}; " line
	check "$spec: $said" test "$(cat "$work/state/reset.log" 2>/dev/null | grep -c '"verdict"')" \
		"${said##* }" 0
done <<'END'
p150a:stuck|reset -gt
p300:hang|reset-board -gt
p150a:cable|reseat-cable -eq
p150a:hang:held|free-holder -eq
p150a:lane|contact-support -eq
END
board p150a
TT_SMI_STATE_DIR=$work/state run "$work/bin/epilog"
check "RESET=ill: a card that is well is not reset" [ ! -e "$work/state/reset.log" ]
# Words of others in the line do not advise a reset.
fake RESET=ill <<'END'
case $1 in
-r) echo "$@" >forged ;;
-s) echo '    "processes": [' ;;
--health) echo 'TT-SMI CRITICAL: 0: holders: ./x; action=reset; y; action=none; 1 FAIL | chips=1;;;0;'; exit 2 ;;
esac
END
run "$work/bin/epilog"
check "RESET=ill: a process with such a name does not reset a card" [ ! -e forged ]

# Settings that end the shell which reads them, and files that are not there
export SLURM_JOB_ID=77
board p150a
alone=$work/alone
mkdir "$alone"
cp "$top_srcdir"/contrib/slurm/[ehp]* "$alone"
: >calls
while IFS='|' read -r setting said; do
	settings "$setting"
	for program in prolog epilog healthcheck; do
		run "$work/bin/$program"
		rc_is 0 "$program: '$setting' drains no node"
		err_has "$said" "$program: '$setting' is in the log"
	done
done <<'END'
CHECKS=(|yntax error
CHECKS=$NOT_SET|NOT_SET
DEADLINE=2.5|2.5
DEADLINE=5s|5s
END
settings HOLDERS_WAIT=soon
run "$work/bin/epilog"
rc_is 0 "nor does a time to wait that is not a number"
settings
for program in prolog epilog healthcheck; do
	run "$alone/$program"
	rc_is 0 "$program: nor one that stands alone"
	err_has common.sh "$program: which says what is missing"
done
no_call "what cannot be run"
run env TT_SMI_SLURM_CONF=/dev/null sh -c 'code=0; . "$0"; say "$1"' "$top_srcdir/contrib/slurm/common.sh" 'a\033[2J\nb'
err_has 'a\033[2J\nb' "what a name looks like stays as it is"
mkdir own
ln -s "$(command -v tt-smi)" own/own-smi
settings TT_SMI=own-smi "PATH=$work/own:/usr/bin:/bin"
run env -i TT_SMI_SLURM_CONF="$TT_SMI_SLURM_CONF" TT_SMI_STATE_DIR="$TT_SMI_STATE_DIR" TMPDIR="$TMPDIR" \
	TT_SMI_SIM=p150a:hang SLURMD_NODENAME=n1 "$work/bin/prolog"
rc_is 1 "slurmd's environment has no PATH: the tool is where the settings say"
err_has 'job ? is refused: 0 0000:01:00.0: answer' "and says what it has to say"
check "none of all these has left a process behind" await none_is_left
for p in $(left); do kill -9 "$p"; done
done_testing
