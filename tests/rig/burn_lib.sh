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
is_ours() {	# pid
	while IFS= read -rd '' word; do
		[ "$word" = "TT_SMI_STATE_DIR=$work/state" ] && return
	done 2>/dev/null <"/proc/$1/environ"
	return 1
}
left_behind() {
	for p in $(pgrep -x 'tt-smi|ttsim'); do
		is_ours "$p" && echo "$p"
	done
}
nothing_is_left() { [ -z "$(left_behind)" ]; }
none_left() {
	check "$1: no process is left" await nothing_is_left
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
	await has_line burn.out ' [1-9][0-9]* blocks'
}
ended() {
	wait $pid
	rc=$?
	cp burn.out "$out" && cp burn.err "$err"
}
child_of() {
	pgrep -n -P "$1" -x 'tt-smi card'
}
