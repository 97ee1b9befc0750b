"""Loads an adapter folder with real torch, transformers and peft, and compares with what the engine says of the same tokens.

    python peft_logprobs.py MODEL_FOLDER ADAPTER_FOLDER|none PROBE_JSON
"""

import json
import os
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
from peft import PeftModel  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402


def main(model, adapter, probe):
    torch.set_num_threads(2)
    base = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32, attn_implementation="eager")
    adapted = (base if adapter == "none" else PeftModel.from_pretrained(base, adapter)).eval()
    sequences = json.loads(Path(probe).read_text())
    largest = 0.0
    for each in sequences:
        with torch.no_grad():
            logits = adapted(input_ids=torch.tensor([each["tokens"]])).logits[0]
        logprobs = torch.log_softmax(logits, -1)[torch.arange(len(each["targets"])), torch.tensor(each["targets"])]
        largest = max(largest, (logprobs - torch.tensor(each["logprobs"])).abs().max().item())
    print(json.dumps({"tokens": sum(len(each["tokens"]) for each in sequences), "largest": largest}))


if __name__ == "__main__":
    main(*sys.argv[1:])
