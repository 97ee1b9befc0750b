"""Stand-in for peft: SkyRL's JAX backend uses it to write the `adapter_config.json` of a saved adapter, and for nothing else.

The real package leaves `target_modules` empty there, so that whoever loads the adapter applies a part of it. These are the
modules the backend trains.
"""

import json
from pathlib import Path

__version__ = "0.18.1"

TRAINED_MODULES = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


class LoraConfig:
    def __init__(self, *, base_model_name_or_path=None, r=8, lora_alpha=8, **others):
        self._fields = {
            "peft_type": "LORA",
            "task_type": "CAUSAL_LM",
            "inference_mode": True,
            "base_model_name_or_path": base_model_name_or_path,
            "r": r,
            "lora_alpha": lora_alpha,
            "lora_dropout": 0.0,
            "bias": "none",
            "target_modules": list(TRAINED_MODULES),
            **others,
        }

    def save_pretrained(self, directory, **_ignored):
        path = Path(directory) / "adapter_config.json"
        path.write_text(json.dumps(self._fields, indent=2) + "\n")
