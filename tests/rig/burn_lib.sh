# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced after lib.sh by tests that burn cards.
#
#   burn cards --ttsim wh.so ...	tt-smi -b, with report.json
#   json "name" "expression of the report r and its first target t"; no object has a key twice
#   lib wh+wrong@1		a copy of the fake simulator that does what the name says
#   none_left "name"		no process of this test is there any more
py=python3
command -v $py >/dev/null || py=none

json() {
	if [ $py = none ]; then
		skip "$1" "no python3"
	else
		check "$1" $py -c "import json
def once(pairs):
	assert len(dict(pairs)) == len(pairs), [k for k, v in pairs]
	return dict(pairs)
r = json.load(open('report.json'), object_pairs_hook=once); t = r['targets'][0]; assert $2, {k: t[k] for k in t if k != 'cores'}"
	fi
}
lib() {
	cp "$top_builddir/tests/rig/fake_ttsim.so" "$work/$1.so"
}
left_behind() {
	for p in $(pgrep -x 'tt-smi|ttsim'); do
		{ tr '\0' '\n' <"/proc/$p/environ"; } 2>/dev/null |
			grep -qxF "TT_SMI_STATE_DIR=$work/state" && echo "$p"
	done
}
none_left() {
	for _ in $(seq 200); do
		[ -z "$(left_behind)" ] && break
		sleep 0.05
	done
	check "$1: no process is left" [ -z "$(left_behind)" ]
}
burn() {
	rm -f report.json
	run timeout 400 tt-smi -b "$@" --report report.json
}

#   begin [ARGUMENTS of tt-smi -b]	a burn in the background, $pid, until it has computed blocks
#   ended			it has ended by itself: $rc, $out, $err
#   child_of PID		the process that burns its card
begin() {
	rm -f report.json
	: >burn.out
	tt-smi -b "$@" --report report.json >burn.out 2>burn.err </dev/null &
	pid=$!
	for _ in $(seq 2400); do
		grep -Eq ' [1-9][0-9]* blocks' burn.out && break
		sleep 0.05
	done
}
ended() {
	wait $pid
	rc=$?
	cp burn.out "$out" && cp burn.err "$err"
}
child_of() {	# the one that was started last
	pgrep -n -P "$1" -x tt-smi
}
