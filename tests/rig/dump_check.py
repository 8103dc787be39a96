#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A dump read by others' readers: Python's csv, openpyxl, pandas.

usage: dump_check.py csv DIR            every CSV is as the index says
       dump_check.py book DIR BOOK      every cell of the workbook is the CSV's
       dump_check.py summary DIR BOOK   the summary is what the CSV comes to
       dump_check.py kill DIR PID       kill -9, and note when
       dump_check.py killed DIR         every row older than a second is there
       dump_check.py synced DIR LOG S   every row was on the disk within S seconds, by the
                                        preloaded library's log
       dump_check.py aside LOG          no row waits while the index is synced, by the same log
       dump_check.py look DIR BOOK      widths, formats, rules and pages of the sheets
       dump_check.py office CSV COPY    an office program's copy is the same
       dump_check.py pandas DIR         pandas reads the same
Exit code 77 when a reader is not installed.
"""
import csv
import json
import math
import os
import re
import signal
import sys
import time

GUIDE = ["Timestamp (s)", "Core Voltage (V)", "AICLK (MHz)", "ARCCLK (MHz)", "AXICLK (MHz)",
         "Core Current (A)", "Core Power (W)", "Core Temp (°C)", "VREG Temp (°C)",
         "Inlet Temp (°C)", "Outlet Temp 1 (°C)", "Outlet Temp 2 (°C)"]
# What counts up or is a mere number has no average.
COUNTED = r"(Heartbeat|Thermal Trips|ASIC Location|GDDR [0-7] Corrected|Uptime|Telemetry Tags)"
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


def kill_it(folder, pid):
    """End the dump as a crash does, and say when: the dump's own clock."""
    at = time.clock_gettime(time.CLOCK_MONOTONIC)
    os.kill(int(pid), signal.SIGKILL)
    with open(folder + ".killed", "w", encoding="ascii") as f:
        f.write("%.6f" % at)


def check_killed(folder):
    """Every tick that was due a second before the kill, or earlier, has its row."""
    index = check_csv(folder)
    with open(folder + ".killed", encoding="ascii") as f:
        age = float(f.read()) - index["start_monotonic"]
    due = int((age - 1) / index["interval"]) * index["interval"]
    if due <= 0:
        fail("killed after %f s: too early to tell anything" % age)
    for card in index["cards"]:
        if not card["files"]:
            continue
        last = float(rows_of(folder, card)[1][-1][0])
        print("# killed at %.3f s, last row of card %d at %.3f s" % (age, card["index"], last))
        if last < due:
            fail("the tick of %f s is not there" % due)


def check_synced(folder, log, most):
    """A row is on the disk when the first sync of its file that began after it has ended."""
    index = index_of(folder)
    syncs = {}
    with open(log, encoding="utf-8") as f:
        for line in f:
            begun, ended, path = line.rstrip("\n").split(" ", 2)
            syncs.setdefault(os.path.basename(path), []).append((float(begun), float(ended)))
    oldest = 0
    for card in index["cards"]:
        for name in card["files"]:
            for row in rows_of(folder, dict(card, files=[name]))[1]:
                at = index["start_monotonic"] + float(row[0])
                ends = [ended for begun, ended in syncs.get(name, []) if begun >= at]
                if not ends:
                    fail("%s: the row of %s s was never synced" % (name, row[0]))
                oldest = max(oldest, min(ends) - at)
    print("# the oldest row was on the disk after %.3f s" % oldest)
    if oldest > float(most):
        fail("that is more than %s s" % most)


def check_aside(log):
    """Rows are synced while the index is; it and its folder are all that is no CSV file."""
    rows, index = [], []
    with open(log, encoding="utf-8") as f:
        for line in f:
            begun, ended, path = line.rstrip("\n").split(" ", 2)
            (rows if path.endswith(".csv") else index).append((float(begun), float(ended)))
    beside = sum(any(b < ended and begun < e for b, e in rows) for begun, ended in index)
    print("# %d of %d syncs of the index beside those of rows" % (beside, len(index)))
    if not beside:
        fail("rows waited for each of them")


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


LIMITS = {"Core Voltage (V)": "Core Voltage Max (V)", "AICLK (MHz)": "AICLK Max (MHz)",
          "Core Current (A)": "Core Current Limit (A)", "Core Power (W)": "Core Power Limit (W)",
          "Core Temp (°C)": "Throttle Temp (°C)", "Board Power (W)": "Board Power Limit (W)"}


def has_stopped(row):
    """The card answered, and its firmware did not."""
    return re.match(r"warn:[^;]* heartbeat", row[-1])


