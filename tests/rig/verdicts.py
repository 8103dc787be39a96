#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verdicts.py FOLDER: what each mode wrote into a file there, compared with the snapshot.

A card is well, wrong (it was read, and something is the matter), lost (it could not be read) or
unread (it was left alone), and has an action, what to do next.  Prints each disagreement, and for
each mode how many cards it judged.
"""
import json
import os
import re
import sys

WORDS = {"ok": "well", "warn": "wrong", "failed": "lost", "gone": "lost", "not-read": "unread"}
# Not of the card itself: which firmware a site wants, which program has the card, whether we may
# open it.
NOT_ITS_OWN = ("firmware", "holders", "awake", "node")


def snapshot(text):
    return {i: WORDS[d["health"]["state"]] for i, d in enumerate(json.loads(text)["device_info"])}


def query(text):
    return {int(row[0]): WORDS[row[3]] for row in rows_of(text)}


def rows_of(text):
    return [line.split(", ") for line in text.splitlines()[1:]]


def overview(text):
    """The first line of each block: "| 1  N/A   0000:02:00.0   /dev/tenstorrent/1   FAILED |"."""
    found = re.findall(r"^\| (\d+) .* (\S+) \|$", text, re.M)
    return {int(i): WORDS[word.lower()] for i, word in found if word.lower() in WORDS}


def screen(text):
    """Rows of the tab Devices: "  1 N/A            FAILED   -"."""
    found = re.findall(r"[^\w.:]\s*(\d+) \S+ ?[LR]? +(ok|warn|FAILED|GONE|not-read) ",
                       text)
    return {int(i): WORDS[word.lower()] for i, word in found}


def checks(rows):
    """The worst of a card's checks; one that was left alone cannot answer."""
    found = {}
    for row in rows:
        if row["index"] is None:
            continue
        if row["id"] == "answer" and row["result"] in ("SKIP", "N/A"):
            found[row["index"]] = "unread"
        if found.get(row["index"]) == "unread":
            continue
        # Tables that cannot be read are a finding, and what they hold is not judged.
        bad = ("FAIL", "WARN", "SKIP") if row["id"] == "readings" else ("FAIL", "WARN")
        is_bad = row["result"] in bad and row["id"] not in NOT_ITS_OWN
        verdict = "well" if not is_bad else "lost" if row["id"] == "answer" else "wrong"
        before = found.get(row["index"], "well")
        found[row["index"]] = min(before, verdict, key=("lost", "wrong", "well").index)
    return found


def health(text):
    return checks(json.loads(text)["checks"])


def diag(text):
    """The first stage is health; the line of each card in it is the worst of its checks."""
    stage = json.loads(text)["stages"][0]
    rows = stage["report"]["checks"]
    found = checks(rows)
    others = [row["index"] for row in rows if row["id"] in NOT_ITS_OWN and row["result"] == "FAIL"]
    for item in stage["items"]:
        if item["index"] is not None and found[item["index"]] == "well" and \
                item["index"] not in others:
            assert item["result"] != "FAIL", item
    return found


def metrics(text, places):
    found = {}
    for name, bdf, chip, rest, value in re.findall(
            r'^tt_smi_(\w+)\{bdf="(.*?)",chip="(\d)"(.*)\} (\S+)$', text, re.M):
        place = places.get((bdf, chip != "0"))
        if place is None:
            continue
        if name == "up" and value == "0":
            found[place] = "lost"
        elif name == "up":
            found.setdefault(place, "well")
        elif name == "finding_info" or (name == "down_info" and '"heartbeat"' in rest):
            found[place] = "wrong"
    return found


def listing(text, said):
    """The list of -wr has a card's trouble in words, those of the snapshot but for numbers."""
    found = {}
    for line in text.splitlines():
        row = re.match(r" *(\d+)  \S+  /dev/tenstorrent/\S+  (.*?)  (.*?)(?: \(held .*)?$", line)
        if not row:
            continue
        i, words = int(row[1]), row[3]
        verdict, text_there = said[i]
        is_same = plain(words) == plain(text_there) if text_there else words in ("ok", "in use")
        found[i] = verdict if is_same else words
    return found


def plain(text):
    return re.sub(r"[\d.]+", "#", text)


