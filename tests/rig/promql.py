# SPDX-License-Identifier: GPL-2.0-or-later
"""promql.py PORT EXPRESSION [LABEL ...]: a line for each series: those labels, and the value.

promql.py PORT --dashboard FILE NAME=VALUE ...: the expressions of a Grafana dashboard, with its
variables as given, which have no data; the number of expressions on stderr.
"""
import json
import sys
import urllib.parse
import urllib.request


def ask(port, expression):
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)["data"]["result"]


def lines(port, expression, labels):
    for series in ask(port, expression):
        yield " ".join([*(series["metric"].get(n, "-") for n in labels), series["value"][1]])


def without_data(port, path, variables):
    asked = 0
    with open(path, encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    for panel in panels:
        for target in panel.get("targets", []):
            expression = target["expr"]
            for name, value in variables.items():
                expression = expression.replace("$" + name, value)
            asked += 1
            if not ask(port, expression):
                yield f"{panel['title']}: {expression}"
    print(asked, file=sys.stderr)


port, what, *rest = sys.argv[1:]
try:
    if what == "--dashboard":
        print("\n".join(without_data(port, rest[0], dict(v.split("=", 1) for v in rest[1:]))))
    else:
        print("\n".join(sorted(lines(port, what, rest))))
except OSError as trouble:
    print(trouble)