def counted(header, rows, interval):
    """Of each row, whether it has values of its own time, and whether those are taken back."""
    values = [i for i, name in enumerate(header) if 0 < i < len(header) - 2 and name != "UTC"]
    stops = [float(r[0]) for r in rows if has_stopped(r)]
    for row in rows:
        time = float(row[0])
        has = any(row[i] for i in values) and not has_stopped(row) and "; repeated" not in row[-1]
        back = has and any(time < stop <= time + 2 + interval / 2 for stop in stops)
        yield has and not back, back


def spans_of(rows, counts, interval):
    """(row, next row, seconds) where nothing is missing between two rows that were read."""
    for i, (a, b) in enumerate(zip(rows, rows[1:])):
        dt = float(b[0]) - float(a[0])
        if "; lost: " in b[-1] or dt <= 0 or dt > 2 * interval:
            continue
        if counts[i] and counts[i + 1]:
            yield a, b, dt


def energy_of(header, spans):
    power = header.index("Core Power (W)")
    return sum((float(a[power]) + float(b[power])) / 2 * dt for a, b, dt in spans
               if a[power] and b[power])


def above_of(header, spans):
    """Seconds above its limit, of each column that has one."""
    times = {}
    for name, limit in LIMITS.items():
        if limit not in header:
            continue
        i, k = header.index(name), header.index(limit)
        times[name] = sum(dt for a, _, dt in spans if a[i] and a[k] and float(a[i]) > float(a[k]))
    return times


def throttle_of(header, spans):
    """Seconds by reason."""
    times = {}
    if "Throttle Reason" in header:
        i = header.index("Throttle Reason")
        for a, _, dt in spans:
            if a[i] not in ("", "none", "unknown"):
                times[a[i]] = times.get(a[i], 0) + dt
    return times


def look_at_paper(sheet, verdicts):
    """Of more than four cards the quantities of those that are not well are printed, no others."""
    tables = {r[0].value.split()[0]: r[0].row for r in sheet.iter_rows()
              if r[1].value == "Minimum"}
    last = int(str(sheet.print_area).split("$")[-1].rstrip("'] ")) if sheet.print_area else \
        sheet.max_row
    for card, row in tables.items():
        if (row <= last) != (len(tables) <= 4 or verdicts[card] != "ok"):
            fail("the table of %s in row %d is %sprinted" % (card, row, "" if row <= last else
                                                              "not "))


