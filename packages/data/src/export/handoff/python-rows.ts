/**
 * `read_rows.py` of a hand-off. Arrow gives every message every field of the set, None where the message had none, and some
 * chat templates ask whether a field is there; so None is taken out, and the messages are kept as the JSON type of `datasets`,
 * which fills nothing in. Not `with_transform`: TRL's trainers refuse it.
 */
export const READ_ROWS_PY = `"""Rows of this folder as chat templates want them."""

import json

from datasets import Features, Json, List, Value, load_dataset


def load(columns, **files):
    """The files by split. The columns are lists of messages; \`tools\` stays JSON text, which the trainers read."""
    rows = load_dataset("parquet", data_files=files).select_columns([*columns, "tools", "exact"])
    features = Features({**{column: List(Json()) for column in columns}, "tools": Value("string")})
    return rows.map(read, batched=True, fn_kwargs={"columns": columns}, remove_columns=["exact"], features=features)


def read(batch, columns):
    exact = [json.loads(text) if text else {} for text in batch["exact"]]
    rows = {
        column: [[plain(m) for m in whole.get(column) or messages] for whole, messages in zip(exact, batch[column])]
        for column in columns
    }
    return {**rows, "tools": batch["tools"]}


def plain(message):
    message = {k: v for k, v in message.items() if v is not None}
    # A reply that only calls tools has no content; the template of Qwen3, among others, asks what is in it.
    message.setdefault("content", "")
    if message.get("tool_calls"):
        message["tool_calls"] = [plain_call(call) for call in message["tool_calls"]]
    return message


def plain_call(call):
    # Templates print arguments as JSON, so they have to be an object and not the text of one.
    function = {**call["function"], "arguments": json.loads(call["function"]["arguments"])}
    return {**{k: v for k, v in call.items() if v is not None}, "function": function}
`;
