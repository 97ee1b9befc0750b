"""Gives the rows of hand-offs to the trainers' own code and compares what they make of them with the records.

Reads one JSON object: {"records": <lines of {"messages", "tools"}>, "pairs": <lines of {"prompt", "chosen", "rejected", "tools"}>,
"trl", "trlPairs", "axolotl", "axolotlPairs": <folders of hand-offs>, "tokenizer": <folder>, "mutant": <name or null>}.
Prints one line for each comparison: {"name", "rows", "different", "first"}.
"""

import importlib.util
import json
import os
import sys
import tempfile
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "peers", "datasets"))
import stand_in_torch  # noqa: E402

import datasets  # noqa: E402
import yaml  # noqa: E402
from datasets import load_dataset  # noqa: E402
from transformers import AutoTokenizer  # noqa: E402

datasets.disable_progress_bars()
task = json.load(sys.stdin)
cache = tempfile.mkdtemp()
datasets.config.HF_DATASETS_CACHE = cache
tokenizer = AutoTokenizer.from_pretrained(task["tokenizer"])


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [with_objects(json.loads(line)) for line in file]


def with_objects(row):
    """A record as chat templates want it: arguments are objects, and a content is a text."""
    for column in ("messages", "prompt", "chosen", "rejected"):
        for message in row.get(column) or []:
            message["content"] = message["content"] or ""
            for call in message.get("tool_calls") or []:
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return row


def report(name, found, wanted):
    different = [i for i, (a, b) in enumerate(zip(found, wanted)) if a != b]
    missing = abs(len(found) - len(wanted))
    first = f"row {different[0]}: {str(found[different[0]])[:400]} / {str(wanted[different[0]])[:400]}" if different else None
    print(json.dumps({"name": name, "rows": len(wanted), "different": len(different) + missing, "first": first}))


def load(folder):
    return load_dataset("parquet", data_files=os.path.join(folder, "data", "train.parquet"), split="train", cache_dir=cache)


def read_with_script(folder, columns):
    """As train.py of the folder does it: with its own read_rows.py. The trainers read the text of tools themselves."""
    spec = importlib.util.spec_from_file_location("read_rows", os.path.join(folder, "read_rows.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # The mutant is a reader that forgets that Arrow fills in None.
    path = os.path.join(folder, "data", "train.parquet")
    rows = load(folder) if task.get("mutant") == "nulls" else module.load(columns, train=path)["train"]
    return [{**row, "tools": json.loads(row["tools"]) if row["tools"] else None} for row in rows]


def judge_trained(trained, record):
    """Whether all replies are in the trained text, and whether something a user said is."""
    # The tokenizer of Qwen writes letters and their accents as one.
    says = lambda role: [unicodedata.normalize("NFC", m["content"]) for m in record["messages"] if m["role"] == role]
    return [all(text.strip() in trained for text in says("assistant")), any(text in trained for text in says("user"))]


def render(messages, tools, **options):
    return tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, **options)


def check_trl():
    from trl.chat_template_utils import qwen3_training_chat_template
    from trl.data_utils import _tokenize, apply_chat_template, is_conversational

    records = read_lines(task["records"])
    rows = read_with_script(task["trl"], ["messages"])
    report("TRL sees conversations", [is_conversational(row) for row in rows], [True] * len(records))
    texts = [apply_chat_template(row, tokenizer, tools=row["tools"])["text"] for row in rows]
    report("TRL's text of a row", texts, [render(r["messages"], r["tools"]) for r in records])

    # TRL knows today's template of Qwen3 by its text; the tokenizer's is an earlier one.
    template = qwen3_training_chat_template
    found, wanted = [], []
    for row, record in zip(rows, records):
        kwargs = {"chat_template": template, "tools": row["tools"]}
        made = _tokenize(tokenizer, row["messages"], return_assistant_tokens_mask=True, **kwargs)
        trained = tokenizer.decode([t for t, m in zip(made["input_ids"], made["assistant_masks"]) if m])
        found.append(judge_trained(trained, record))
        wanted.append([True, False])
    report("tokens TRL trains: replies, and nothing a user said", found, wanted)

    pairs = read_lines(task["pairs"])
    rows = read_with_script(task["trlPairs"], ["prompt", "chosen", "rejected"])
    made = [apply_chat_template(row, tokenizer, tools=row["tools"]) for row in rows]
    report(
        "TRL's texts of a pair",
        [[m["prompt"] + m["chosen"], m["prompt"] + m["rejected"]] for m in made],
        [[render(p["prompt"] + p[side], p["tools"]) for side in ("chosen", "rejected")] for p in pairs],
    )


def check_axolotl():
    # Loaded before the stand-in is there: `datasets` looks at torch's classes as soon as somebody has imported it.
    rows, rows_of_pairs = list(load(task["axolotl"])), list(load(task["axolotlPairs"]))
    stand_in_torch.install()
    from axolotl.prompt_strategies.chat_template import load as load_strategy
    from axolotl.prompt_strategies.dpo.chat_template import default as load_pairs
    from axolotl.utils.dict import DictDefault
    from axolotl.utils.schemas.config import AxolotlInputConfig

    def read_config(folder):
        with open(os.path.join(folder, "axolotl.yaml"), encoding="utf-8") as file:
            config = yaml.safe_load(file)
        checked = AxolotlInputConfig(**config).model_dump(exclude_none=True)
        unknown = [key for key in config if key not in checked]
        report("keys Axolotl's own schema takes", [unknown], [[]])
        return DictDefault(checked)

    records = read_lines(task["records"])
    config = read_config(task["axolotl"])
    strategy = load_strategy(tokenizer, config, config.datasets[0])
    found, wanted = [], []
    for row, record in zip(rows, records):
        made = strategy.tokenize_prompt(dict(row))
        found.append(made["input_ids"])
        wanted.append(tokenizer.apply_chat_template(record["messages"], tools=record["tools"], return_dict=False))
    report("tokens of Axolotl", found, wanted)

    found, wanted = [], []
    for row, record in zip(rows, records):
        made = strategy.tokenize_prompt(dict(row))
        trained = tokenizer.decode([t for t, label in zip(made["input_ids"], made["labels"]) if label != -100])
        found.append(judge_trained(trained, record))
        wanted.append([True, False])
    report("tokens Axolotl trains: replies, and nothing a user said", found, wanted)

    config = read_config(task["axolotlPairs"])
    transform, _ = load_pairs(config)
    rows = [transform(dict(row), tokenizer=tokenizer) for row in rows_of_pairs]
    pairs = read_lines(task["textPairs"])
    report(
        "Axolotl's prompts of pairs",
        [row["prompt"] for row in rows],
        [render([{"role": m["role"], "content": m["content"]} for m in p["prompt"]], None, add_generation_prompt=True) for p in pairs],
    )
    report(
        "Axolotl's replies of pairs",
        [[row[side].strip().startswith(p[side][-1]["content"].strip()) for side in ("chosen", "rejected")] for row, p in zip(rows, pairs)],
        [[True, True]] * len(pairs),
    )


# The fault is in the reader of the script, which Axolotl does not use.
for check in (check_trl,) if task.get("mutant") else (check_trl, check_axolotl):
    try:
        check()
    except Exception as error:
        print(json.dumps({"name": check.__name__, "rows": 0, "different": 1, "first": f"{type(error).__name__}: {error}"[:600]}))
        if task.get("mutant") is None:
            raise
