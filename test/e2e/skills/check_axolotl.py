"""Holds files against Axolotl's own schema. Its validators run as they are; torch and what stands on it would be
gigabytes and are not needed to read a file, so a module that says no to everything stands in for each of them."""

import json
import os
import sys

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "peers", "datasets"))
import stand_in_torch  # noqa: E402

STOOD_IN = "torch accelerate transformers datasets peft trl bitsandbytes torchao huggingface_hub numpy psutil tqdm".split()
stand_in_torch.install(roots=STOOD_IN, answers_no=True)

from axolotl.utils.schemas.config import AxolotlInputConfig  # noqa: E402

# What `axolotl merge-lora` changes in a file before it reads it.
MERGE = {"merge_lora": True, "load_in_8bit": False, "load_in_4bit": False, "attn_implementation": None}

found = []
for file in sys.argv[1:]:
    with open(file) as opened:
        given = yaml.safe_load(opened)
    try:
        config = AxolotlInputConfig(**given)
        merged = AxolotlInputConfig(**{**given, **MERGE})
        # The schema passes over what it does not know; a reader would believe that it counts.
        unknown = sorted(set(given) - set(AxolotlInputConfig.model_fields))
        found.append({"attention": config.attn_implementation, "merges": merged.merge_lora, "unknown": unknown})
    except ValueError as error:
        found.append({"refused": str(error).splitlines()[-2].strip()})
print(json.dumps(found))
