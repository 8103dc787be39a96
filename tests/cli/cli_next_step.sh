# SPDX-License-Identifier: GPL-2.0-or-later
# Each reason why a card cannot be used, with its next step: the step can be carried out in that
# state, and a card that another driver has is no trouble of anybody's.  The step of each failed
# check is taken on the same simulated boards, and printed in a table.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "next steps" "jq is not installed"; done_testing; exit; }

card=tree/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0
fresh() {
	rm -rf tree
	cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
	chmod -R u+w tree
	mkdir -p $card/iommu_group
	echo DMA >$card/iommu_group/type
	printf '0x%016x 0x%016x 0x%016x\n' 0xe0000000 0xe1ffffff 0x40204 >$card/resource
}
unbind() { rm -rf $card/driver $card/tenstorrent tree/sys/class/tenstorrent/*; }
bind() { ln -s "../../../../bus/pci/drivers/$1" $card/driver; }
unload() { rm -rf tree/sys/module/tenstorrent; }

well() { :; }
vfio() { unbind; bind vfio-pci; }
stub() { unbind; bind pci-stub; }
vfio_alone() { vfio; unload; }
untaken() { unbind; }
unloaded() { unbind; unload; }
nodeless() { rm tree/dev/tenstorrent/0; }
slow() { nodeless; echo 1 >$card/current_link_width; }

# world, state and code of the card, exit of --health, its advice, and what it does not advise
while IFS='|' read -r world state code rc has lacks; do
	fresh
	$world
	run tt-smi -s --root tree
	check "$world: state $state" test "$(jq -r '.device_info[0].health.state' "$out")" = "$state"
	check "$world: code $code" test "$(jq -r '.device_info[0].health.code' "$out")" = "$code"
	run tt-smi --health --root tree
	rc_is "$rc" "$world: --health"
	[ "$has" = - ] || out_has "$has" "$world: the step is $has"
	for word in $lacks; do out_lacks "$word" "$world: no $word"; done
	run tt-smi -wr 0 --dry-run --root tree
	rc_is 6 "$world: -wr --dry-run"
	[ "$world" = well ] || out_lacks "ASIC_RESET, if" "$world: there is no plan"
	run tt-smi -ls --json --root tree
	check "$world: -ls lists what a reset can be done to" \
		test "$(jq '.boards[0].resettable' "$out")" = "$([ "$world" = well ] && echo true || echo false)"
done <<-END
	well|warn|recorded|4|-|-wr modprobe vfio
	vfio|not-read|no-driver|3|-|FAIL -wr modprobe
	stub|not-read|no-driver|3|-|FAIL -wr modprobe
	vfio_alone|not-read|no-driver|3|-|FAIL -wr modprobe
	untaken|failed|no-driver|5|dmesg|-wr modprobe
	unloaded|failed|no-driver|3|modprobe tenstorrent|-wr
	nodeless|ok|no-driver|5|pass the device in|-wr modprobe
	slow|warn|no-driver|5|pass the device in|-wr modprobe
END

# Of a tree or a file the step names the machine: an index is another card here, and no act takes it.
boards=p150a:hang,n300:dram
tt-smi -s --sim "$boards" --record away.rec >away.json 2>/dev/null
for source in '--load away.json' '--replay away.rec'; do
	# shellcheck disable=SC2086
	run tt-smi --health --json $source
	check "$source: each step that acts is one for its machine" test "$(jq -r \
		'[.checks[] | .next // empty | select(test("tt-smi ")) | startswith("on its machine: ")] |
		"\(length > 0) \(all)"' "$out")" = "true true"
	# shellcheck disable=SC2086
	run tt-smi -s $source
	check "$source: in a snapshot, too" test "$(jq -r '[.device_info[].health | .next, .findings[].next |
		select(. and test("tt-smi ")) | startswith("on its machine: ")] | "\(length > 0) \(all)"' "$out")" = "true true"
	# shellcheck disable=SC2086
	run tt-smi $source
	out_has "-> on its machine: tt-smi -wr" "$source: and in the overview"
done
run tt-smi --health --sim "$boards"
out_lacks "on its machine" "simulated boards take the step as it is printed"

# ---- beside a card that works ----

fresh
other=tree/sys/bus/pci/devices/0000:02:00.0
mkdir "$other"
for file in vendor device class subsystem_vendor subsystem_device; do cat $card/$file >$other/$file; done
ln -s ../../../../bus/pci/drivers/vfio-pci $other/driver
run tt-smi --health --root tree
cp "$out" both
rm -r "$other"
run tt-smi --health --root tree
check "--health says of a host with one of each what it says without the other" \
	diff <(sed 's/ in [0-9.]* s$//' both) <(sed 's/ in [0-9.]* s$//' "$out")
mkdir "$other"
for file in vendor device class subsystem_vendor subsystem_device; do cat $card/$file >$other/$file; done
ln -s ../../../../bus/pci/drivers/vfio-pci $other/driver
run tt-smi --health --json --root tree
check "its checks do not apply" jq -e '[.checks[] | select(.index == 1) | .result] | unique == ["N/A"]' "$out"
check "and it is not counted" jq -e '.chips == 1' "$out"
run tt-smi --health --expected 2 --checks expected --root tree
rc_is 5 "nor is it one of two that are expected"
run tt-smi -s --root tree
cp "$out" both.json
rc_is 0 "-s"
run tt-smi --strict -s --root tree
rc_is 0 "-s --strict"
run tt-smi --health --checks answer --load both.json
rc_is 0 "nor is it in a file"
run tt-smi --device 1 -s --root tree
rc_is 3 "named, it is no device"
run tt-smi --textfile now.prom --once --root tree
check "metrics have no series of it" not grep -q 0000:02 now.prom
check "nor do they expect it" has_line now.prom '^tt_smi_chips_expected 1$'
run tt-smi -wr all --dry-run --root tree
out_lacks 0000:02 "all does not name it"

# ---- each step that --health names is taken in the state that it names it for ----

export TT_SMI_VIRTUAL_TIME=1795252364
faults=$(TT_SMI_CODES='' tt-smi -s --sim 'p150a:?' 2>&1 | sed -n "s/.*'?': none of //p")
steps() {	# boards: check and step, a line each
	tt-smi --health --remote --json --sim "$1" 2>/dev/null |
		jq -r '[.checks[] | select(.next) | "\(.id)|\(.next)"] | unique[]'
}
taken() {	# boards step: the command after "tt-smi", up to what to do if it does not help
	words=${2#tt-smi } words=${words%%;*} consent=
	case $words in -wr* | -glx*) consent=-y ;; esac
	# shellcheck disable=SC2086
	run timeout 120 tt-smi $words $consent --sim "$1"
}
states=$(for board in p150a n150 n300-links p300; do
	for fault in $faults; do echo "$board:$fault"; done
done)
for spec in $states tt-galaxy-bh:gone tt-galaxy-wh:hang p300,p300:hang p300:hang,p300:hang p300:hang,p150a; do
	steps "$spec" | sed "s/$/|$spec/"
done >steps
while IFS='|' read -r id step spec; do
	[[ $step == tt-smi* ]] || continue
	taken "$spec" "$step"
	echo "$id|$step|$spec|$rc"
done <steps >table
sort table | sed 's/^/# /'
grep -v '|tt-smi ' steps | sort -u -t'|' -k1,2 | sed 's/^/# by hand: /'
check "no step is refused, unknown or for a card that is not there" not grep -vE '\|[045]$' table
check "steps of these checks were taken" diff <(cut -d'|' -f1 table | sort -u) - <<-END
	answer
	ethernet
	heartbeat
	link
	memory
	memory-errors
	readings
	trays
END
for fault in hot memhot; do
	run tt-smi -s --sim "p150a:$fault"
	check "$fault: no code, and the air in words" jq -e '.device_info[0].health |
		.action == "none" and .next == "check fans, airflow and power"' "$out"
	run tt-smi --health --json --sim "p150a:$fault"
	check "$fault: --health says the same" jq -e '[.checks[] | select(.result == "FAIL") |
		.action == "none" and .next == "check fans, airflow and power"] | any' "$out"
done
run tt-smi -wr 0 -y --sim p150a:cable
out_has "12V-2x6 power cable" "a reset that finds no power names the cable"
out_lacks "try: tt-smi -wr" "and no other reset"
run tt-smi --health --json --sim p300:hang:held
check "while a program has the board, it has to end first" jq -e \
	'.checks[] | select(.id == "answer" and .index == 0) | .next == "end the programs that have it, then tt-smi -wr 0 1"' "$out"
export TT_SMI_SIM_SPEED=20
while IFS='|' read -r spec action; do
	run tt-smi -wr all -y --report report.json --sim "$spec"
	check "$spec: the report of its reset has the action $action" jq -e --arg action "$action" \
		'.cards[0] | .action == $action and (.advice == null) == ($action == "none")' report.json
	rm report.json
done <<-END
	p150a:cable|reseat-cable
	p300:hang:resetfail|reset-board
	p150a:hang:resetfail|power-cycle
	p150a:unbound|rescan
	p150a:exported|free-holder
	p150a:hang|none
END
for spec in p300:off p300:hang:resetfail; do
	run tt-smi -wr all -y --sim "$spec"
	out_has "try: tt-smi -wr 0000:01:00.0,0000:02:00.0 --dmc" "$spec: the step names both halves of an unread board"
done
done_testing
