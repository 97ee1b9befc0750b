"""Compares an adapter folder, tensor by tensor, with the engine's own archive and with the modules of the base model.

    python adapter_tensors.py MODEL_FOLDER ADAPTER_FOLDER ARCHIVE RANK ALPHA

Prints one JSON line: how many tensors were checked and everything that is wrong with them.
"""

import json
import re
import sys
import tarfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load, load_file

ADAPTED = re.compile(r"model\.layers\.\d+\.(?:self_attn\.[qkvo]|mlp\.(?:gate|up|down))_proj\.weight")


def read_archive(archive):
    """The tensors and the config, wherever in the archive they stand."""
    with tarfile.open(archive) as opened:
        files = {Path(member.name).name: opened.extractfile(member).read() for member in opened if member.isfile()}
    return load(files["adapter_model.safetensors"]), json.loads(files["adapter_config.json"])


def expected_shapes(model, rank):
    for name, tensor in load_file(model / "model.safetensors").items():
        if ADAPTED.fullmatch(name):
            path = f"base_model.model.{name.removesuffix('.weight')}"
            yield f"{path}.lora_A.weight", (rank, tensor.shape[1])
            yield f"{path}.lora_B.weight", (tensor.shape[0], rank)


def find_faults(tensors, source, shapes):
    if set(tensors) != set(shapes):
        yield f"names differ from those of the base model: {sorted(set(tensors) ^ set(shapes))}"
    if set(tensors) != set(source):
        yield f"names differ from those of the archive: {sorted(set(tensors) ^ set(source))}"
    for name, tensor in tensors.items():
        if tensor.shape != shapes.get(name):
            yield f"{name} is {tensor.shape}, not {shapes.get(name)}"
        if tensor.dtype != np.float32:
            yield f"{name} is {tensor.dtype}"
        if not np.isfinite(tensor).all():
            yield f"{name} is not finite"
        if not tensor.any():
            yield f"{name} is all zero"
        if name in source and tensor.tobytes() != source[name].tobytes():
            yield f"{name} is not what the archive holds"


def find_config_faults(config, source, tensors, wanted):
    for field, value in wanted.items():
        if config.get(field) != value:
            yield f"{field} is {config.get(field)}, not {value}"
    modules = sorted({name.split(".")[-3] for name in tensors})
    if sorted(config.get("target_modules") or []) != modules:
        yield f"target_modules is {config.get('target_modules')}, not {modules}"
    for field in source:
        if field != "target_modules" and config.get(field) != source[field]:
            yield f"{field} is not what the archive holds"


def main(model, adapter, archive, rank, alpha):
    tensors = load_file(Path(adapter) / "adapter_model.safetensors")
    config = json.loads((Path(adapter) / "adapter_config.json").read_text())
    source, source_config = read_archive(archive)
    wanted = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": model, "bias": "none"}
    wanted |= {"r": int(rank), "lora_alpha": int(alpha)}
    faults = list(find_faults(tensors, source, dict(expected_shapes(Path(model), int(rank)))))
    faults += find_config_faults(config, source_config, tensors, wanted)
    print(json.dumps({"tensors": len(tensors), "faults": faults}))


if __name__ == "__main__":
    main(*sys.argv[1:])
