# SPDX-License-Identifier: GPL-2.0-or-later
# validate.py SCHEMA FILE...: every snapshot against the schema; needs python3-jsonschema.
import json
import sys

import jsonschema


def once(pairs):
    """An object whose keys are there once each: a parser would hide the first."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key is there twice: " + ", ".join(k for k in keys if keys.count(k) > 1))
    return dict(pairs)


schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft7Validator.check_schema(schema)
checker = jsonschema.Draft7Validator(schema)
bad = 0
for name in sys.argv[2:]:
    try:
        document = json.load(open(name, encoding="utf-8"), object_pairs_hook=once)
        errors = ["%s: %s" % ("/".join(map(str, e.path)), e.message[:200]) for e in checker.iter_errors(document)]
    except ValueError as e:
        errors = [str(e)]
    bad += len(errors)
    for error in errors:
        print("%s: %s" % (name, error))
print("%d looked at" % len(sys.argv[2:]))
sys.exit(1 if bad else 0)
