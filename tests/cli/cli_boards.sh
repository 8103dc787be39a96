# SPDX-License-Identifier: GPL-2.0-or-later
# Boards as they are: what a link is compared with, from wherever it was read, and
# galaxies, which a public diagnostic finds healthy: its checks of a snapshot are
# transcribed here.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "boards" "jq is not installed"; done_testing; exit; }
is() { [ "$(jq -r "$2" "$out" 2>/dev/null)" = "$3" ]; result $? "$1"; }

# ---- the slot --------------------------------------------------------------------
in_slot() {	# name: a card for sixteen lanes in a slot of eight, all of which it has
	rc_is 0 "$1"
	is "$1: the link is as the slot allows" '.device_info[0].link |
		[.width, .width_max, .width_slot, .width_best, .limit, .downgraded] | @csv' \
		'8,16,8,8,"slot",false'
	is "$1: the card is well" '.device_info[0].health.state' ok
}
run tt-smi -s --sim p150a-x8
in_slot "a simulated card"
cp "$out" slot.json
run tt-smi -s --load slot.json
in_slot "its snapshot"
run tt-smi -s --sim p150a-x8 --record slot.rec
run tt-smi -s --replay slot.rec
in_slot "its recording"

cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
port=$(dirname "$(find tree/sys/devices -name max_link_width)")
echo 16 >"$port/max_link_width"
echo "32.0 GT/s PCIe" | tee "$port/max_link_speed" "$port/current_link_speed" "$port/../max_link_speed" >/dev/null
echo 8 | tee "$port/current_link_width" "$port/../max_link_width" >/dev/null
run tt-smi -s --root tree
is "a recorded tree: the port above says what the slot can do" '.device_info[0].link |
	[.width, .width_max, .width_slot, .limit, .downgraded] | @csv' '8,16,8,"slot",false'
rm "$port/../max_link_width" "$port/../max_link_speed"
run tt-smi -s --root tree
is "a tree without the port: the link is compared with the card alone" \
	'.device_info[0].link | [.width_slot, .width_best, .downgraded] | @csv' ',16,true'
out_has "PCIe link DOWNGRADED to Gen5 x8 of Gen5 x16 (slot not known)" "and says so"

run tt-smi -s --sim p150a-x8:width
is "trained down in such a slot" '.device_info[0].link |
	[.width, .width_best, .limit, .downgraded] | @csv' '4,8,"slot",true'
out_has "PCIe link DOWNGRADED to Gen4 x4 of Gen5 x8 (slot is x8)" "says both"
TT_SMI_SIM_SPEED=20 run tt-smi --sim p150a-x8:hang -r 0
rc_is 0 "a card that could not be read before recovers as well as its slot allows"
run tt-smi --sim p150a-x8
out_has "Gen5 x8, slot is x8" "the overview says why it is x8"
out_lacks DOWNGRADED "and finds nothing wrong"
run tt-smi --sim p150a
out_lacks "slot is" "a card that has all its lanes needs no reason"

