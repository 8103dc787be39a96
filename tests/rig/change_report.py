# SPDX-License-Identifier: GPL-2.0-or-later
# change_report.py FROM TO STATEMENT: the report of a burn, changed: r is all of it, t its first target.
import json
import sys

r = json.load(open(sys.argv[1]))
t = r['targets'][0]
exec(sys.argv[3])
open(sys.argv[2], 'w').write(json.dumps(r))
