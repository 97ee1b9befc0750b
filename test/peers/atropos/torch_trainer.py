"""Steps of atroposlib's example trainer with real torch: its model, data path, loss and optimiser, unmodified.

    python torch_trainer.py URL MODEL --packages SITE_PACKAGES --stand-ins FOLDER --steps 2 --batch-size 32 --micro-batch 8

One JSON line per step. The weights go nowhere: the trainer would hand them to a vLLM that it starts itself, on a GPU.
"""

import argparse
import json
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("url")
parser.add_argument("model")
parser.add_argument("--packages", required=True)
parser.add_argument("--stand-ins", required=True)
parser.add_argument("--steps", type=int, required=True)
parser.add_argument("--batch-size", type=int, required=True)
parser.add_argument("--micro-batch", type=int, required=True)
arguments = parser.parse_args()
# Behind our own packages: they bring what only atroposlib's venv has, and hide nothing of the venv with torch.
sys.path += [arguments.packages, arguments.stand_ins]

from example_trainer import TrainingConfig  # noqa: E402
from example_trainer import training  # noqa: E402
from example_trainer.api import check_atropos_api, register_trainer  # noqa: E402
from example_trainer.data import get_data  # noqa: E402
from example_trainer.model import load_model_and_tokenizer  # noqa: E402
from example_trainer.trainers import create_optimizer  # noqa: E402

config = TrainingConfig(
    model_name=arguments.model,
    atropos_url=arguments.url,
    batch_size=arguments.micro_batch,
    gradient_accumulation_steps=arguments.batch_size // arguments.micro_batch,
    seq_len=128,
    training_steps=arguments.steps,
    optimizer="adamw",
    lr=1e-4,
    save_path="checkpoints",
    wandb_project="lachesis",
    wandb_group="torch",
)
if not check_atropos_api(config.atropos_url, timeout=30):
    raise SystemExit(f"no trajectory API at {config.atropos_url}")
register_trainer(config)
model, _ = load_model_and_tokenizer(config)
optimizer = create_optimizer(model, config)
waiting = []
for step in range(config.training_steps):
    while not waiting:
        waiting, _ = get_data(config.batch_size, config.seq_len, atropos_url=config.atropos_url)
    tokens, labels, advantages, temperatures, logprobs = waiting.pop(0)
    before = sum(part.float().abs().sum().item() for part in model.parameters())
    metrics = training.run_training_step(
        model, optimizer, tokens, labels, advantages, temperatures, config, step, inference_logprob_batches=logprobs
    )
    after = sum(part.float().abs().sum().item() for part in model.parameters())
    alignment = dict(training._logprob_alignment_stats)
    print(json.dumps({"step": step + 1, "moved": after != before, **metrics, **alignment}), flush=True)
