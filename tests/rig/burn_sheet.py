# SPDX-License-Identifier: GPL-2.0-or-later
# FOLDER EXPRESSION: is it true of the dump of a burn?  rows: of each card's CSV file; burn: the
# report; sheet: the workbook's sheet of the burn, each cell by what stands left of it; cells(FOLDER):
# its lines; printed(FOLDER): the first cells of those that are printed.
import csv, glob, json, os, sys, zipfile
import xml.etree.ElementTree as ET

NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
folder, expression = sys.argv[1:]


def printed(folder):
    path = max(glob.glob(folder + "/*.xlsx"), key=os.path.getmtime)
    with zipfile.ZipFile(path) as z:
        areas = [n.text for n in ET.fromstring(z.read("xl/workbook.xml")).iter(NS + "definedName")
                 if n.get("name") == "_xlnm.Print_Area" and "Burn-in" in n.text]
    last = int(areas[0].rsplit("$", 1)[1]) if areas else 1 << 20
    return [line[0] for at, line in lines(folder) if at <= last and line]


def cells(folder):
    return (line for _, line in lines(folder))


def lines(folder):
    path = max(glob.glob(folder + "/*.xlsx"), key=os.path.getmtime)
    with zipfile.ZipFile(path) as z:
        assert z.testzip() is None
        names = [s.get("name") for s in ET.fromstring(z.read("xl/workbook.xml")).iter(NS + "sheet")]
        at = names.index("Burn-in")
        shared = []
        if "xl/sharedStrings.xml" in z.namelist():
            shared = ["".join(t.text or "" for t in s.iter(NS + "t"))
                      for s in ET.fromstring(z.read("xl/sharedStrings.xml"))]
        root = ET.fromstring(z.read("xl/worksheets/sheet%d.xml" % (at + 1)))
    for row in root.iter(NS + "row"):
        line = []
        for c in row.iter(NS + "c"):
            v, t = c.find(NS + "v"), c.find(".//" + NS + "t")
            if v is not None:
                line.append(shared[int(v.text)] if c.get("t") == "s" else v.text)
            elif t is not None:
                line.append(t.text)
        yield int(row.get("r")), line


sheet = {}
for line in cells(folder):
    for left, right in zip(line, line[1:]):
        sheet.setdefault(left, right)
rows = []
for name in sorted(glob.glob(folder + "/*.csv")):
    with open(name) as f:
        rows.append(list(csv.DictReader(f)))
with open(folder + "/burn.json") as f:
    burn = json.load(f)
try:
    import openpyxl
    book = openpyxl.load_workbook(max(glob.glob(folder + "/*.xlsx"), key=os.path.getmtime))
    theirs = {str(a.value): b.value for a, b in zip(book["Burn-in"]["A"], book["Burn-in"]["B"])}
    assert theirs["Verdict"] == sheet["Verdict"], theirs
except ImportError:
    pass
if not eval(expression):
    print("not true:", expression)
    print(burn["verdict"], burn.get("seconds"), [(r[0], r[-1]) for r in rows if r] if "rows" in expression else sheet)
    sys.exit(1)
