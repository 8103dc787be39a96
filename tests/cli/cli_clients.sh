# SPDX-License-Identifier: GPL-2.0-or-later
# The programs that call tt-smi today: each call as they write it, each reading
# of its output as they do it.  Two boards of three chips stand for the machine.
. "$top_srcdir/tests/rig/lib.sh"

TT_SMI_SIM=n300,p150a
export TT_SMI_SIM
py=$(command -v python3 || echo none)

python() {	# name: the program on stdin exits 0
	if [ "$py" = none ]; then
		cat >/dev/null
		skip "$1" "no python3"
	else
		"$py" - >"$out" 2>"$err"
		result $? "$1"
	fi
}

python "a service takes stdout as JSON, within its time-out, exit code 0" <<'EOF'
import json, subprocess
r = subprocess.run(["tt-smi", "-s"], capture_output=True, text=True, timeout=30)
assert r.returncode == 0, r
assert r.stderr == "", r.stderr
d = json.loads(r.stdout)
assert len(d["device_info"]) == 3
EOF

python "a service that merges stdout and stderr reads from the first brace" <<'EOF'
import json, subprocess
r = subprocess.run(["tt-smi", "-s"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
assert "device_info" in json.loads(r.stdout[r.stdout.index("{"):])
EOF

python "and so it does while a card is hung, whose reason comes before the brace" <<'EOF'
import json, subprocess
r = subprocess.run(["tt-smi", "-s", "--sim", "n300,p150a:hang", "--partial-ok"],
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
assert r.returncode == 0, r
assert "does not answer" in r.stdout[:r.stdout.index("{")], r
assert len(json.loads(r.stdout[r.stdout.index("{"):])["device_info"]) == 3
EOF

python "a poller may ask ten times in a row" <<'EOF'
import json, subprocess
for _ in range(10):
    r = subprocess.run(["tt-smi", "-s", "--snapshot_no_tty", "--offline"], capture_output=True, text=True, timeout=3)
    assert r.returncode == 0 and r.stderr == "", r
    json.loads(r.stdout)
EOF

python "every key that is read is there and converts as the readers convert it" <<'EOF'
import json, subprocess
d = json.loads(subprocess.run(["tt-smi", "-s"], capture_output=True, text=True).stdout)
for key in ("Hostname", "Driver", "OS"):
    assert isinstance(d["host_info"][key], str), key
assert isinstance(d["processes"], list)
for dev in d["device_info"]:
    info = dev["board_info"]
    for key in ("board_type", "bus_id", "board_id", "coords", "dram_status", "dram_speed", "pcie_speed", "pcie_width"):
        assert key in info, key
    assert info["dram_status"] is True
    assert int(info["board_id"], 16) >> 36 & 0xfffff in (0x14, 0x40)
    assert info["bus_id"] == "N/A" or len(info["bus_id"].split(":")) == 3
    for key in ("voltage", "current", "power", "aiclk", "asic_temperature", "heartbeat"):
        assert float(dev["telemetry"][key].strip()) >= 0, key
    for key in ("board_power", "fan_speed"):
        value = dev["telemetry"][key].strip()
        assert value == "N/A" or float(value) >= 0, key
    assert dev["firmwares"]["fw_bundle_version"].count(".") == 3
    assert float(dev["limits"]["thm_limit"]) > 0
    assert float(dev["limits"]["tdp_limit"]) >= 0
    words = dev["smbus_telem"]
    names = ["TDP", "AICLK", "ASIC_TEMPERATURE", "DDR_STATUS", "ETH_LIVE_STATUS", "BOARD_ID_HIGH", "BOARD_ID_LOW"]
    names += ["TIMER_HEARTBEAT", "DDR_SPEED"] if info["board_type"] == "p150a" else ["FAULTS", "THROTTLER", "ARC3_HEALTH"]
    for key in names:
        assert words[key] is None or int(words[key], 16) >= 0, key
    assert int(words["BOARD_ID_HIGH"], 16) == int(info["board_id"], 16) >> 32
EOF

python "gddr_telemetry of 6.3 parses as its reader parses it" <<'EOF'
import json, subprocess
def snap(boards):
    text = subprocess.run(["tt-smi", "-s", "--sim", boards], capture_output=True, text=True).stdout
    return json.loads(text)["device_info"]
g = snap("p150a:dram")[0]["gddr_telemetry"]
assert g["speed"] == "16G" and float(g["max_temp"]) > 0 and int(g["enabled_mask"], 16) == 0xff, g
assert [c["channel"] for c in g["channels"]] == list(range(8))
for c in g["channels"]:
    assert c["harvested"] is False and c["enabled"] is True
    assert c["training"] == ("fail" if c["channel"] == 2 else "pass"), c
    for key in ("temp_top", "temp_bottom", "corr_rd", "corr_wr", "uncorr_rd", "uncorr_wr"):
        assert isinstance(c[key], str) and float(c[key]) >= 0, (key, c)
harvested = [c for c in snap("p100a")[0]["gddr_telemetry"]["channels"] if c["harvested"]]
assert len(harvested) == 1 and harvested[0]["training"] == "n/a" and harvested[0]["temp_top"] == "N/A", harvested
for d in snap("n300,n150:dram,galaxy-wh"):
    g = d["gddr_telemetry"]
    assert g["max_temp"] == "N/A" and g["enabled_mask"] == "N/A" and g["speed"].endswith("G"), g
    assert [c["channel"] for c in g["channels"]] == list(range(6))
    bad = d["board_info"]["board_type"] == "n150 L"
    for c in g["channels"]:
        assert c["training"] == ("fail" if bad and c["channel"] == 2 else "pass") and c["bist"] == "n/a", c
        assert c["harvested"] is False and c["enabled"] is True
        rest = set(c) - {"channel", "harvested", "enabled", "training", "bist"}
        assert len(rest) == 6 and {c[key] for key in rest} == {"N/A"}, c
EOF

python "upstream's own snapshot test passes on every simulated board, and on one that hangs" <<'EOF'
import json, subprocess
host = "OS Distro Kernel Hostname Platform Python Memory Driver".split()
sections = "smbus_telem board_info telemetry gddr_telemetry firmwares limits".split()
words = ("BOARD_ID_HIGH BOARD_ID_LOW ETH_FW_VERSION DDR_STATUS FAN_SPEED AICLK AXICLK ARCCLK VCORE ASIC_TEMPERATURE "
         "VREG_TEMPERATURE BOARD_TEMPERATURE TDP TDC VDD_LIMITS TT_FLASH_VERSION").split()
keys = {
    "board_info": "bus_id board_type board_id coords dram_status dram_speed pcie_speed pcie_width",
    "telemetry": "voltage current power board_power aiclk asic_temperature fan_speed heartbeat",
    "gddr_telemetry": "speed max_temp enabled_mask channels",
    "firmwares": "fw_bundle_version tt_flash_version cm_fw cm_fw_date eth_fw dm_bl_fw dm_app_fw gddr_fw",
    "limits": "vdd_min vdd_max tdp_limit tdc_limit asic_fmax therm_trip_l1_limit thm_limit bus_peak_limit board_power_limit",
}
channel = "channel harvested enabled training bist temp_top temp_bottom corr_rd corr_wr uncorr_rd uncorr_wr".split()
boards = "n150 n300 p100a p150a p300 galaxy-wh galaxy-bh p150a:hang,n150:hang,p150a"
without = set()
for spec in boards.split():
    r = subprocess.run(["tt-smi", "-s", "--snapshot_no_tty", "--sim", spec], capture_output=True, text=True)
    d = json.loads(r.stdout)
    assert r.returncode == 0 and {"time", "host_info", "host_sw_vers", "device_info"} <= set(d), spec
    assert set(host) <= set(d["host_info"]), spec
    assert d["device_info"], spec
    for dev in d["device_info"]:
        assert set(sections) <= set(dev), (spec, set(sections) - set(dev))
        assert set(words) <= set(dev["smbus_telem"]), (spec, set(words) - set(dev["smbus_telem"]))
        assert {"THM_LIMITS", "THM_LIMIT_SHUTDOWN"} & set(dev["smbus_telem"]), spec
        for section, names in keys.items():
            assert set(names.split()) <= set(dev[section]), (spec, section)
        assert len(dev["gddr_telemetry"]["channels"]) in (6, 8), spec
        for c in dev["gddr_telemetry"]["channels"]:
            assert set(channel) == set(c) and None not in c.values(), (spec, c)
            assert isinstance(c["harvested"], bool) and isinstance(c["enabled"], bool), (spec, c)
        blackhole = dev["identity"]["chip"] == "Blackhole" and dev["identity"]["local"] is None
        if not blackhole or dev["health"]["state"] == "failed":
            assert "ethernet" not in dev, spec
            continue
        if not dev.get("ethernet"):
            without.add(spec)
        for link in dev.get("ethernet", []):
            assert list(link) == ["channel", "core", "link", "train_speed_gbps", "target_speed_gbps"], link
            assert link["link"] in ("UP", "DOWN", "UNUSED", "UNKNOWN") and link["train_speed_gbps"] is None, link
assert not without, without
EOF

check "python3 -m json.tool takes it" sh -c "
	[ '$py' = none ] || tt-smi -s | '$py' -m json.tool >/dev/null"
if command -v jq >/dev/null; then
	check "jq counts the chips" sh -c "[ \"\$(tt-smi -s | jq '.device_info | length')\" = 3 ]"
	check "jq reads a nested value" sh -c "
		[ \"\$(tt-smi -s | jq -r '.device_info[].board_info.board_type' | tr '\n' ,)\" = 'n300 L,p150a,n300 R,' ]"
else
	skip "jq counts the chips" "no jq"
	skip "jq reads a nested value" "no jq"
fi
check "the lines with board_type are the chips" sh -c "
	[ \"\$(tt-smi -s | grep -o '\"board_type\": \"[^\"]*\"' | wc -l)\" = 3 ] && [ \"\$(tt-smi -s | grep -c board_type)\" = 3 ]"
check "grep finds a word's line with its value" sh -c "
	tt-smi -s | grep -Eq '^ +\"ETH_LIVE_STATUS\": \"0x[0-9a-f]+\",?\$'"
check "grep firmware finds the section of each chip" sh -c "[ \"\$(tt-smi -s | grep -c '\"firmwares\": {')\" = 3 ]"
if command -v rg >/dev/null; then
	check "rg finds a word's line" sh -c "tt-smi -s | rg -q ETH_LIVE_STATUS"
else
	skip "rg finds a word's line" "no ripgrep; grep does the same above"
fi
check "-s > /dev/null && says that devices are visible" sh -c "tt-smi -s >/dev/null 2>&1 && true"
check "that leaves nothing behind" sh -c "[ ! -e tt-smi-logs ]"
check "it works in a folder that cannot be written" sh -c "cd /proc && tt-smi -s >/dev/null && tt-smi -s | grep -q device_info"

run tt-smi -ls
rc_is 0 "-ls answers 0 when all is well"
check "-ls says on stderr only that the boards are simulated" sh -c "
	[ \"\$(cat err)\" = 'tt-smi: these boards are simulated' ]"
out_has "All available boards on host" "-ls has the title of the first table, piped too"
out_has "Boards that can be reset" "-ls has the title of the second"
check "a row for each chip, one for each that can be reset" [ "$(grep -c '^│' "$out")" = 5 ]
check "Wormhole chips are counted by line" [ "$(grep -c Wormhole "$out")" = 3 ]
check "n300 L and n300 R are found anywhere" sh -c "grep -q 'n300 L' out && grep -q 'n300 R' out && grep -q p150a out"
python "rows split at the bar: index, address, node, chip, series, number" <<'EOF'
import subprocess
text = subprocess.run(["tt-smi", "-ls", "--local"], capture_output=True, text=True).stdout
first = text.split("Boards that can be reset")[0]
rows = [[c.strip() for c in line.split("│")[1:-1]] for line in first.splitlines() if line.startswith("│")]
assert [r[0] for r in rows] == ["0", "1"], rows
assert [r[3] for r in rows] == ["Wormhole", "Blackhole"], rows
assert [r[4] for r in rows] == ["n300 L", "p150a"], rows
for r in rows:
    assert r[1].startswith("0000:") and r[2].startswith("/dev/tenstorrent/"), r
    int(r[5], 16)
EOF
check "-ls | head is quiet about the closed pipe" sh -c "tt-smi -ls 2>pipe | head -n 1 >/dev/null; ! grep -v 'boards are simulated' pipe"
check "-s | head is quiet too" sh -c "tt-smi -s 2>pipe | head -n 1 >/dev/null; [ ! -s pipe ]"
check "-ls | tee gives the same twice" sh -c "tt-smi -ls | tee one >two && cmp -s one two"

TT_VISIBLE_DEVICES=1 run tt-smi -ls
rc_is 0 "TT_VISIBLE_DEVICES limits a job"
out_lacks n300 "the other board is not listed"
out_has TT_VISIBLE_DEVICES=1 "and the list says why"
TT_VISIBLE_DEVICES=0-1 run tt-smi -s
check "a range of boards is understood" [ "$(grep -c board_type "$out")" = 3 ]

# No galaxy here: never a success.
for call in "-glx_reset" "-glx_reset_auto" "-glx_reset --eth_train_skip"; do
	# shellcheck disable=SC2086
	TT_SMI_SIM=p150a run tt-smi $call
	rc_is 3 "$call answers 3 without a galaxy"
	err_code unsupported '' "$call says that there is none"
done
# The question that changes nothing is answered: rows as callers take them apart.
for spelling in -glx_list_tray_to_device --galaxy_6u_list_tray_to_device; do
	TT_SMI_SIM=tt-galaxy-wh run tt-smi $spelling
	rc_is 0 "$spelling lists the trays of a galaxy"
	err_empty "$spelling says nothing on stderr"
	out_has "Mapping of trays to devices on the galaxy:" "$spelling has upstream's title"
	check "$spelling: four rows of bus number and eight cards" [ "$(
		grep -cE '^│ [1-4] +│ 0x[c840]0 +│ [0-9]+(,[0-9]+){7} +│$' "$out")" = 4 ]
done
out_is golden/trays-galaxy-wh.txt "a Wormhole galaxy has its trays in upstream's order"
TT_SMI_SIM=tt-galaxy-bh run tt-smi -glx_list_tray_to_device
out_is golden/trays-galaxy-bh.txt "and a Blackhole galaxy in its own"
rm -f log
TT_SMI_SIM_LOG=$work/log TT_SMI_SIM=tt-galaxy-wh run tt-smi -glx_list_tray_to_device
check "no card is opened for it" sh -c "[ ! -e log ] || ! grep -q '^open' log"
run tt-smi -glx_list_tray_to_device
rc_is 3 "cards that are in no galaxy have no trays"
err_code unsupported '' "and that is said"
TT_SMI_SIM=tt-galaxy-wh run sh -c 'tt-smi -glx_list_tray_to_device >/dev/full'
rc_is 1 "a table that cannot be written is a failure"
for option in --no_reinit --use_luwen --eth_train_skip; do
	run tt-smi -s $option
	rc_is 0 "$option is accepted"
	err_has "$option" "$option says that it means nothing here"
	out_has '"device_info": [' "$option does not stop the snapshot"
done
run tt-smi -s -c --offline
rc_is 0 "-c and --offline are accepted"
err_empty "and need no word"
run tt-smi -v
rc_is 0 "-v works"
check "-v is one line with a version" grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+.*' "$out"

# Callers compare versions: what leads is the release whose interface is served here.
own=$(sed -n 's/^AC_INIT(\[tt-smi\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
check "-v leads with upstream's release, and has ours behind it" \
	grep -Eqx "6\.4\.1\+c$own(\.g[0-9a-f]{10})?" "$out"
if [ -e "$top_srcdir/.git" ] && head=$(git -C "$top_srcdir" rev-parse HEAD 2>/dev/null) &&
	! git -C "$top_srcdir" describe --exact-match --match "v$own" >/dev/null 2>&1; then
	check "and the commit, where it was built from a checkout" \
		grep -Eqx ".*\.g$(echo "$head" | cut -c1-10)" "$out"
else
	check "and no commit, since it was not built from one between two releases" \
		grep -Eqx "[^g]*" "$out"
fi
whole=$(cat "$out")
run tt-smi -s
out_has '"tt_smi": "6.4.1",' "host_sw_vers.tt_smi is upstream's release alone"
out_has "\"implementation\": \"${whole#*+c}\"," "and ours stands in a key beside it"
check "one key is called tt_smi, and no other has a part of that name" [ "$(grep -c tt_smi "$out")" = 1 ]
TT_SMI_VERSION_AS=6.2.1 run tt-smi -v
check "TT_SMI_VERSION_AS serves callers that want one version and no other" [ "$(cat "$out")" = 6.2.1 ]
TT_SMI_VERSION_AS=6.2.1 run tt-smi -s
out_has '"tt_smi": "6.2.1",' "in the snapshot, too"
out_has "\"implementation\": \"${whole#*+c}\"," "which keeps the version of this tool"
for value in 6.2 6.2.1.0 v6.2.1 6.2.1a 6..1 ' 6.2.1' 12345.0.0 '6.2.1
'; do
	TT_SMI_VERSION_AS=$value run tt-smi -v
	rc_is 2 "TT_SMI_VERSION_AS='$value' is not a version"
	out_empty "and nothing is printed for one"
	err_has "TT_SMI_VERSION_AS: " "but which variable it is"
done
TT_SMI_VERSION_AS='' run tt-smi -v
check "an empty variable is none" [ "$(cat "$out")" = "$whole" ]
run tt-smi -s -f file.json
rc_is 0 "-f FILE saves"
check "what was saved is the same JSON" grep -q '"device_info": \[' file.json
done_testing
