# SPDX-License-Identifier: GPL-2.0-or-later
# same_upstream.py A B: upstream's part of two snapshots is the same, in the same order.
import json
import sys

SECTIONS = ["smbus_telem", "board_info", "telemetry", "gddr_telemetry", "firmwares", "limits", "identity"]
a, b = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
bad = 0
for key in ("time", "host_info", "processes"):
    if a[key] != b[key]:
        bad += 1
        print(key, a[key], b[key])
if len(a["device_info"]) != len(b["device_info"]):
    sys.exit("%d chips, %d chips" % (len(a["device_info"]), len(b["device_info"])))
for i, (x, y) in enumerate(zip(a["device_info"], b["device_info"])):
    for section in SECTIONS:
        p, q = x.get(section) or {}, y.get(section) or {}
        if (section in x) != (section in y) or list(p.items()) != list(q.items()):
            bad += 1
            print(i, section, {k: (v, q.get(k)) for k, v in p.items() if v != q.get(k)})
    for key, reading in x["readings"].items():
        value = y["readings"].get(key, {}).get("value")
        if reading["value"] != value:
            bad += 1
            print(i, key, reading["value"], value)
sys.exit(1 if bad else 0)
