"""A trainer made of atroposlib's own client code: `example_trainer.api` and `example_trainer.data`, unmodified.

    python trainer.py follow URL --batch-size 8 --record batches.jsonl    take batches until ended, one JSON line per batch
    python trainer.py prepare URL --batch-size 8 --micro-batch 4          register, then get_data once; the tensors as JSON

`torch` is the numpy stand-in beside this file: `example_trainer.data` needs it for the last line of each batch only.
"""

import argparse
import json
import time

from example_trainer import TrainingConfig
from example_trainer.api import check_atropos_api, get_batch, register_trainer
from example_trainer.data import get_data


def make_config(arguments):
    return TrainingConfig(
        model_name="byte",
        atropos_url=arguments.url,
        batch_size=arguments.micro_batch,
        gradient_accumulation_steps=arguments.batch_size // arguments.micro_batch,
        seq_len=arguments.max_token_len,
        training_steps=arguments.steps,
        checkpoint_interval=5,
        save_path="checkpoints",
        wandb_project="lachesis",
        wandb_group="conformance",
    )


def register(arguments):
    if not check_atropos_api(arguments.url, timeout=30):
        raise SystemExit(f"no trajectory API at {arguments.url}")
    register_trainer(make_config(arguments))


def follow(arguments):
    register(arguments)
    with open(arguments.record, "a", buffering=1) as record:
        while True:
            batch = get_batch(arguments.url)["batch"]
            if batch is None:
                time.sleep(0.05)
                continue
            record.write(json.dumps({"at": time.time(), "groups": [describe_group(group) for group in batch]}) + "\n")


def describe_group(group):
    return {
        "keys": len(group),
        "number": (group["group_overrides"] or {}).get("group_number"),
        "env_id": group["env_id"],
        "sequences": len(group["tokens"]),
        "first_token": group["tokens"][0][0],
        "floats": all(isinstance(score, float) for score in group["scores"]),
    }


def prepare(arguments):
    register(arguments)
    batches, _ = get_data(arguments.micro_batch, arguments.max_token_len, atropos_url=arguments.url)
    print(json.dumps([describe_tensors(*batch) for batch in batches]), flush=True)


def describe_tensors(tokens, labels, advantages, temperatures, logprobs):
    parts = {"tokens": tokens, "labels": labels, "advantages": advantages, "temperatures": temperatures}
    if logprobs is not None:
        parts["logprobs"] = logprobs
    return {
        name: [{"dtype": str(part.dtype), "shape": list(part.shape), "values": part.numpy().tolist()} for part in each]
        for name, each in parts.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=["follow", "prepare"])
    parser.add_argument("url")
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--micro-batch", type=int, default=2)
    parser.add_argument("--max-token-len", type=int, default=128)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--record")
    arguments = parser.parse_args()
    {"follow": follow, "prepare": prepare}[arguments.mode](arguments)


if __name__ == "__main__":
    main()
