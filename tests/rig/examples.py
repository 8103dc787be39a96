# SPDX-License-Identifier: GPL-2.0-or-later
"""The examples of README, guides and manual, for tests/tree/check_examples.sh: examples.py WORK

An example stands in a fence, between .Bd and .Ed, or in .Dl.  It is typed as it stands, in the
order in which it stands, on simulated boards; each file has a folder of its own.  What an example
shows is compared with what the program prints; what others print with tests/golden/examples.txt,
without numbers, which move.  UPDATE_GOLDEN=1 rewrites that file: read the diff.
"""
import difflib
import glob
import json
import os
import re
import subprocess
import sys
import tarfile

WORK, TOP = os.path.abspath(sys.argv[1]), os.environ["top_srcdir"]
GOLDEN = os.path.join(TOP, "tests/golden/examples.txt")
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))

# FILE: EXAMPLE | why it is not typed here
LEFT_OUT = dict(line.split("|") for line in r"""
README.md: ./dev run|it installs packages; make proof-fresh types it
README.md: autoreconf -fi && mkdir -p build && cd build && ../configure && make && sudo make install|it builds and installs all of it; .ci/run does
README.md: dpkg-buildpackage -us -uc && sudo apt install ../tt-smi_*.deb|make proof-package builds and installs it
packaging.md: $ dpkg-buildpackage -us -uc|make proof-package types it
packaging.md: # apt install ../tt-smi_*.deb|make proof-package installs it
packaging.md: # systemctl enable --now tt-smi-exporter|it changes the system
packaging.md: $ make dist && rpmbuild -ta tt-smi-*.tar.gz|make proof-package builds it
burnin.md: # cp contrib/slurm/* /etc/slurm/tt-smi/|it needs Slurm; make proof-slurm has one
burnin.md: # grep tt-smi /etc/slurm/slurm.conf|it needs Slurm; make proof-slurm has one
burnin.md: $ tt-smi -b generate card --device 0 --cases 8,64|a simulated board computes nothing; tests/cli/cli_card_reference.sh types it
burnin.md: $ tt-smi -b compare reference card|a simulated board computes nothing; tests/cli/cli_card_reference.sh types it
record.md: # cp contrib/systemd/tt-smi-exporter.service /etc/systemd/system/|it changes the system
record.md: # systemctl enable --now tt-smi-exporter|it changes the system
record.md: # curl -s http://127.0.0.1:9107/metrics ~ grep '^tt_smi_up'|it needs the unit of the line before
record.md: # cp contrib/prometheus/tt-smi*.rules.yml /etc/prometheus/|it changes the system; make proof-metrics has a Prometheus
record.md: # promtool check rules /etc/prometheus/tt-smi*.rules.yml && systemctl reload prometheus|it changes the system; make proof-metrics has a Prometheus
tt-smi-metrics.7: server {|it is a configuration of nginx
tt-smi-metrics.7: tt_smi_core_watts * on(bdf, chip, instance) group_left(board, serial) tt_smi_chip_info|make proof-metrics asks a Prometheus
tt-smi-metrics.7: tt_smi_core_watts * on(bdf, chip, instance) group_right() tt_smi_holder_info|make proof-metrics asks a Prometheus
""".strip().split("\n"))
LEFT_OUT = {name.replace(" ~ ", " | "): why for name, why in LEFT_OUT.items()}

IMAGE = """{"version": "1.1.0", "device_image_name": "tt0", "arch": "Wormhole_B0", "devtype": "Silicon",
"chip_ids": [0], "grid_size": [8, 8], "harvested_rows": null, "training": false,
"microbatch_size": 1, "pybuda_pip_version_id": "0.1.220624", "pybuda_commit_hash": "7def2987",
"budabackend_commit_hash": "f2fd0fa3",
"compiled_graph_state": {"graph_name": "g", "ordered_input_shapes": [[1]]}}
"""


class Example:
    """One line to type, and what the file shows below it."""

    def __init__(self, file, line):
        self.file, self.shown = file, []
        self.text = re.sub(r" +$", "", re.sub(r"([^ ]) +# .*", r"\1", line))
        self.name = f"{file}: {self.text}"


