# SPDX-License-Identifier: GPL-2.0-or-later
# What public programs run and how they read it, a function a pattern in its own
# language, in each world that they meet.  A pattern is served or it is named here
# as one that cannot be in that world; a table of the counts is printed.
. "$top_srcdir/tests/rig/lib.sh"

command -v jq >/dev/null || { skip "the callers" "jq is not installed"; done_testing; exit; }
py=$(command -v python3) || { skip "the callers" "no python3"; done_testing; exit; }

# Lines that each Python program begins with: how nearly all of them ask.
ask='import json, re, subprocess, sys
def run(*args, **more):
    return subprocess.run(["tt-smi", *args], capture_output=True, text=True, timeout=60, **more)
def snap(*args):
    r = run("-s", *args)
    assert r.returncode == 0, r.returncode
    return json.loads(r.stdout)
'
python() { "$py" -c "$ask$(cat)"; }

# ---- whose exit code decides ----
ci_prelude() { smi=$(tt-smi -s) || return 1; [ -n "$smi" ]; }	# || sudo reboot
entry_point() { timeout 30s tt-smi -s >/dev/null 2>&1; }		# || tt-smi -r
probe() { tt-smi >/dev/null 2>&1; }
list_probe() { tt-smi -ls --local >/dev/null 2>&1; }
and_chain() { tt-smi -s >/dev/null && tt-smi -ls >/dev/null; }
pipefail() { bash -c 'set -eo pipefail; tt-smi -s | python3 -m json.tool >/dev/null'; }
saved() { tt-smi -s -f saved.json >/dev/null && jq -e .device_info saved.json >/dev/null; }
broker() { python <<'END'
r = run("-s", "--snapshot_no_tty")
assert r.returncode == 0 and json.loads(r.stdout)["device_info"]
END
}
profiler() { python <<'END'
run("-s", check=True)
END
}
merged() { python <<'END'
r = subprocess.run(["tt-smi", "-s"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
assert r.returncode == 0 and "device_info" in json.loads(r.stdout[r.stdout.index("{"):])
END
}

# ---- versions ----
at_least_5_2() { python <<'END'
v = run("--version").stdout
assert tuple(map(int, re.search(r"(\d+)\.(\d+)\.(\d+)", v).groups())) >= (5, 2, 0), v
END
}
generator() { v=$(tt-smi -v | grep -oE '[0-9]+\.[0-9]+' | head -n 1); awk "BEGIN { exit !($v >= 4.1) }"; }
energy() { python <<'END'
v = snap()["host_sw_vers"]["tt_smi"]
assert re.fullmatch(r"[a-zA-Z0-9\-\.]+", v) and tuple(map(int, v.split("."))) >= (4, 0, 0), v
END
}
board_map() { python <<'END'
assert int(run("--version").stdout.strip().split(".")[0]) >= 4
END
}
exact_pin() { [ "$(tt-smi -v)" = 6.2.1 ]; }
exact_pin_as() { [ "$(TT_SMI_VERSION_AS=6.2.1 tt-smi -v)" = 6.2.1 ]; }

# ---- what is read ----
chips() { n=$(tt-smi -s | jq '.device_info | length') && [ "$n" -gt 0 ]; }
count_lines() { [ "$(tt-smi -s | grep -o '"board_type": "[^"]*"' | wc -l)" = "$(tt-smi -s | jq '.device_info | length')" ]; }
clock() { [ -n "$(tt-smi -s | grep -m1 aiclk | grep -oE '[0-9]+')" ]; }
exporter() { python <<'END'
good = 0
for d in snap()["device_info"]:
    try:
        good += float(d["telemetry"]["power"].strip()) > 0 and float(d["telemetry"]["asic_temperature"]) > 0
    except ValueError:
        pass
assert good
END
}
go_exporter() { python <<'END'
for d in snap()["device_info"]:	# json.Unmarshal into a string field
    assert isinstance(d["limits"]["tdp_limit"], str) and isinstance(d["telemetry"]["power"], str)
END
}
sampler() { python <<'END'
t = snap()["device_info"][0]["telemetry"]
assert float(t["power"]) > 0 and float(t["aiclk"]) > 0
END
}
hex_sampler() { python <<'END'
assert int(snap()["device_info"][0]["smbus_telem"]["TDP"], 16) & 0xffff
END
}
machine_spec() { python <<'END'
assert all(isinstance(d["board_info"]["pcie_speed"], int) for d in snap()["device_info"] if d["board_info"]["bus_id"] != "N/A")
END
}
memory_gate() { python <<'END'
assert all(d["board_info"]["dram_status"] is True for d in snap()["device_info"])
END
}
channels() { python <<'END'
for d in snap()["device_info"]:
    for c in d["gddr_telemetry"]["channels"]:
        assert c["harvested"] or c["training"].lower() in ("pass", "fail", "n/a")
END
}
walker() { python <<'END'
rows = []
def walk(node, path):
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        walk(value, path + [str(key)])
        if not isinstance(value, (dict, list)) and re.search("clk|temp|power", "/".join(path + [str(key)])):
            rows.append("%s,%s" % ("/".join(path), value))
walk(snap("--plain")["device_info"], [])
assert rows
END
}

# ---- the list ----
list_rows() { python <<'END'
rows = [l for l in run("-ls").stdout.splitlines() if re.match(r"^\s*[│|]\s*(\d+)\s+[│|]", l)]
assert rows
END
}
list_arch() { tt-smi -ls 2>&1 | grep -qE 'Blackhole|Wormhole'; }
list_titles() { tt-smi -ls | grep -q 'All available boards on host' && tt-smi -ls | grep -q 'Boards that can be reset'; }
list_status() { python <<'END'
r = run("-ls", "--local")
assert r.returncode == 0 and ("Blackhole" in r.stdout or "Wormhole" in r.stdout)
END
}
wrapper() { for a in -ls --list -s --snapshot '-s --snapshot_no_tty' -v --version '-ls -l' '-ls --local' -h --help; do
	# shellcheck disable=SC2086
	tt-smi $a >/dev/null 2>&1 || return 1
done; }
older() { for a in '-s --use_luwen' '-s --use_umd' '-s --no_reinit' '-s --dont_reinit' '-s --offline' '-s -c' '-s -fold.json'; do
	# shellcheck disable=SC2086
	tt-smi $a >/dev/null 2>&1 || return 1
done; }
sweep() { tt-smi -wr all wait >/dev/null 2>&1; }	# no terminal, and nobody who types y
older_reset() { tt-smi -tr 0 >/dev/null 2>&1 && tt-smi -r0 >/dev/null 2>&1; }
watching() { tt-smi | grep -q 'tt-smi 6'; }

# ---- galaxies ----
trays() { python <<'END'
r = run("-glx_list_tray_to_device")
assert r.returncode == 0
trays = {}
for line in r.stdout.splitlines():
    if line.strip().startswith("│") and any(c.isdigit() for c in line):
        cells = [c.strip() for c in line.split("│") if c.strip()]
        trays[int(cells[0])] = [int(i) for i in cells[2].split(",")]
assert sorted(trays) == [1, 2, 3, 4] and sorted(sum(trays.values(), [])) == list(range(32)), trays
END
}
tray_broker() { python <<'END'	# an index of the table is one of the snapshot, whose bus is the tray's
chips = snap()["device_info"]
for line in run("-glx_list_tray_to_device").stdout.splitlines():
    if line.startswith("│"):
        _, bus, ids = [c.strip() for c in line.split("│")[1:-1]]
        for i in ids.split(","):
            assert int(chips[int(i)]["board_info"]["bus_id"].split(":")[1], 16) & 0xf0 == int(bus, 16)
        chips[int(ids.split(",")[0])]["seen"] = True
assert sum("seen" in c for c in chips) == 4
END
}
diagnostic() { python <<'END'	# all of its checks are in cli_boards.sh
chips = snap()["device_info"]
assert len(chips) == 32 and len({c["board_info"]["board_id"][:8] for c in chips}) == 1
for c in chips:
    host = c["smbus_telem"]["ASIC_LOCATION"] == "0x6"
    assert c["board_info"]["pcie_width"] == ("8" if host else "1")
    assert c["board_info"]["dram_status"] is True and c["smbus_telem"]["ENABLED_GDDR"] == "0xff"
END
}

callers='ci_prelude entry_point probe list_probe and_chain pipefail saved broker profiler merged
	at_least_5_2 generator energy board_map exact_pin exact_pin_as
	chips count_lines clock exporter go_exporter sampler hex_sampler machine_spec memory_gate channels walker
	list_rows list_arch list_titles list_status wrapper older watching sweep older_reset'
galaxy_callers='trays tray_broker diagnostic'

# What cannot be served, by world: nothing is true of a card that does not answer.
#   exact_pin needs TT_SMI_VERSION_AS.
unserved() {
	case $1 in
	hung_first) echo exact_pin sampler hex_sampler memory_gate clock ;;
	hung_last) echo exact_pin memory_gate ;;
	*) echo exact_pin ;;
	esac
}

world() {	# name, its cards, more callers
	TT_SMI_SIM=$2 served=0 all=0 missing=
	export TT_SMI_SIM
	for c in $callers ${3-}; do
		all=$((all + 1))
		"$c" >"$out" 2>"$err" </dev/null
		rc=$?
		case " $(unserved "$1") " in
		*" $c "*) check "$1: $c is not served" test $rc -ne 0 ;;
		*) check "$1: $c is served" test $rc -eq 0 ;;
		esac
		if [ $rc -eq 0 ]; then
			served=$((served + 1))
		else
			missing="$missing $c"
		fi
	done
	echo "# $1: $served of $all served, not:$missing"
}

world healthy n300,p150a
world single p150a
world galaxy galaxy-bh "$galaxy_callers"
world hung_first p150a:hang,p150a
world hung_last p150a,p150a:hang

# No card, no driver: never a success, and the reason on stderr or in the data.
unset TT_SMI_SIM
mkdir empty
cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
rm -rf tree/sys/class/tenstorrent tree/sys/module
find tree/sys -name driver -type l -exec rm {} +
for root in empty tree; do
	TT_SMI_ROOT=$work/$root
	export TT_SMI_ROOT
	for c in ci_prelude entry_point probe list_probe and_chain pipefail saved broker profiler merged exporter list_status; do
		"$c" >"$out" 2>"$err" </dev/null
		check "$root: $c sees that there is none" test $? -ne 0
	done
	for mode in -s -ls -nc; do
		run tt-smi $mode
		rc_is 3 "$root: $mode is 3"
		cat "$out" "$err" >both
		check "$root: $mode says why" grep -qE 'no Tenstorrent device|no driver' both
	done
done
done_testing
