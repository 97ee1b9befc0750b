"""The loss of TRL's GRPOTrainer, as its installed source has it, with numpy in the place of torch.

torch from PyPI brings gigabytes, and no venv of ours has it. So the statements of `GRPOTrainer._compute_loss` up to the loss are read
from the file of the package and run as they stand; `torch` and its tensors are the few names below, in 64-bit numbers. An operation that
is not there fails. Gradients are complex steps, as in reference_algorithms.py, from which advantages and batches come.

Reads one case per line and writes one answer per line, with the version of TRL.
"""

import ast
import importlib.metadata
import importlib.util
import json
import pathlib
import sys
from types import SimpleNamespace as Names

import numpy as np
import reference_algorithms as papers

STEP = 1e-30


class Tensor:
    def __init__(self, values):
        self.values = np.asarray(values)

    def dim(self):
        return self.values.ndim

    def size(self, axis):
        return self.values.shape[axis]

    def sum(self, axis=None):
        return Tensor(self.values.sum(axis))

    def mean(self):
        return Tensor(self.values.mean())

    def unsqueeze(self, axis):
        return Tensor(np.expand_dims(self.values, axis))

    def detach(self):
        return Tensor(np.real(self.values))

    def clamp(self, min=-np.inf, max=np.inf):
        return Tensor(papers.clip(self.values, min, max))

    def __neg__(self):
        return Tensor(-self.values)

    def __add__(self, other):
        return Tensor(self.values + plain(other))

    def __sub__(self, other):
        return Tensor(self.values - plain(other))

    def __mul__(self, other):
        return Tensor(self.values * plain(other))

    def __truediv__(self, other):
        return Tensor(self.values / plain(other))

    __radd__ = __add__
    __rmul__ = __mul__


def plain(value):
    return value.values if isinstance(value, Tensor) else value


TORCH = Names(
    cat=lambda tensors, dim: Tensor(np.concatenate([each.values for each in tensors], axis=dim)),
    exp=lambda x: Tensor(np.exp(x.values)),
    clamp=lambda x, min=-np.inf, max=np.inf: x.clamp(min, max),
    min=lambda a, b: Tensor(papers.smaller(a.values, b.values)),
)


def read_loss():
    """`_compute_loss` up to the bonus of entropy, which comes after the loss."""
    package = pathlib.Path(importlib.util.find_spec("trl").origin).parent
    source = (package / "trainer" / "grpo_trainer.py").read_text()
    trainer = next(n for n in ast.parse(source).body if isinstance(n, ast.ClassDef) and n.name == "GRPOTrainer")
    function = next(n for n in trainer.body if isinstance(n, ast.FunctionDef) and n.name == "_compute_loss")
    end = next(i for i, n in enumerate(function.body) if "_entropy_bonus_enabled" in ast.unparse(n))
    function.body = [*function.body[:end], ast.parse("return loss").body[0]]
    names = {"torch": TORCH}
    exec(compile(ast.fix_missing_locations(ast.Module([function], [])), "grpo_trainer.py", "exec"), names)
    return names["_compute_loss"]


COMPUTE = read_loss()
VERSION = importlib.metadata.version("trl")

# What TRL is told for each preset; all else as it is when left out.
SETTINGS = {
    "grpo": {"loss_type": "grpo", "beta": 0.04},
    "dr_grpo": {"loss_type": "dr_grpo"},
    "gspo": {"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon_low": 3e-4, "epsilon_high": 4e-4},
    "cispo": {"loss_type": "cispo", "epsilon_high": 4},
    "dapo": {"loss_type": "dapo", "epsilon_high": 0.28},
}


def compute(b, settings, kept, advantages, learner):
    width = max(len(m) for m in b.mask)

    def pad(rows):
        out = np.zeros((len(kept), width), dtype=rows[0].dtype)
        for at, i in enumerate(kept):
            out[at, : len(b.mask[i])][b.mask[i]] = rows[i]
        return Tensor(out)

    mask = pad([np.ones(n) for n in b.sizes])
    ids = Tensor(np.zeros((len(kept), width)))
    trainer = Names(
        **{
            "importance_sampling_level": "token",
            "beta": 0.0,
            "epsilon_low": 0.2,
            "epsilon_high": 0.2,
            **settings,
        },
        aux_loss_enabled=False,
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        use_vllm=False,
        args=Names(use_bias_correction_kl=False, delta=None, steps_per_generation=1),
        model=Names(training=True),
        current_gradient_accumulation_steps=1,
        max_completion_length=b.length,
        accelerator=Names(num_processes=1),
        _get_per_token_logps_and_entropies=lambda *_, **__: (pad(learner), None, None),
    )
    inputs = {
        "prompt_ids": ids,
        "prompt_mask": ids,
        "completion_ids": ids,
        "completion_mask": mask,
        "advantages": Tensor(advantages[kept]),
        "old_per_token_logps": pad(b.sampler),
        "ref_per_token_logps": pad(b.reference),
        "num_items_in_batch": mask.sum(),
    }
    return COMPUTE(trainer, None, inputs).values


def answer(case):
    b = papers.Batch(case)
    name = case["algorithm"]
    # The batch of the paper's function, which takes what is too long off the scores first.
    kept = np.flatnonzero(papers.ALGORITHMS[name](b)[0])
    advantages = b.by_group(papers.centred if name == "dr_grpo" else papers.standardised)
    gradients = [np.zeros(len(m)) for m in b.mask]
    if len(kept) == 0:
        return {"value": 0.0, "gradients": [g.tolist() for g in gradients], "version": VERSION}

    def at(learner):
        return compute(b, SETTINGS[name], kept, advantages, learner)

    for i in kept:
        places = np.flatnonzero(b.mask[i])
        for token, place in enumerate(places):
            moved = [row.astype(complex) for row in b.learner]
            moved[i][token] += 1j * STEP
            gradients[i][place] = np.imag(at(moved)) / STEP
    value = float(np.real(at(b.learner)))
    return {"value": value, "gradients": [g.tolist() for g in gradients], "version": VERSION}


def main():
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")


if __name__ == "__main__":
    main()
