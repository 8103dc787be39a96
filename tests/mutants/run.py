#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which small wrong edits of the product do its tests notice?  (make mutants)

usage: run.py TOP BUILD SHELL

Copies the sources of TOP to BUILD, has pick.py write MUTANTS wrong edits there, and builds once.
Then all tests run without a wrong edit, to learn how long each takes and which edits it reaches.
For each edit the tests that reach it run, the shortest first, until one fails twice or times out.
Each test runs in a PID namespace if that is allowed, because a wrong edit may kill any process.

The environment: MUTANTS is their number (160), MUTANTS_SEED the seed, MUTANTS_JOBS the number of
tests at a time.  MUTANTS_ONLY lists numbers of mutants, MUTANTS_TESTS words in names of tests.
A run that was stopped continues from BUILD; remove BUILD to start again.  The results are in
BUILD/results.tsv, or in a file of their own with MUTANTS_TESTS.
"""
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

TOP, BUILD, SHELL = (os.path.abspath(p) if i < 2 else p for i, p in enumerate(sys.argv[1:4]))
COUNT = os.environ.get("MUTANTS", "160")
SEED = os.environ.get("MUTANTS_SEED", "tt-smi")
JOBS = int(os.environ.get("MUTANTS_JOBS", 4 * os.cpu_count()))
TREE = os.path.join(BUILD, "tree")
OBJECTS = os.path.join(BUILD, "objects")
with open(os.path.join(TOP, "tests/mutants/mutant.h"), encoding="utf-8") as header:
    MOST = int(re.search(r"MUTANTS_MOST (\d+)", header.read()).group(1))
if int(COUNT) > MOST // 2:
    sys.exit(f"mutants: MUTANTS is at most {MOST // 2}")
os.environ.pop("MAKEFLAGS", None)
FAILED = re.compile(rb"^(not ok(?!.*# SKIP)|Bail out)", re.M)
PLAN = re.compile(rb"^1\.\.\d+", re.M)
ALONE = ["unshare", "-pf", "--mount-proc", "--kill-child"]
if not shutil.which("unshare") or subprocess.run(ALONE + ["true"], stderr=subprocess.DEVNULL).returncode:
    ALONE = []


def say(text):
    print(f"mutants: {text}", file=sys.stderr, flush=True)


def must(what, *command, **how):
    with open(os.path.join(BUILD, what + ".log"), "wb") as log:
        if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **how).returncode:
            sys.exit(f"mutants: {what} failed; see {log.name}")


def build():
    if os.path.exists(os.path.join(BUILD, "built")):
        return
    say(f"copying the sources and picking {COUNT} mutants, seed '{SEED}'")
    shutil.rmtree(TREE, ignore_errors=True)
    shutil.rmtree(OBJECTS, ignore_errors=True)
    os.makedirs(OBJECTS)
    shutil.copytree(TOP, TREE, symlinks=True, ignore=lambda folder, names: [
        n for n in names if folder == TOP and re.match(r"build(?!-aux)|\.git$|autom4te", n)])
    here = os.path.join(TREE, "tests/mutants")
    compiler = os.environ.get("CC", "cc")
    must("configure", "../tree/configure", "-q", "CC=" + compiler, cwd=OBJECTS)
    with open(os.path.join(OBJECTS, "Makefile"), encoding="utf-8") as file:
        makefile = file.read()
    flags = re.findall(r"^\w*_CFLAGS = ((?:-[ID]\S* *)+)$", makefile, re.M)
    libraries = re.search(r"^LIBS = (.*)$", makefile, re.M).group(1)
    must("pick", sys.executable, os.path.join(here, "pick.py"), TREE, OBJECTS,
         " ".join([compiler, "-DHAVE_CONFIG_H", *flags]), COUNT, SEED, os.path.join(BUILD, "mutants.tsv"))
    say("building them")
    included = f"-O2 -w -include {here}/mutant.h"
    must("mutant", *compiler.split(), "-c", "-O2", "-I" + OBJECTS, "-I" + TREE, "-o", OBJECTS + "/mutant.o",
         here + "/mutant.c")
    programs = [t for t in all_tests() if not t.endswith(".sh")]
    # "all" runs a make of its own, so the other goals wait until it is done.
    for goals in ["all"], ["check-data", *programs]:
        must("build", "make", "-s", f"-j{os.cpu_count()}", "CFLAGS=" + included,
             f"LIBS={libraries} {OBJECTS}/mutant.o", *goals, cwd=OBJECTS)
    open(os.path.join(BUILD, "built"), "w", encoding="utf-8").close()


def all_tests():
    listed = subprocess.run(["make", "-s", "list-tests"], cwd=OBJECTS, stdout=subprocess.PIPE, check=True)
    return listed.stdout.decode().split()


def run_test(test, limit, **more):
    """Seconds, and None or why it failed."""
    environment = dict(os.environ, top_builddir=OBJECTS, TT_SMI=OBJECTS + "/src/tt-smi", CMOCKA_MESSAGE_OUTPUT="TAP",
                       **more)
    command = [SHELL, os.path.join(TOP, test)] if test.endswith(".sh") else \
        ["sh", os.path.join(TOP, "tests/rig/tap.sh"), test]
    began = time.monotonic()
    with subprocess.Popen(ALONE + command, cwd=OBJECTS, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as running:
        try:
            said = running.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
            return limit, "did not end"
    took = time.monotonic() - began
    if running.returncode == 77 or re.match(rb"1\.\.0", said):
        return took, None
    if FAILED.search(said):
        return took, said[FAILED.search(said).start():].split(b"\n")[0].decode(errors="replace")
    if running.returncode or not PLAN.search(said):
        return took, f"ended with {running.returncode}"
    return took, None


def every_test(kind, work, tests):
    """{test: what work(test) returns}; what an earlier run learned is not learned again."""
    path = os.path.join(BUILD, kind + ".json")
    found = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    missing = [t for t in tests if t not in found]
    say(f"running {len(missing)} tests: {kind}")
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        found.update(zip(missing, pool.map(work, missing)))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file)
    return {t: found[t] for t in tests}


def look(test):
    """The mutants that a test reaches."""
    path = os.path.join(BUILD, "seen", test.replace("/", "_"))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(bytes(MOST))
    os.chmod(path, 0o666)
    run_test(test, 1200, TT_SMI_MUTANT_SEEN=path)
    with open(path, "rb") as file:
        return [n for n, byte in enumerate(file.read()) if byte]


def judge(mutant, tests, times):
    """caught (with the test and its output), survived or not reached."""
    for test in tests:
        limit = 60 + 4 * times[test]
        _, why = run_test(test, limit, TT_SMI_MUTANT=str(mutant))
        if why and why != "did not end":
            _, why = run_test(test, limit, TT_SMI_MUTANT=str(mutant))
        if why:
            return "caught", test, why
    return ("survived" if tests else "not reached"), "", f"{len(tests)} tests reach it"


def main():
    os.makedirs(BUILD, exist_ok=True)
    build()
    words = os.environ.get("MUTANTS_TESTS", "").split() or [""]
    tests = [t for t in all_tests() if any(w in t for w in words)]
    seen = every_test("seen", look, tests)
    clean = every_test("clean", lambda test: run_test(test, 1200), tests)
    unfit = {test: why for test, (_, why) in clean.items() if why}
    for test, why in unfit.items():
        say(f"{test} fails without a mutant and is left out: {why}")
    times = {test: took for test, (took, why) in clean.items() if not why}
    results = os.path.join(BUILD, "-".join(["results"] + [w.replace("/", "_") for w in words if w]) + ".tsv")
    with open(os.path.join(BUILD, "mutants.tsv"), encoding="utf-8") as file:
        mutants = {int(line.split("\t")[0]): line.rstrip("\n") for line in file}
    known = {}
    if os.path.exists(results):
        with open(results, encoding="utf-8") as file:
            known = {int(line.split("\t")[0]): line.split("\t")[1] for line in file}
    only = [int(n) for n in os.environ.get("MUTANTS_ONLY", "").split()]
    lock = threading.Lock()

    def one(n):
        reaching = sorted((t for t in times if n in seen[t]), key=times.get)
        verdict, test, why = judge(n, reaching, times)
        with lock, open(results, "a", encoding="utf-8") as file:
            known[n] = verdict
            print(n, verdict, test, why, mutants[n].split("\t", 1)[1], sep="\t", file=file)
            say(f"{len(known)} of {len(mutants)}: {n} {verdict} {test} {why}")

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(one, only or [n for n in mutants if n not in known]))
    caught = list(known.values()).count("caught")
    print(f"{caught} of {len(known)} mutants were caught ({100 * caught / len(known):.1f} %) by {len(times)} tests; "
          f"{len(unfit)} failing tests were left out")


main()