def examples():
    found = []
    for pattern in ("*.md", "doc/*.md", "man/*"):
        for path in sorted(glob.glob(os.path.join(TOP, pattern))):
            file, within, started = os.path.basename(path), False, False
            # In a configuration, # is a comment.
            prompt = ("$ ",) if ".conf." in file else ("$ ", "# ")
            with open(path, encoding="utf-8") as lines:
                for line in lines.read().splitlines():
                    if ((file.endswith(".md") and re.match(r" *```", line)) or
                            line.startswith((".Bd -literal", ".Ed"))):
                        within, started = not within, False
                        continue
                    is_line = line.startswith(".Dl ")
                    if not within and not is_line:
                        continue
                    text = line[4:] if is_line else line
                    if text.startswith(prompt) or is_line or not started:
                        found.append(Example(file, text))
                        started = True
                    elif text:
                        found[-1].shown.append(text)
    return [e for e in found if e.file != "HACKING.md"]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def prepare():
    """What the examples take for granted: programs, files that others have written, names."""
    for program in ("job", "benchmark", "train.py"):
        # Energy takes two samples of the firmware, which writes ten a second.
        write(program, "#!/bin/sh\nsleep 0.5\n")
        os.chmod(program, 0o755)
    for folder in ("reports", "tt-smi-logs", "unzipped_tti"):
        os.mkdir(folder)
    for words in (["tt-smi-logs/tt-smi-snapshot_2026-11-21_09-12-44.log", "--sim", "n150"], ["after.json"]):
        subprocess.run(["tt-smi", "-s", "-f", *words], check=True, stdout=subprocess.DEVNULL)
    write("golden.json", '{"firmware": "19.10.0"}\n')
    write("FILE", "theme = dark\n")
    write("unzipped_tti/device.json", IMAGE)
    with tarfile.open("model.tti", "w", format=tarfile.GNU_FORMAT) as archive:
        archive.add("unzipped_tti")


def shorter(command):
    """Long ones for a second, and loads for less; what runs on and on until its time is over."""
    for was, now in ((r"-dur [0-9]+[smhd]?", "-dur 1"), (r"--size 80%", "--size 8M"),
                     (r"--size 256M", "--size 1M"), (r"--iterations [0-9]+", "--iterations 1"),
                     (r"--exporter [0-9]+", "--exporter ./socket"), (r"(--textfile )/[^ ]*/", r"\1")):
        command = re.sub(was, now, command, count=1)
    if not re.search(r"-dur|--iterations|--first-light|--once| -b compare", command):
        if "--check-memory" not in command:
            command = re.sub(r"^tt-smi (-b (host|all|cards|[0-9])|-d|--diag [23]|--exporter [^ ]*|--textfile [^ ]*)",
                             r"\g<0> -dur 1", command)
        elif not re.search(r"--check-memory.*--size", command):
            command += " --size 64K"
    return re.sub(r"^(tt-smi (-b|--diag) .*-dur) 1", r"\1 0.2", command)


class Typed:
    """What a command printed."""

    def __init__(self, command):
        environment = dict(os.environ)
        if re.search(r"--during|--exporter", command):
            environment.pop("TT_SMI_SIM_SPEED", None)
        elif not re.search(r" -b |--diag", command):
            environment["TT_SMI_VIRTUAL_TIME"] = "1795252364"
        run = subprocess.run(["timeout", "300", "sh", "-c", command], env=environment, capture_output=True,
                             stdin=subprocess.DEVNULL, check=False)
        self.code = run.returncode
        self.out, self.err = (text.decode("utf-8", "replace") for text in (run.stdout, run.stderr))


def without_numbers(text):
    """What of an output is the same in each run, on each machine."""
    for was, now in ((r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T_ ][0-9][0-9:.-]+Z?", "TIME"), (r"\+c[0-9.]+", "+cN"),
                     (r"(^|[^A-Za-z0-9_.])[0-9]+(\.[0-9]+)*(e[+-][0-9]+)?", r"\1N"), (r" +", " "), (r" $", ""),
                     (r"([─━])[─━]*", r"\1")):
        text = re.sub(was, now, text, flags=re.M)
    return text


def keys(value, path=()):
    """The first three names of each path, as jq has them."""
    for name, below in value.items() if isinstance(value, dict) else (
            [("[]", v) for v in value] if isinstance(value, list) else []):
        yield ".".join((path + (name,))[:3])
        yield from keys(below, path + (name,))


