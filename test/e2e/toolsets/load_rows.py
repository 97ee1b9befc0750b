"""Loads a batch as a trainer does and tells what is in it, as one line of JSON."""

import json
import sys

from datasets import load_dataset

parquet, lines, cache = sys.argv[1:4]
table = load_dataset("parquet", data_files=parquet, split="train", cache_dir=cache)
rows = load_dataset("json", data_files=lines, split="train", cache_dir=cache)
exact = [json.loads(row["exact"])["messages"] for row in table if row["exact"]]
parts = [
    part
    for messages in exact
    for message in messages
    if isinstance(message.get("content"), list)
    for part in message["content"]
]
print(
    json.dumps(
        {
            "rows": [len(table), len(rows)],
            "tool_answers": sum(m["role"] == "tool" for row in table for m in row["messages"]),
            "images": sum(part["type"] == "image_url" for part in parts),
            "turns": [turn["from"] for turn in rows[0]["conversations"]],
        }
    )
)
