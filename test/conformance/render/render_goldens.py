"""Renders what it is told with the real transformers and says what came out.

One JSON object per line on standard input, one per line on standard output, in the same order:

  {"kind": "conversation", "directory", "messages", "tools", "add_generation_prompt", "variables", "sanitize"}
      -> {"ids": [...]} or {"error": "..."}
  {"kind": "mask", "directory", "messages", "template"}
      -> {"ids": [...], "mask": [...]}
  {"kind": "template", "template", "variables"}
      -> {"text": "..."} or {"error": "..."}

The clock of templates stands still, so that goldens do not age.
"""

import datetime
import json
import logging
import sys

import transformers.utils.chat_template_utils as chat_templates
from transformers import AutoTokenizer

logging.getLogger("transformers").setLevel(logging.ERROR)


class StandingClock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 3, 5, 14, 7, 9, tzinfo=tz)


chat_templates.datetime = StandingClock

loaded = {}


def load(directory):
    if directory not in loaded:
        loaded[directory] = AutoTokenizer.from_pretrained(directory)
    return loaded[directory]


def render(case):
    if case["kind"] == "template":
        template = chat_templates._compile_jinja_template(case["template"])
        return {"text": template.render(**case["variables"])}
    tokenizer = load(case["directory"])
    if case["kind"] == "mask":
        out = tokenizer.apply_chat_template(
            case["messages"], chat_template=case["template"], return_dict=True, return_assistant_tokens_mask=True
        )
        return {"ids": out["input_ids"], "mask": out["assistant_masks"]}
    out = tokenizer.apply_chat_template(
        case["messages"],
        tools=case["tools"],
        add_generation_prompt=case["add_generation_prompt"],
        sanitize_control_tokens=case["sanitize"],
        return_dict=True,
        **case["variables"],
    )
    return {"ids": out["input_ids"]}


for line in sys.stdin:
    try:
        answer = render(json.loads(line))
    except Exception as error:  # whatever Python refuses, the other side has to refuse too
        answer = {"error": type(error).__name__}
    print(json.dumps(answer), flush=True)
