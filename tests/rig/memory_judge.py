# SPDX-License-Identifier: GPL-2.0-or-later
# judge.py REPORT WHO FAULT: is the one finding that of the fault that was put there?
import json, sys
told = dict(w.split("=") for w in open("told").readline().split())
n = {k: int(v, 0) for k, v in told.items()}
t = json.load(open(sys.argv[1]))["targets"][0]
who, fault = sys.argv[2:4]
m = t["memory"] if who == "host" else t["card_memory"]
found = m["findings"]
assert len(found) == 1, found
f = found[0]
kind, path = {"lane": ("shifted", "read"), "stale": ("shifted", "read"), "stuck": ("stuck", None),
    "flip": ("transient", "read"), "alias": ("aliased", None), "highline": ("aliased", None), "cross": ("crossed", None), "pair": ("aliased", None),
    "endpoint": ("transient", "read"), "write": ("random", "write"), "twin": ("shared", None),
    "stray": ("astray", "both"), "shortline": ("aliased", "both"), "burst": ("random", "write"),
    "deaf": ("lost", "write"), "dark": ("dark", None)}[fault]
if who == "cores" and fault == "stray":
    # The host has written through the endpoint.  A channel that is filled later keeps its own words.
    if n["other"] < n["channel"]:
        path = None
    else:
        # They may all be 0, as they were.
        kind, path, fault = "constant" if f["kind"] == "constant" else "random", None, "nowhere"
assert (f["kind"], f["path"]) == (kind, path), (f, told)
if fault in ("twin", "cross"):
    assert {f["channel"], f["other_channel"]} == {n["channel"], n["other"]}, (f, told)
elif fault == "dark":
    assert f["channel"] is None, f
else:
    assert f["channel"] == n["channel"] and 0 < f["wrong"] <= f["words"], (f, told)
    assert f.get("other_channel") == (n["other"] if fault == "stray" else None), (f, told)
assert f["endpoint"] == (n["endpoint"] if fault in ("endpoint", "stray", "cross", "shortline", "deaf")
    else None), (f, told)
if fault in ("lane", "stale"):
    assert f["late_bytes"] == [n["late_even"], n["late_odd"]], (f, told)
    assert [i for i in range(4) if f["lanes"][i]] == [n["lane"]], (f, told)
if fault in ("stuck", "flip"):
    assert int(f["bits"], 0) == 1 << n["bit"], (f, told)
    assert [i for i in range(4) if f["lanes"][i]] == [n["bit"] // 8], (f, told)
if fault == "flip":
    assert t["code"] == "misread", t["code"]
    if who == "host":
        assert sum(c["wrong"] for c in m["channels"]) == 0, m["channels"]
        assert sum(c["misread"] for c in m["channels"]) == f["wrong"], m["channels"]
if fault == "burst":
    assert (f["events"], f["wrong"]) == (1, 48), f
if fault in ("alias", "highline", "shortline"):
    assert int(f["aliases"][0], 0) ^ int(f["aliases"][1], 0) == 1 << n["line"], (f, told)
if fault == "pair":
    base = 0x1000000 if who == "cores" else 0
    assert sorted(int(a, 0) - base for a in f["aliases"]) in \
        (sorted((n["at"], n["of"])), sorted((n["at"] + 0x1000000, n["of"] + 0x1000000))), (f, told)
