#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A dump read by others' readers: Python's csv, openpyxl, pandas.

usage: dump_check.py csv DIR            every CSV is as the index says
       dump_check.py book DIR BOOK      every cell of the workbook is the CSV's
       dump_check.py summary DIR BOOK   the summary is what the CSV comes to
       dump_check.py pandas DIR         pandas reads the same
Exit code 77 when a reader is not installed.
"""
import csv
import json
import math
import os
import re
import sys

GUIDE = ["Timestamp (s)", "Core Voltage (V)", "AICLK (MHz)", "ARCCLK (MHz)", "AXICLK (MHz)",
         "Core Current (A)", "Core Power (W)", "Core Temp (°C)", "VREG Temp (°C)",
         "Inlet Temp (°C)", "Outlet Temp 1 (°C)", "Outlet Temp 2 (°C)"]
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?$")


def fail(text):
    print("# " + text)
    sys.exit(1)


def index_of(folder):
    with open(os.path.join(folder, "index.json"), encoding="utf-8") as f:
        return json.load(f)


def rows_of(folder, card):
    """Header and rows of all parts of a card; a torn last line is left out."""
    header, rows = None, []
    for name in card["files"]:
        path = os.path.join(folder, name)
        with open(path, "rb") as f:
            data = f.read()
        if data.startswith(b"\xef\xbb\xbf"):
            fail(name + " begins with a byte-order mark")
        data = data[:data.rfind(b"\n") + 1]
        if data.count(b"\n") != data.count(b"\r\n"):
            fail(name + " has a line without CR LF")
        part = list(csv.reader(data.decode("utf-8").split("\r\n")[:-1], strict=True))
        if header is not None and part[0] != header:
            fail(name + " has another header than the part before")
        header = part[0]
        rows += part[1:]
    return header, rows


def check_csv(folder):
    index = index_of(folder)
    interval = index["interval"]
    for card in index["cards"]:
        if not card["files"]:
            continue
        header, rows = rows_of(folder, card)
        if header[:12] != GUIDE:
            fail("the first columns are not the guide's: %r" % header[:12])
        if header[-1] != "State" or header[-2] != "Skew (ms)":
            fail("the last columns are %r" % header[-2:])
        if header != [c["title"] for c in card["columns"]]:
            fail("the header is not the index's")
        before = None
        for row in rows:
            if len(row) != len(header):
                fail("a row has %d cells, the header %d: %r" % (len(row), len(header), row))
            if not row[-1]:
                fail("a row without a state: %r" % row)
            if not re.match(r"[0-9]+\.[0-9]{6}$", row[0]):
                fail("a time stamp is %r" % row[0])
            for text in row:
                if text.lower() in ("nan", "4294967295", "0xffffffff"):
                    fail("a cell says %r" % text)
                if text[:1] in "=+@" and text:
                    fail("a spreadsheet would run %r" % text)
            t = float(row[0])
            lost = re.search(r"; lost: ([0-9]+) before", row[-1])
            if before is not None:
                if t <= before:
                    fail("time goes from %f to %f" % (before, t))
                steps = (t - before) / interval
                if steps > 2.5 and not lost and "; late: " not in row[-1]:
                    fail("a gap from %f to %f that no row speaks of" % (before, t))
            before = t
    return index


def sheets_of(book, card):
    """The sheets of a card, in order."""
    first = "%d %s" % (card["index"], card["board"] or "unknown")
    first = re.sub(r"[\[\]:*?/\\']", "-", first)
    names = [n for n in book.sheetnames if n == first or n.startswith(first + " (")]
    return [book[n] for n in names]


def check_book(folder, path):
    try:
        import openpyxl
    except ImportError:
        sys.exit(77)
    book = openpyxl.load_workbook(path, read_only=True)
    if book.sheetnames[:2] != ["Summary", "Charts"]:
        fail("the first sheets are %r" % book.sheetnames[:2])
    cells = 0
    for card in index_of(folder)["cards"]:
        if not card["files"]:
            continue
        header, rows = rows_of(folder, card)
        at = 0
        sheets = sheets_of(book, card)
        if not sheets:
            fail("card %d has no sheet" % card["index"])
        for sheet in sheets:
            for i, got in enumerate(sheet.iter_rows(values_only=True)):
                got = list(got) + [None] * (len(header) - len(got))
                if i == 0:
                    if got != header:
                        fail("%s: header %r" % (sheet.title, got))
                    continue
                if at >= len(rows):
                    fail("%s: something stands behind the data: %r" % (sheet.title, got))
                for title, want, have in zip(header, rows[at], got):
                    cells += 1
                    if want == "" and have is None:
                        continue
                    if isinstance(have, (int, float)) and NUMBER.match(want) and \
                            float(want) == have:
                        continue
                    if isinstance(have, str) and have == want:
                        continue
                    fail("%s row %d, %s: the CSV says %r, the workbook %r" %
                         (sheet.title, i + 1, title, want, have))
                at += 1
        if at != len(rows):
            fail("card %d: %d rows in the workbook, %d in the CSV" % (card["index"], at,
                                                                     len(rows)))
    print("# %d cells are the same" % cells)


def energy_of(header, rows, interval):
    """Joules from row to row, gaps left out."""
    power, joules = header.index("Core Power (W)"), 0.0
    for a, b in zip(rows, rows[1:]):
        dt = float(b[0]) - float(a[0])
        if a[power] and b[power] and "; lost: " not in b[-1] and dt <= 2 * interval:
            joules += (float(a[power]) + float(b[power])) / 2 * dt
    return joules


def check_summary(folder, path):
    try:
        import openpyxl
    except ImportError:
        sys.exit(77)
    index = index_of(folder)
    lines = list(openpyxl.load_workbook(path, read_only=True)["Summary"].iter_rows(
        values_only=True))
    checked = 0
    for card in index["cards"]:
        if not card["files"]:
            continue
        header, rows = rows_of(folder, card)
        mine = [l for l in lines if l[0] and str(l[0]).startswith("%d  " % card["index"])][0]
        want = (len(rows), sum(r[-1].split(":")[0].split(";")[0] not in ("ok", "warn")
                               for r in rows))
        if mine[4:6] != want:
            fail("card %d: the summary counts %r, the CSV %r" % (card["index"], mine[4:6], want))
        joules = energy_of(header, rows, index["interval"])
        if joules and abs(mine[9] - joules) > 1e-6 * joules:
            fail("card %d: energy %r, from the CSV %r" % (card["index"], mine[9], joules))
        sheet = "%d %s" % (card["index"], card["board"] or "unknown")
        at = [i for i, l in enumerate(lines) if l[0] == sheet and l[1] == "Minimum"][0]
        for line in lines[at + 1:]:
            if not line[0]:
                break
            values = sorted(float(r[header.index(line[0])]) for r in rows
                            if r[header.index(line[0])])
            n = len(values)
            want = (values[0], sum(values) / n, values[-(-n * 50 // 100) - 1],
                    values[-(-n * 99 // 100) - 1], values[-1])
            for have, right in zip(line[1:6], want):
                checked += 1
                if abs(have - right) > 1e-9 * max(1, abs(right)):
                    fail("%s, %s: the summary says %r, the CSV %r" % (sheet, line[0],
                                                                     line[1:6], want))
            if line[8] != n:
                fail("%s, %s: %r samples, the CSV has %d" % (sheet, line[0], line[8], n))
    if not checked:
        fail("the summary has nothing")
    print("# %d figures are right" % checked)


def check_pandas(folder):
    try:
        import pandas
    except ImportError:
        sys.exit(77)
    for card in index_of(folder)["cards"]:
        for name in card["files"]:
            header, rows = rows_of(folder, dict(card, files=[name]))
            table = pandas.read_csv(os.path.join(folder, name))
            if list(table.columns) != header or len(table) != len(rows):
                fail("pandas sees %r, %d rows" % (list(table.columns), len(table)))
            for i, row in enumerate(rows):
                have = table["Core Power (W)"][i]
                want = row[6]
                if (want == "") != math.isnan(have) or (want and float(want) != have):
                    fail("row %d: pandas sees a power of %r for %r" % (i, have, want))


def main():
    what = sys.argv[1]
    if what == "csv":
        check_csv(sys.argv[2])
    elif what == "book":
        check_book(sys.argv[2], sys.argv[3])
    elif what == "summary":
        check_summary(sys.argv[2], sys.argv[3])
    else:
        check_pandas(sys.argv[2])


main()