# ---- galaxies --------------------------------------------------------------------
# What a healthy Blackhole galaxy's snapshot has, by the diagnostic.  d: its chips.
checks() {
	cat <<-'TABLE'
	one known revision|[.[].board_info.board_id[0:8]] | unique | length == 1 and (.[0] == "00000471" or .[0] == "00000473")
	32 chips|length == 32
	all of one type|[.[].board_info.board_type] | unique == ["tt-galaxy-bh"]
	eight lanes at the sixth place, one elsewhere|all(.[]; .board_info.pcie_width == (if .smbus_telem.ASIC_LOCATION == "0x6" then "8" else "1" end))
	the revision's PCIe generation at the sixth place|all(.[] | select(.smbus_telem.ASIC_LOCATION == "0x6"); .board_info.pcie_speed >= (if .board_info.board_id[0:8] == "00000473" then 5 else 4 end))
	memory is up|all(.[]; .board_info.dram_status == true)
	all memory channels are enabled|all(.[]; .smbus_telem.ENABLED_GDDR == "0xff")
	256 channels are trained|[.[].gddr_telemetry.channels[] | select(.training == "pass")] | length == 256
	256 channels passed their self-test|[.[].gddr_telemetry.channels[] | select(.bist == "pass")] | length == 256
	the revision's memory rate|all(.[]; .board_info.dram_speed == (if .board_info.board_id[0:8] == "00000473" then "16G" else "14G" end))
	each enabled ethernet port is alive|all(.[]; (.smbus_telem.ETH_LIVE_STATUS | endswith("3edf")) and .smbus_telem.ENABLED_ETH == "0x3edf")
	each tray has places 1 to 8|group_by(.board_info.bus_id[5:6]) | length == 4 and all(.[]; [.[].smbus_telem.ASIC_LOCATION] | sort == ["0x1", "0x2", "0x3", "0x4", "0x5", "0x6", "0x7", "0x8"])
	bus and firmware tell the same place|all(.[]; "0x" + .board_info.bus_id[6:7] == .smbus_telem.ASIC_LOCATION)
	a harvesting state that exists|all(.[]; .smbus_telem.HARVESTING_STATE == "0x0" or .smbus_telem.HARVESTING_STATE == "0x1")
	one bundle of firmware|[.[].firmwares.fw_bundle_version] | unique | length == 1
	one firmware of each kind|[.[].firmwares | .cm_fw, .eth_fw, .gddr_fw] | unique | length == 3
	the chips' temperature is below their limit|all(.[]; (.telemetry.asic_temperature | tonumber) < (.limits.thm_limit | tonumber))
	TABLE
}
for board in galaxy-bh galaxy-bh-c; do
	run tt-smi -s --sim $board
	rc_is 0 "$board is well"
	cp "$out" $board.json
	while IFS='|' read -r name filter; do
		check "$board: $name" jq -e ".device_info | $filter" $board.json
	done <<-TABLE
	$(checks)
	TABLE
	check "$board: no card has a finding" jq -e 'all(.device_info[]; .health.findings == [])' $board.json
done
is "a board of revision C" '[.device_info[].board_info.board_id[0:8]] | unique[0]' 00000473
run tt-smi -s --sim galaxy-wh
check "a Wormhole galaxy runs x1, and is well" jq -e \
	'all(.device_info[]; .board_info.pcie_width == "1" and .health.state == "ok" and .link.limit == "board")' "$out"
run tt-smi --sim galaxy-wh
out_has "0000:c3:00.0   /dev/tenstorrent/2  UBB1 U3" "the overview says which tray a chip of a galaxy is on, and where"
run tt-smi -s --sim galaxy-bh:width
is "a galaxy's link that trained down is found among those that are x1" \
	'[.device_info[].health.state] | group_by(.) | map("\(.[0]) \(length)") | join(",")' 'ok 31,warn 1'
# What the ports announce is not known of real ones: with none of it a healthy galaxy is well, too.
jq '.device_info |= map(.link |= (.speed_slot_gts = null | .width_slot = null))' galaxy-bh.json >bare.json
run tt-smi -s --load bare.json
check "a galaxy whose ports are not known is well" jq -e 'all(.device_info[]; .link.downgraded == false)' "$out"

# A galaxy whose chips have one memory channel less.
run tt-smi -s --sim galaxy-bh-bin6
rc_is 0 "a galaxy of bin 6"
check "is known by name" jq -e 'all(.device_info[]; .board_info.board_type == "tt-galaxy-bh")' "$out"
check "has one harvested channel a chip, and is well" jq -e 'all(.device_info[]; .health.state == "ok" and
	([.gddr_telemetry.channels[] | select(.harvested)] | length) == 1)' "$out"
run tt-smi -glx_list_tray_to_device --sim galaxy-bh-bin6
rc_is 0 "and has trays"
done_testing