def lasting(command, typed):
    lines = []
    if re.search(r" -b |--merge|--diag [23]", command):
        # A short one, on a busy machine, may not cover all.
        if typed.code not in (0, 1, 4):
            lines.append(f"exit code {typed.code}")
        said = re.compile(r"^Burning (?:the host|[0-9])|^Diag level .*minutes|^merged|FAIL", re.M)
        lines += sorted(set(said.findall(typed.out) + said.findall(typed.err)))
        if re.search("INCOMPLETE|PASS|SKIP", typed.out):
            lines.append("a verdict")
        return lines
    out = typed.out.splitlines()
    if re.search(r"--burnin (check|bench|profile)", command):  # the rest is the processor's
        out = [m.group(1) for m in (re.match(r"((conv2d|matmul)[^:;]*)", line) for line in out) if m]
    elif command.endswith((" help", " list")) or "--config-print" in command:  # tables, which grow
        out = out[:3]
    elif re.search(r" -r | -wr ", command):  # each card at its own pace
        out.sort()
    elif not re.search(r"--json.*\|", command) and out and out[0] == "{":
        out = sorted(set(keys(json.loads(typed.out))))
    lines += [f"exit code {typed.code}"] + without_numbers("\n".join(out)).split("\n") * bool(out)
    return lines + ["stderr: " + line for line in without_numbers(typed.err).splitlines()]


def as_shown(lines):
    return [re.sub(r"[0-9]+\.[0-9]+ s( of [0-9]+(\.[0-9]+)? s)?", "N s", line) for line in lines]


def recorded():
    blocks, heading = {}, None
    with open(GOLDEN, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("== "):
                heading = line[3:]
            else:
                blocks.setdefault(heading, []).append(line)
    return blocks


def differs(name, command, shown, golden):
    """Lines of a difference; None: there is none."""
    # Shown is what a terminal shows: stderr as well, and where a card fails without the line for pipes.
    typed = Typed(command + " --strict" if ":hang" in command else shorter(command))
    if shown:
        wanted, got = as_shown(shown), as_shown((typed.out + typed.err).splitlines())
    else:
        wanted, got = golden.get(name), lasting(command, typed)
        if UPDATE:
            golden[name] = wanted = got
    return list(difflib.unified_diff(wanted or ["nothing is recorded"], got, "wanted", "got", lineterm="")) \
        if wanted != got else None


class Results:
    """TAP."""

    count = failed = 0

    @classmethod
    def line(cls, name, why=None, skip=None):
        cls.count += 1
        cls.failed += why is not None
        print("ok" if why is None else "not ok", cls.count, "-", name + (f" # SKIP {skip}" if skip else ""), flush=True)
        for line in why or []:
            print("#", line)


def main():
    golden, met, typed = recorded(), set(), set()
    for example in examples():
        name, folder = example.name, os.path.join(WORK, example.file)
        if name in LEFT_OUT:
            met.add(name)
            Results.line(name, skip=LEFT_OUT[name])
            continue
        if not os.path.isdir(folder):
            os.mkdir(folder)
            os.chdir(folder)
            prepare()
        os.chdir(folder)
        if example.text.startswith("$ "):
            typed.add(name)
            Results.line(name, differs(name, example.text[2:], example.shown, golden))
        elif example.file in ("tt-smi.conf.5", "settings.md"):
            write("configuration", "\n".join([example.text, *example.shown, ""]))
            run = subprocess.run(["tt-smi", "--config-check", "configuration"], check=False, capture_output=True)
            Results.line(name, None if run.returncode == 0 else run.stderr.decode().splitlines())
        else:
            Results.line("is neither typed nor left out: " + name, [])
    Results.line("there are examples", None if Results.count > 80 else [])
    missing = set(LEFT_OUT) - met
    Results.line("each that is left out stands somewhere", sorted(missing) if missing else None)
    # What would be wrong is seen.
    for name, shown in (("another output than is shown is caught", ["N W"]),
                        ("and an example that nobody has looked at", [])):
        seen = UPDATE or differs("x: an example that is new", "tt-smi --query power", shown, golden)
        Results.line(name, None if seen else [])
    if UPDATE:
        write(GOLDEN, "".join(f"== {name}\n" + "".join(line + "\n" for line in lines)
                              for name, lines in golden.items() if name in typed))
    print(f"1..{Results.count}")
    return Results.failed > 0


sys.exit(main())
