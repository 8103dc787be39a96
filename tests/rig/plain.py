#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether files and names below folders are plain text: UTF-8 without characters that command a
terminal, that nobody sees, or that turn others round; no cell of a CSV file begins a formula.
JSON has to be readable, and its bytes as plain.  Archives are for the programs that read them, but a
workbook's XML is looked at.  Prints what is not so; names are printed in ASCII."""
import csv, io, json, os, re, sys, unicodedata, zipfile

NUMBER = re.compile(r'[-+]?[0-9.]+([eE][-+]?[0-9]+)?$')


def why_not(text, marked=False):
    try:
        text = text.decode('utf-8') if isinstance(text, bytes) else text
    except UnicodeDecodeError as e:
        return 'is not UTF-8: %r' % text[max(0, e.start - 20):e.end + 20]
    for i, c in enumerate(text):
        if c in '\n\t' or (marked and c == '\r'):
            continue
        if unicodedata.category(c) in ('Cc', 'Cf', 'Cs', 'Zl', 'Zp') or 0xfe00 <= ord(c) <= 0xfe0f:
            return 'has %s: %s' % (ascii(c), ascii(text[max(0, i - 30):i + 30]))
    return None


def formula(data):
    for row in csv.reader(io.StringIO(data.decode('utf-8', 'replace'))):
        for cell in row:
            if cell[:1] in ('=', '+', '-', '@') and cell and not NUMBER.match(cell):
                return 'has the formula %s' % ascii(cell)
    return None


def judge(path):
    data = open(path, 'rb').read()
    if data[:2] == b'PK':
        for part in zipfile.ZipFile(path).namelist():
            text = zipfile.ZipFile(path).read(part)
            yield why_not(text, True) if part.endswith(('.xml', '.rels')) else None
            yield 'has a formula of a name' if b'<f>1+1' in text else None
        return
    if data[:2] == b'\x1f\x8b':
        return
    yield why_not(data, path.endswith('.csv'))
    if path.endswith('.csv'):
        yield formula(data)
    if path.endswith('.json') or data[:2] == b'{\n':
        try:
            json.loads(data)
        except ValueError as e:
            yield 'is not JSON: %s' % e


bad = 0
for top in sys.argv[1:]:
    files = [top] if os.path.isfile(top) else [os.path.join(d, f) for d, _, fs in os.walk(top) for f in fs]
    for path in files:
        for why in judge(path):
            if why:
                print('%s %s' % (ascii(path), why))
                bad = 1
sys.exit(bad)
