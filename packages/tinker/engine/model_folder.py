"""Writes a folder in Hugging Face's layout, with numpy alone."""

import json
from pathlib import Path

from safetensors.numpy import save_file


def write_json(path, value):
    Path(path).write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_model(directory, *, config, tensors, stop_ids):
    """`config` is that of the architecture; ids of special tokens are in `stop_ids` as `eos` and `pad`."""
    ids = {"eos_token_id": stop_ids["eos"], "pad_token_id": stop_ids["pad"]}
    write_json(directory / "config.json", {**config, **ids, "dtype": "float32", "torch_dtype": "float32", "use_cache": True})
    write_json(directory / "generation_config.json", ids)
    save_file(tensors, str(directory / "model.safetensors"), metadata={"format": "pt"})


def count_parameters(tensors):
    return sum(tensor.size for tensor in tensors.values())
