# SPDX-License-Identifier: GPL-2.0-or-later
# change_report.py FROM [TO STATEMENT]...: the report of a burn, changed into each TO by its statement:
# r is all of it, t its first target.
import json
import sys

text = open(sys.argv[1]).read()
for to, statement in zip(sys.argv[2::2], sys.argv[3::2]):
    r = json.loads(text)
    t = r['targets'][0]
    exec(statement)
    open(to, 'w').write(json.dumps(r))
