"""Loads exports with Hugging Face `datasets` and prints the rows as Python has them.

Reads one JSON object a line: {"kind": "json" | "parquet" | "hub" | "parquet-with-structs", "path": ..., "card": ...}.
Prints for each row {"task": <number of the line>, "row": {...}}, and {"task": ..., "error": ...} for one that does not load.
"""

import json
import re
import sys
import tempfile

import datasets
import pyarrow
import pyarrow.parquet
from datasets import load_dataset

datasets.disable_progress_bars()
datasets.disable_caching()


def drop_nulls(value):
    """What the pages promise about lines of JSON: a field that is None was never there."""
    if isinstance(value, dict):
        return {k: drop_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [drop_nulls(v) for v in value]
    return value


def read_card(path):
    """The function `read` that the card of our Parquet tells people to use, taken from the card."""
    with open(path, encoding="utf-8") as file:
        code = re.search(r"```python\n(.*?)```", file.read(), re.S).group(1)
    space = {}
    exec(code[: code.index("\nrows = ")], space)
    return space["read"]


def load(task, cache):
    kind, path = task["kind"], task["path"]
    if kind == "json":
        rows = load_dataset("json", data_files=path, split="train", cache_dir=cache)
        return map(drop_nulls, rows)
    read = read_card(task["card"])
    if kind == "hub":
        splits = load_dataset(path, cache_dir=cache)
        return (read(row) for rows in splits.values() for row in rows)
    if kind == "parquet-with-structs":
        # The exporter that ours must not be: tool schemas become whatever Arrow makes of them.
        rows = [{**row, "tools": json.loads(row["tools"]) if row["tools"] else None} for row in pyarrow.parquet.read_table(path).to_pylist()]
        path = tempfile.mktemp(suffix=".parquet", dir=cache)
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        rows = load_dataset("parquet", data_files=path, split="train", cache_dir=cache)
        return (read({**row, "tools": json.dumps(row["tools"]) if row["tools"] else None}) for row in rows)
    rows = load_dataset("parquet", data_files=path, split="train", cache_dir=cache)
    return map(read, rows)


with tempfile.TemporaryDirectory() as cache:
    for number, line in enumerate(sys.stdin):
        try:
            for row in load(json.loads(line), cache):
                print(json.dumps({"task": number, "row": row}))
        except Exception as error:
            print(json.dumps({"task": number, "error": f"{type(error).__name__}: {error}"[:500]}))