def look_at_summary(sheet, cards):
    """What is lost or above a limit is red, in its name too; no text runs over other cells."""
    width = sum(d.width * (d.max - d.min + 1) for d in sheet.column_dimensions.values())
    if width * sheet.page_setup.scale / 100 > 99:
        fail("the summary is %d characters wide at %d %%" % (width, sheet.page_setup.scale))
    heads = [r for r in sheet.iter_rows() if r[0].value == "Card"][0]
    at = {c.value: c.column for c in heads}
    for row in sheet.iter_rows(min_row=heads[0].row + 1, max_row=heads[0].row + len(cards)):
        verdict = row[at["Verdict"] - 1]
        lost = re.search(" samples: (failed|warn:[^;]* heartbeat)|above a limit", verdict.value)
        lost = lost is not None
        for cell in (row[0], verdict):
            if (cell.fill.fgColor.rgb == "FFFFC7CE") != lost:
                fail("%s: %r is marked %s" % (row[0].value, verdict.value,
                                              cell.fill.fgColor.rgb))
        room = sheet.column_dimensions[verdict.column_letter].width
        height = sheet.row_dimensions[verdict.row].height or 15
        if len(verdict.value) > room * (height // 15):
            fail("%r is cut" % verdict.value)
    look_at_paper(sheet, {row[0].value.split("  ")[0]: row[at["Verdict"] - 1].value for row in
                          sheet.iter_rows(min_row=heads[0].row + 1,
                                          max_row=heads[0].row + len(cards))})
    for merged in sheet.merged_cells.ranges:
        if merged.max_col != at["Verdict"]:
            fail("%s does not go on to the last column" % merged)
    facts = [r for r in sheet.iter_rows(max_row=heads[0].row - 1) if r[1].value]
    if len(facts) < 5 or any(str(r[1].coordinate) not in
                             {str(m).split(":")[0] for m in sheet.merged_cells.ranges}
                             for r in facts):
        fail("a fact has one cell, and runs over the next")


def check_look(folder, path):
    """What a person sees of a card's sheet: header, widths, formats, rules, printed pages."""
    try:
        import openpyxl
    except ImportError:
        sys.exit(77)
    book = openpyxl.load_workbook(path)
    for card in index_of(folder)["cards"]:
        if not card["files"]:
            continue
        header, rows = rows_of(folder, card)
        for sheet in sheets_of(book, card):
            if sheet.freeze_panes != "B2":
                fail("%s: frozen at %r" % (sheet.title, sheet.freeze_panes))
            if sheet.print_title_rows not in ("$1:$1", "1:1") or \
                    sheet.print_title_cols not in ("$A:$A", "A:A"):
                fail("%s: printed titles %r %r" % (sheet.title, sheet.print_title_rows,
                                                   sheet.print_title_cols))
            if sheet.page_setup.orientation == "landscape":
                fail("%s: landscape has a third of the rows on a page" % sheet.title)
            filled = [name for i, name in enumerate(header) if any(r[i] for r in rows)]
            last = 12 if set(filled[1:]) & set(header[1:12]) else len(header)
            area = "$A$1:$%s$%d" % (openpyxl.utils.get_column_letter(last), sheet.max_row)
            if area not in str(sheet.print_area) or sheet.page_setup.fitToWidth not in (None, 1) \
                    or not sheet.sheet_properties.pageSetUpPr.fitToPage:
                fail("%s: prints %r, not %s on one page's width" % (sheet.title, sheet.print_area,
                                                                    area))
            if not sheet.auto_filter.ref:
                fail("%s: no filter" % sheet.title)
            letter = openpyxl.utils.get_column_letter
            for i, name in enumerate(header):
                width = sheet.column_dimensions[letter(i + 1)].width
                longest = max([len(r[i]) for r in rows] + [0]) if name == "State" else 10
                if not width or width < 11 or width < min(longest, 250):
                    fail("%s: %s is %r wide" % (sheet.title, name, width))
                # openpyxl joins neighbours that are alike: those inside have no entry of their own.
                hidden = [d for d in sheet.column_dimensions.values()
                          if d.hidden and d.min <= i + 1 <= d.max]
                if name != header[0] and len(rows) < sheet.max_row and \
                        bool(hidden) != (name not in filled):
                    fail("%s: %s is %shidden" % (sheet.title, name, "" if hidden else "not "))
            ruled = {str(r.sqref).split(":")[0].rstrip("0123456789"): r
                     for r in sheet.conditional_formatting}
            for name, limit in LIMITS.items():
                if limit in header and name in header:
                    i, k = letter(header.index(name) + 1), letter(header.index(limit) + 1)
                    rule = [x.formula[0] for x in ruled[i].rules] if i in ruled else []
                    if not rule or "$%s2>$%s2" % (i, k) not in rule[0]:
                        fail("%s: %s has the rules %r" % (sheet.title, name, rule))
            if letter(len(header)) not in ruled:
                fail("%s: State has no rule" % sheet.title)
            formats = {"Timestamp (s)": "0.000000", "AICLK (MHz)": "0",
                       "Core Temp (°C)": "0.0", "Skew (ms)": "0.000"}
            for name, want in formats.items():
                cells = [c for c in sheet[letter(header.index(name) + 1)][1:]
                         if c.value is not None]
                if cells and cells[0].number_format != want:
                    fail("%s: %s is written as %r" % (sheet.title, name, cells[0].number_format))
        named = {r[0].value for r in book["Names"].iter_rows(min_row=2) if r[2].value}
        if set(header) - named:
            fail("not explained: %r" % (set(header) - named))
    look_at_summary(book["Summary"], index_of(folder)["cards"])
    if book["Trend"].sheet_state != "hidden":
        fail("the points of the charts are not hidden")
    cards = [bool(c["files"]) for c in index_of(folder)["cards"]]
    want = 3 * sum(any(cards[i:i + 8]) for i in range(0, len(cards), 8))
    lines = sum(s.tx is not None and "limit" in (s.tx.v or "")
                for c in book["Charts"]._charts for s in c.series)
    print("# %d lines of limits in the charts" % lines)
    charts = len(book["Charts"]._charts)
    print("# %d charts of %d cards" % (charts, sum(cards)))
    if charts != want:
        fail("there are %d charts, not %d" % (charts, want))


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
        heads = [l for l in lines if l[0] == "Card"][0]
        mine = dict(zip(heads, mine))
        words = [r[-1] for r in rows]
        bad = sum(w.split(":")[0].split(";")[0] not in ("ok", "warn") for w in words)
        stopped = sum(has_stopped(r) is not None for r in rows)
        counts, back = zip(*counted(header, rows, index["interval"]))
        bad += stopped + sum(back)
        lost = sum(int(n) for w in words for n in re.findall(r"; lost: ([0-9]+) before", w))
        late = sum("; late: " in w for w in words)
        spans = list(spans_of(rows, counts, index["interval"]))
        joules = energy_of(header, spans)
        above = above_of(header, spans)
        for head, want in (("Samples", len(rows)), ("Not read", bad), ("Lost", lost),
                           ("Late", late), ("Covered (s)", sum(s[2] for s in spans)),
                           ("Core energy (J)", joules), ("Core energy (Wh)", joules / 3600),
                           ("Above a limit (s)", max(above.values(), default=0)),
                           ("Throttled (s)", sum(throttle_of(header, spans).values()))):
            have = mine[head]
            if head.startswith("Core energy") and not joules:
                continue
            checked += 1
            if abs(have - want) > 1e-6 * max(1, want):
                fail("card %d: %s is %r, from the CSV %r" % (card["index"], head, have, want))
        # What was wrong is in the verdict, and only that.
        warned = sum(w.startswith("warn") and not b for w, b in zip(words, back)) - stopped
        repeated = sum("; repeated" in w for w in words)
        verdict = mine["Verdict"]
        for wrong, want in ((bad, "%d of %d samples: " % (bad, len(rows))),
                            (max(above.values(), default=0), "above a limit for "),
                            (warned, "%d of %d samples: warn" % (warned, len(rows))),
                            (repeated, "%d of %d samples: repeated" % (repeated, len(rows)))):
            if bool(wrong) != (want in verdict):
                fail("card %d: the verdict is %r" % (card["index"], verdict))
        if not (bad or warned or repeated or max(above.values(), default=0)) and verdict != "ok":
            fail("card %d: the verdict is %r" % (card["index"], verdict))
        told = {l[1]: l[2] for l in lines if l[0] == "%d %s" % (card["index"], card["board"])
                and l[1] != "Minimum"}
        for reason, want in throttle_of(header, spans).items():
            checked += 1
            if reason not in told or abs(told[reason] - want) > 1e-6:
                fail("card %d: throttled by %s for %r s, from the CSV %r" %
                     (card["index"], reason, told.get(reason), want))
        sheet = "%d %s" % (card["index"], card["board"] or "unknown")
        at = [i for i, l in enumerate(lines) if l[0] == sheet and l[1] == "Minimum"][0]
        for line in lines[at + 1:]:
            if not line[0]:
                break
            values = sorted(float(r[header.index(line[0])]) for r, c in zip(rows, counts)
                            if c and r[header.index(line[0])])
            n = len(values)
            want = (values[0], sum(values) / n, values[-(-n * 50 // 100) - 1],
                    values[-(-n * 99 // 100) - 1], values[-1])
            if re.match(COUNTED, line[0]):
                want = (values[0], None, None, None, values[-1])
            for have, right in zip(line[1:6], want):
                checked += 1
                if have is None or right is None:
                    if have != right:
                        fail("%s, %s: a figure of what is counted: %r" % (sheet, line[0], line))
                elif abs(have - right) > 1e-9 * max(1, abs(right)):
                    fail("%s, %s: the summary says %r, the CSV %r" % (sheet, line[0],
                                                                     line[1:6], want))
            if line[0] in above and abs(line[7] - above[line[0]]) > 1e-6:
                fail("%s, %s: %r s above the limit, from the CSV %r" %
                     (sheet, line[0], line[7], above[line[0]]))
            if line[8] != n:
                fail("%s, %s: %r samples, the CSV has %d" % (sheet, line[0], line[8], n))
    if not checked:
        fail("the summary has nothing")
    print("# %d figures are right" % checked)


def check_office(ours, theirs):
    """What an office program read of a CSV, which it saved again, is what we wrote."""
    with open(ours, encoding="utf-8", newline="") as a, \
            open(theirs, encoding="utf-8", newline="") as b:
        ours, theirs = list(csv.reader(a)), list(csv.reader(b))
    if len(ours) != len(theirs):
        fail("%d rows of %d" % (len(theirs), len(ours)))
    for n, (mine, other) in enumerate(zip(ours, theirs)):
        for x, y in zip(mine, other):
            if x != y and not (NUMBER.match(x) and float(x) == float(y)):
                fail("row %d: %r became %r" % (n + 1, x, y))


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
    elif what == "office":
        check_office(sys.argv[2], sys.argv[3])
    elif what == "kill":
        kill_it(sys.argv[2], sys.argv[3])
    elif what == "killed":
        check_killed(sys.argv[2])
    elif what == "synced":
        check_synced(sys.argv[2], sys.argv[3], sys.argv[4])
    elif what == "aside":
        check_aside(sys.argv[2])
    elif what == "look":
        check_look(sys.argv[2], sys.argv[3])
    elif what == "summary":
        check_summary(sys.argv[2], sys.argv[3])
    else:
        check_pandas(sys.argv[2])


main()
