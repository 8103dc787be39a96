#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which stuck bits of a card does its burn find?  (make proof-stuck)

usage: stuck.py TOP TT_SMI

Copies the source of the chip simulator (TTSIM_SOURCE), adds the calls of tests/rig/stuck.h and
builds it for both chips.  STUCK_SEED (1) draws STUCK_FAULTS (48) stuck bits of each unit, spread
over all words of the unit and the compute tiles, half of them stuck at 0; of a tile's memory four
times as many.

For each workload one run only watches.  It must pass.  It counts for each fault the words that
passed its place, and those that had the other level there.  If there was none, a run with the
fault would be the same run, so there is none.  The other faults are put in on different tiles at a
time, and NETWORK of each unit of the network one at a time.  A fault is found if the tool blames
its tile or its memory channel; "other" is a card that fails with another blame.

The table has for each unit: found + other / had the other level / used / drawn.  A list follows of
the faults that changed words and were not found, and of tiles blamed without a fault.  The exit
code is 1 if there was such a tile, or if no fault of a unit of the cores was found.

STUCK_CHIPS (wh bh), STUCK_WORKLOADS (all; with commas) and STUCK_UNITS (all) choose.  STUCK_JOBS
(2) burns of STUCK_ROUNDS (1) run at a time, each with at most STUCK_TOGETHER faults (on three tiles
of four).  STUCK_RESULTS names a file for all outcomes, a line each.
"""
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TOP, TT_SMI = (os.path.abspath(p) for p in sys.argv[1:3])
SEED = os.environ.get("STUCK_SEED", "1")
ROUNDS = os.environ.get("STUCK_ROUNDS", "1")
COUNT = int(os.environ.get("STUCK_FAULTS", 48))
TOGETHER = int(os.environ.get("STUCK_TOGETHER", 0))
NETWORK = 3     # faults of each unit of the network that are put in, each in a run of its own
ON_NETWORK = ("read", "sent", "channel")
CHIPS = {
    # columns and rows of tiles, words of L1, of a flit and of a row that is unpacked, channels
    "wh": ([*range(1, 5), *range(6, 10)], [*range(1, 6), *range(7, 12)], 0x16e000 // 4, 8, 16, 6),
    "bh": ([*range(1, 8), *range(10, 17)], [*range(2, 12)], 0x180000 // 4, 16, 32, 8),
}
WORKLOADS = {
    "conv 1": "--workload conv --phases 1", "conv 2": "--workload conv --phases 2",
    "conv 4": "--workload conv", "matmul": "--workload matmul",
    "vector": "--workload conv,vector", "memory": "--workload conv,memory",
}
# Where the hooks go: file, text of the line (the nth with it), place, code.
ANCHORS = [
    ("sim.h", None, 0, "after", '#include "stuck.h"'),
    ("libttsim.cpp", "s_ttsim_running = true;", 0, "after", "stuck_open();"),
    ("tensix.cpp", "bool fp_exponent_8b =", 0, "before",
     "stuck_words(STUCK_SRCA, p_tensix->tile_id, p_tensix->src_a[src_a_bank][src_a_row],"
     " (src_a_bank * SRC_ROWS + src_a_row) * ROW_SIZE, 16 * ROW_SIZE);"
     "stuck_words(STUCK_SRCB, p_tensix->tile_id, p_tensix->src_b[src_b_bank][src_b_row],"
     " (src_b_bank * SRC_ROWS + src_b_row) * ROW_SIZE, N_ROWS * ROW_SIZE);"),
    ("tensix.cpp", "void write_dst32b(", 0, "after",
     "stuck_words(STUCK_DST, p_tensix->tile_id, &data,"
     " stuck_dst(dst32b_adjust_row(row), col), 1);"),
    ("tensix.cpp", ".sram[sram_addr], value);", 0, "around",
     "stuck_words(STUCK_PACK, p_tensix->tile_id, &value, (packer * 16 + i) % 64, 1);",
     "stuck_l1(p_tensix->tile_id, g_t_tiles[p_tensix->tile_id].sram, sram_addr, 4);"),
    ("tensix.cpp", "if (zero_write2) {", 0, "before",
     "stuck_words(unpack_block_selection ? STUCK_UNPACKB : STUCK_UNPACKA, p_tensix->tile_id,"
     " &value, i % unpack_row_width, 1);"),
    ("riscv_impl.h", "(&p_hart->p_sram[addr], data);", 0, "after",
     "if (p_hart->tile_type == 'T') stuck_l1(p_hart->tile_id, p_hart->p_sram, addr, size);"),
    ("tile.cpp", "memcpy(&g_t_tiles[tile_id].sram[addr], p, size);", 0, "after",
     "stuck_l1(tile_id, g_t_tiles[tile_id].sram, addr, size);"),
    ("tile.cpp", "&p_tile->sram[src_addr], noc_at_len_be);", 0, "replace", None),
    ("tile.cpp", "&p_tile->sram[src_addr], noc_at_len_be);", 1, "replace", None),
    ("tile.cpp", "tile_rd_bytes(src_coordinate, src_addr, &p_tile->sram[dst_addr]", 0, "after",
     "if (tile_type == 'T') {"
     " if (src_tile_type == 'D') stuck_flits(STUCK_CHANNEL, src_tile_id, noc_instance,"
     " &p_tile->sram[dst_addr], noc_at_len_be);"
     " stuck_flits(STUCK_READ, tile_id, noc_instance, &p_tile->sram[dst_addr], noc_at_len_be);"
     " stuck_l1(tile_id, p_tile->sram, dst_addr, noc_at_len_be); }"),
]
SENT = "&p_tile->sram[src_addr]"
Fault = collections.namedtuple("Fault", "unit x y index bit level")


def words_of(chip):
    """Of each unit: how many words, and which of their bits exist."""
    _, _, l1, flit, row, _ = CHIPS[chip]
    source, word = range(13, 32), range(32)
    return {"srca": (2048, source), "srcb": (2048, source), "dst": (8192, word),
            "pack": (64, word), "unpacka": (row, source), "unpackb": (row, source),
            "l1": (l1, word), "read": (2 * flit, word), "sent": (2 * flit, word),
            "channel": (2 * flit, word)}


def draw(chip):
    xs, ys, channels = *CHIPS[chip][:2], CHIPS[chip][5]
    chosen = os.environ.get("STUCK_UNITS", "").split()
    tiles = [(x, y) for x in xs for y in ys]
    random.Random(f"{SEED} {chip}").shuffle(tiles)
    faults = []
    for unit, (words, bits) in words_of(chip).items():
        dice = random.Random(f"{SEED} {chip} {unit}")
        n = COUNT * (4 if unit == "l1" else 1)
        for i in range(n):
            # Evenly spread over the words, at random within each part.
            index = int(words * (i + dice.random()) / n)
            x, y = (i % channels, 0) if unit == "channel" else tiles[len(faults) % len(tiles)]
            faults.append(Fault(unit, x, y, index, dice.choice(bits), i & 1))
    return [f for f in faults if not chosen or f.unit in chosen]


def hook(text, file, anchor, nth, place, before, after=""):
    lines = text.split("\n")
    if anchor is None:
        return text + before + "\n"
    found = [i for i, line in enumerate(lines) if anchor in line]
    if len(found) <= nth:
        sys.exit(f"stuck.py: {file} has no line {nth + 1} with '{anchor}'")
    at = found[nth]
    if place == "replace":
        lines[at] = lines[at].replace(SENT, "tile_type == 'T' ? stuck_sent(tile_id, "
                                      f"noc_instance, {SENT}, noc_at_len_be) : {SENT}")
    elif place == "around":
        lines[at:at + 1] = [before, lines[at], after]
    else:
        lines.insert(at + (place == "after"), before)
    return "\n".join(lines)


def build(work):
    source = os.environ.get("TTSIM_SOURCE")
    if not source or not os.path.exists(os.path.join(source, "make.py")):
        print("stuck.py: TTSIM_SOURCE names no source of the chip simulator")
        sys.exit(77)
    tree = os.path.join(work, "ttsim")
    shutil.copytree(source, tree, ignore=shutil.ignore_patterns("_out", ".git", "docs"))
    shutil.copy(os.path.join(TOP, "tests/rig/stuck.h"), os.path.join(tree, "src"))
    for file, *rest in ANCHORS:
        path = os.path.join(tree, "src", file)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        with open(path, "w", encoding="utf-8") as f:
            f.write(hook(text, file, *rest))
    libraries = {}
    for chip in os.environ.get("STUCK_CHIPS", "wh bh").split():
        target = f"src/_out/release_{chip}/libttsim.so"
        made = subprocess.run(["python3", "make.py", target], cwd=tree, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            sys.exit(f"stuck.py: {target} cannot be built\n{made.stdout[-3000:]}")
        libraries[chip] = os.path.join(tree, target)
    return libraries


class Run:
    """One burn with these faults."""

    def __init__(self, library, options, faults, watch=False):
        with tempfile.TemporaryDirectory() as folder:
            at = os.path.join
            env = dict(os.environ, TT_SMI_STATE_DIR=at(folder, "state"), TT_SMI_CONFIG="",
                       TT_SMI_TTSIM_STILL="200", TTSIM_STUCK_SEEN=at(folder, "seen"),
                       TTSIM_STUCK=",".join(":".join(map(str, f)) for f in faults))
            if watch:
                env["TTSIM_STUCK_WATCH"] = "1"
            command = [TT_SMI, "-b", "cards", "--no-reset", "--ttsim", library, *options.split(),
                       "--seed", SEED, "--iterations", ROUNDS, "--report", at(folder, "r.json")]
            try:
                self.code = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, timeout=600,
                                           capture_output=True).returncode
            except subprocess.TimeoutExpired:
                self.code = None
            self.card, self.seen = {}, [(0, 0)] * len(faults)
            if os.path.exists(at(folder, "r.json")):
                with open(at(folder, "r.json"), encoding="utf-8") as f:
                    self.card = json.load(f)["targets"][0]
            if faults:
                with open(at(folder, "seen"), "rb") as f:
                    seen = memoryview(f.read()).cast("Q").tolist()
                self.seen = list(zip(seen[::2], seen[1::2]))
        self.why = self.card.get("reason") or f"exit code {self.code}"
        self.state = {(c["x"], c["y"]): c["state"] for c in self.card.get("cores", [])}

    def blamed(self):
        """Tiles: of the cores, and the one at which the load ended."""
        tiles = {t for t, s in self.state.items() if s not in ("well", "nothing done")}
        named = re.search(r"\btile (\d+)-(\d+)", self.why)
        return tiles | ({(int(named[1]), int(named[2]))} if named else set())


def apart(faults, most):
    """Groups of faults on different tiles."""
    groups = []
    for f in faults:
        for g in groups:
            if len(g) < most and all((f.x, f.y) != (o.x, o.y) for o in g):
                g.append(f)
                break
        else:
            groups.append([f])
    return groups


def strike(library, options, group, outcome, accused):
    """Put a group in.  A fault that ends the load is taken out, and the others tried again.

    Faults that no tile was blamed for are tried alone if something is wrong with the memory."""
    while group:
        run = Run(library, options, group)
        blamed = run.blamed()
        accused.update(f"{x}-{y}: {run.why}" for x, y in blamed - {(f.x, f.y) for f in group})
        left, alone = [], []
        for f in group:
            state = run.state.get((f.x, f.y), "nothing done")
            if (f.x, f.y) in blamed:
                outcome[f] = "found", state if state != "nothing done" else run.why
            elif len(group) == 1:
                outcome[f] = "other" if run.code else "passed", run.why
            elif state == "nothing done":
                left.append(f)
            elif run.code == 5 and run.card["card_memory"]["findings"]:
                alone.append(f)
            else:
                outcome[f] = "passed", ""
        if len(left) == len(group):     # nobody is blamed
            left, alone = [], left
        for f in alone:
            strike(library, options, [f], outcome, accused)
        group = left


def measure(job):
    chip, name, library = job
    options, faults = WORKLOADS[name], draw(chip)
    watch = Run(library, options, faults, watch=True)
    seen, outcome, accused = dict(zip(faults, watch.seen)), {}, set()
    if watch.code != 0:
        accused.add(f"no bit was changed, and: {watch.why}")
        return chip, name, faults, seen, outcome, accused
    alive = [f for f in faults if seen[f][1]]
    cores = [f for f in alive if f.unit not in ON_NETWORK]
    tiles = len(CHIPS[chip][0]) * len(CHIPS[chip][1])
    for is_l1 in (True, False):     # many faults of L1 end the load
        for group in apart([f for f in cores if (f.unit == "l1") == is_l1],
                           TOGETHER or tiles * 3 // 4):
            strike(library, options, group, outcome, accused)
    for unit in ON_NETWORK:
        for f in [f for f in alive if f.unit == unit][:NETWORK]:
            run = Run(library, options, [f])
            is_named = "memory channel" in run.why if unit == "channel" else (
                (f.x, f.y) in run.blamed())
            outcome[f] = "passed" if run.code == 0 else "found" if is_named else "other", run.why
    return chip, name, faults, seen, outcome, accused


def cell(faults, results):
    """found + blamed elsewhere / had the other level / used / drawn, by one or more workloads."""
    seen, outcomes = [r[3] for r in results], [r[4] for r in results]
    whats = [{o[f][0] for o in outcomes if f in o} for f in faults]
    found = sum("found" in w for w in whats)
    other = sum("other" in w and "found" not in w for w in whats)
    tried = sum(bool(w) for w in whats)
    alive = sum(any(s[f][1] for s in seen) for f in faults)
    used = sum(any(s[f][0] for s in seen) for f in faults)
    # Of the network only some are put in.
    return (f"{found}{f' + {other}' if other else ''}{f' of {tried}' if tried < alive else ''}"
            f" / {alive} / {used} / {len(faults)}")


def main():
    wanted = os.environ.get("STUCK_WORKLOADS", ",".join(WORKLOADS)).split(",")
    with tempfile.TemporaryDirectory() as work:
        jobs = [(chip, w, library) for chip, library in build(work).items()
                for w in WORKLOADS if w in wanted]
        results, name = [], os.environ.get("STUCK_RESULTS", os.devnull)
        pool = concurrent.futures.ThreadPoolExecutor(int(os.environ.get("STUCK_JOBS", 2)))
        with pool, open(name, "w", encoding="utf-8") as out:
            for r in pool.map(measure, jobs):
                results.append(r)
                for f in r[2]:
                    print(*r[:2], *f, *r[3][f], *r[4].get(f, ("", "")), sep="\t", file=out)
                out.flush()
                print(f"stuck.py: {r[0]}, {r[1]}: done", file=sys.stderr, flush=True)
    failed = False
    for chip in dict.fromkeys(r[0] for r in results):
        of = [r for r in results if r[0] == chip]
        faults = of[0][2]
        print(f"\n{chip}: found + other blame / had the other level / used / drawn, seed {SEED}")
        columns = {r[1]: [r] for r in of}
        if "conv 4" in columns and "matmul" in columns:
            columns["default"] = columns["conv 4"] + columns["matmul"]
        columns["any"] = of
        print("| unit | " + " | ".join(columns) + " |")
        for unit in dict.fromkeys(f.unit for f in faults):
            some = [f for f in faults if f.unit == unit]
            print(f"| {unit} | " + " | ".join(cell(some, c) for c in columns.values()) + " |")
        for r in of:
            for f, (what, why) in r[4].items():
                if what != "found":
                    print(f"{chip}, {r[1]}: {':'.join(map(str, f))} changed {r[3][f][1]} of "
                          f"{r[3][f][0]} words, {what}: {why}")
            for a in sorted(r[5]):
                print(f"{chip}, {r[1]}: blamed without a fault: {a}")
        for unit in {f.unit for f in faults} - {*ON_NETWORK, "l1"}:
            if not any(f.unit == unit and o[0] == "found" for r in of for f, o in r[4].items()):
                print(f"{chip}: no fault of {unit} was found")
                failed = True
        failed = failed or any(r[5] for r in of)
    sys.exit(failed)


main()
