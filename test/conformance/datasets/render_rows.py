"""Renders the rows of a Parquet export and the records they were made from with the chat templates of `transformers`.

Reads one JSON object: {"parquet", "records", "handoff": <folder with read_rows.py>, "tokenizers": {name: folder}, "mutant"}.
Prints one line for each family: {"family", "rows", "rendered", "different", "first"}.
"""

import importlib.util
import json
import os
import sys
import tempfile

import datasets
from datasets import load_dataset
from transformers import AutoTokenizer

datasets.disable_progress_bars()
task = json.load(sys.stdin)
datasets.config.HF_DATASETS_CACHE = tempfile.mkdtemp()

spec = importlib.util.spec_from_file_location("read_rows", os.path.join(task["handoff"], "read_rows.py"))
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
# The mutant is a reader that forgets that Arrow fills in None.
rows = load_dataset("parquet", data_files=task["parquet"], split="train") if task["mutant"] else module.load(["messages"], train=task["parquet"])["train"]
rows = list(rows)

with open(task["records"], encoding="utf-8") as file:
    records = [json.loads(line) for line in file]
for record in records:
    for message in record["messages"]:
        message["content"] = message["content"] or ""
        for call in message.get("tool_calls") or []:
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])


def render(tokenizer, row):
    """The text, or the words with which the template refuses."""
    try:
        tools = row["tools"]
        tools = json.loads(tools) if isinstance(tools, str) else tools
        return True, tokenizer.apply_chat_template(row["messages"], tools=tools, tokenize=False, date_string="26 Jul 2024")
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"


for family, folder in task["tokenizers"].items():
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found = [render(tokenizer, row) for row in rows]
    wanted = [render(tokenizer, record) for record in records]
    different = [i for i, (a, b) in enumerate(zip(found, wanted)) if a != b]
    first = f"row {different[0]}: {found[different[0]][1][-300:]} / {wanted[different[0]][1][-300:]}" if different else None
    rendered = sum(is_rendered for is_rendered, _ in wanted)
    count = len(different) + abs(len(found) - len(wanted))
    print(json.dumps({"family": family, "rows": len(wanted), "rendered": rendered, "different": count, "first": first}))
