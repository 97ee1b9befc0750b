"""Asks atroposlib for the first call of each reply: one JSON text per line in, one JSON list or null per line out."""

import json
import logging
import sys

from atroposlib.utils.tool_call_parser import parse_tool_call

logging.disable(logging.CRITICAL)

for line in sys.stdin:
    case = json.loads(line)
    name, arguments, is_error = parse_tool_call(case["text"], None, [case["tag"]])
    print(json.dumps(None if is_error else [name, arguments]))
