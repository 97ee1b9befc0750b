"""Grades pairs with the real math_verify.

Reads lines of JSON with `expected` and `reply`, writes a line of JSON with `same` for each. Both sides go through the library's
own `parse` with its own defaults, so that its extraction is part of the verdict.
"""

import json
import logging
import sys

from math_verify import parse, verify

logging.disable(logging.CRITICAL)

for line in sys.stdin:
    pair = json.loads(line)
    same = verify(parse(pair["expected"]), parse(pair["reply"]))
    print(json.dumps({"same": bool(same)}), flush=True)