def said_by(text):
    said = {}
    for i, device in enumerate(json.loads(text)["device_info"]):
        h = device["health"]
        said[i] = (WORDS[h["state"]], h["reason"] or (h["findings"] or [{"text": ""}])[0]["text"])
    return said


# What to do next, by the code: that of the first of a card's worst checks.


def snapshot_actions(text):
    found = {}
    for i, device in enumerate(json.loads(text)["device_info"]):
        h = device["health"]
        for step in [h] + h["findings"]:
            assert step["next"] or step["action"] == "none", step
        actions = [finding["action"] for finding in h["findings"]]
        assert not actions or h["state"] in ("failed", "gone") or h["action"] in actions, h
        found[i] = h["action"]
    return found


def query_actions(text):
    return {int(row[0]): row[4] for row in rows_of(text)}


def worst_actions(rows):
    found, worst = {}, {}
    for row in rows:
        i = row["index"]
        bad = ("N/A", "PASS", "SKIP", "WARN", "FAIL").index(row["result"])
        assert row["next"] or row["action"] == "none", row
        if i is None or row["id"] in ("firmware", "holders", "awake"):
            continue
        found.setdefault(i, "none")
        if bad > worst.get(i, 2):
            found[i], worst[i] = row["action"], bad
    return found


def health_actions(text):
    return worst_actions(json.loads(text)["checks"])


def diag_actions(text):
    return worst_actions(json.loads(text)["stages"][0]["report"]["checks"])


def metrics_actions(text, places):
    found = {i: "none" for i in metrics(text, places)}
    for bdf, chip, action in re.findall(
            r'^tt_smi_action_info\{bdf="(.*?)",chip="(\d)",action="(.*?)"\} 1$', text, re.M):
        if (bdf, chip != "0") in places:
            found[places[bdf, chip != "0"]] = action
    return found


def nagios_action(text):
    """The line has the action of the worst check, if any is worse than PASS."""
    return (re.findall("; action=(.*?); ", text) or ["none"])[-1]


def worst_of_all(text):
    order = ("N/A", "PASS", "WARN", "SKIP", "FAIL")
    return max(json.loads(text)["checks"], key=lambda row: order.index(row["result"]))["action"]


def main(folder):
    texts = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            texts[name] = f.read()
    want = snapshot(texts["snapshot"])
    bdf = {int(row[0]): row[1] for row in rows_of(texts["query"])}
    places = {}
    for row in rows_of(texts["query"]):
        is_second = row[2] != "N/A"
        places[bdf[int(row[2])] if is_second else row[1], is_second] = int(row[0])
    readers = {"query": query, "overview": overview, "screen": screen, "health": health,
               "diag": diag, "metrics": lambda t: metrics(t, places),
               "once": lambda t: metrics(t, places),
               "list": lambda t: listing(t, said_by(texts["snapshot"]))}
    actions = {"query": query_actions, "health": health_actions, "diag": diag_actions,
               "metrics": lambda t: metrics_actions(t, places),
               "once": lambda t: metrics_actions(t, places)}
    right = snapshot_actions(texts["snapshot"])
    for name in actions:
        for i, action in sorted(actions[name](texts[name]).items() if name in texts else ()):
            if right.get(i) != action:
                print(f"chip {i} {bdf.get(i)}: {name} advises {action}, and -s {right.get(i)}")
    if "nagios" in texts and nagios_action(texts["nagios"]) != worst_of_all(texts["health"]):
        print("the line of --nagios advises", nagios_action(texts["nagios"]))
    if all(action == "none" for action in right.values()) and "simulated" in folder:
        print("no card has an action")
    for name in texts:
        if name in ("snapshot", "nagios"):
            continue
        found = readers[name](texts[name])
        for i in sorted(found):
            if want.get(i) != found[i]:
                print(f"chip {i} {bdf.get(i)}: {name} has {found[i]}, and -s {want.get(i)}")
        is_on_list = name in ("query", "overview", "screen")
        missing = [i for i in want if i not in found and
                   (is_on_list or (bdf[i] != "N/A" and want[i] != "unread"))]
        if missing:
            print(f"{name} has no verdict on {missing}")


main(sys.argv[1])
