"""Losses and advantages from the formulas of the papers, in 64-bit numbers.

Reads one case per line and writes one answer per line. Values are the formulas. Gradients are complex steps,
f'(x) = Im f(x + ih) / h with h = 1e-30, which has no rounding of its own: nothing here was derived by hand.

DPO            Rafailov et al. 2023, equation 7; label smoothing as in the authors' note on noisy preferences
IPO            Azar et al. 2023, equation 17
SimPO          Meng et al. 2024, equation 6
Bradley-Terry  Bradley and Terry 1952; the margin as in Touvron et al. 2023, equation 2
KTO            Ethayarajh et al. 2024, equation 8; the reference point is the estimate of its section 4.1
advantages     Shao et al. 2024 (divided by the deviation), Liu et al. 2025 (not divided), Ahmadian et al. 2024 (leave one out)
"""

import json
import sys

import numpy as np

STEP = 1e-30


def log_sigmoid(x):
    x = np.asarray(x)
    small = np.exp(np.where(x.real >= 0, -x, x))
    return np.where(x.real >= 0, 0, x) - np.log1p(small)


def sigmoid(x):
    x = np.asarray(x)
    small = np.exp(np.where(x.real >= 0, -x, x))
    return np.where(x.real >= 0, 1 / (1 + small), small / (1 + small))


def score(kind, weights, logprobs):
    """logprobs: (..., tokens)."""
    counted = np.flatnonzero(weights)
    if kind == "last":
        return logprobs[..., counted[-1]]
    total = np.sum(weights[counted] * logprobs[..., counted], axis=-1)
    return total / np.sum(weights) if kind == "mean" else total


def preference_loss(case, difference, margin):
    """The loss of one pair; difference is the score of chosen minus the score of rejected."""
    beta, smoothing = case["beta"], case["label_smoothing"]
    name = case["loss"]
    if name == "ipo":
        return (difference - 1 / (2 * beta)) ** 2
    if name == "bradley_terry":
        return -log_sigmoid(case["scale"] * difference - margin)
    inside = beta * difference - (case["gamma"] if name == "simpo" else 0.0)
    return -(1 - smoothing) * log_sigmoid(inside) - smoothing * log_sigmoid(-inside)


def score_of(case, weights, logprobs, reference):
    """The score of one sequence, from which the reference's is taken where the loss has one. logprobs: (..., tokens)."""
    own = score(case["score"], weights, logprobs)
    if case["loss"] in ("simpo", "bradley_terry"):
        return own
    return own - score(case["score"], weights, reference)


def loss_of(case, scores):
    """scores: one array (...) or number per sequence."""
    losses = []
    if case["loss"] == "kto":
        labels = case["labels"]
        others = [np.real(s) for s, label in zip(scores, labels) if label == "mismatched"]
        # No gradient flows through the reference point.
        point = np.maximum(0.0, sum(others) / len(others)) if others else 0.0
        for ratio, label in zip(scores, labels):
            if label == "desirable":
                weight = case["desirable_weight"]
                losses.append(weight - weight * sigmoid(case["beta"] * (ratio - point)))
            elif label == "undesirable":
                weight = case["undesirable_weight"]
                losses.append(weight - weight * sigmoid(case["beta"] * (point - ratio)))
    else:
        for place, pair in enumerate(case["pairs"]):
            difference = scores[pair["chosen"]] - scores[pair["rejected"]]
            losses.append(preference_loss(case, difference, case["margins"][place]))
    total = sum(losses)
    return total / len(losses) if case["reduction"] == "mean" else total


def answer_loss(case):
    weights = [np.array(row, dtype=np.float64) for row in case["weights"]]
    # A masked token enters no formula, whatever its logprob.
    read = lambda rows: [np.array([0.0 if v is None else v for v in row]) for row in rows]
    logprobs, reference = read(case["logprobs"]), read(case["reference"])
    scores = [score_of(case, *one) for one in zip(weights, logprobs, reference)]
    gradients = []
    for at, row in enumerate(logprobs):
        stepped = score_of(case, weights[at], row + 1j * STEP * np.eye(len(row)), reference[at])
        moved = loss_of(case, [*scores[:at], stepped, *scores[at + 1 :]])
        gradients.append(np.broadcast_to(np.imag(moved) / STEP, row.shape).tolist())
    return {"value": float(loss_of(case, scores)), "gradients": gradients}


def advantages_of(case):
    scores = np.array(case["scores"], dtype=np.float64)
    lengths = np.array(case["lengths"], dtype=np.float64)
    n = len(scores)
    if n == 1:
        return np.zeros(1)
    centred = scores - np.mean(scores)
    name = case["estimator"]
    if name == "mean_centred":
        return centred
    if name == "std_normalised":
        return centred / (np.std(scores, ddof=1) + 1e-4)
    if name == "leave_one_out":
        return np.array([scores[i] - np.mean(np.delete(scores, i)) for i in range(n)])
    if name == "length_normalised":
        weighted = centred * np.mean(lengths)
        return np.divide(weighted, lengths, out=np.zeros(n), where=lengths > 0)
    raise ValueError(name)


def answer_advantages(case):
    """The gradient is that of the policy objective, -sum A·exp(logp - old logp) over the trained tokens, where logp = old."""
    advantages = advantages_of(case)
    gradients = []
    for advantage, old in zip(advantages, case["trained_logprobs"]):
        old = np.array(old, dtype=np.float64)
        stepped = old + 1j * STEP * np.eye(len(old))
        objective = -advantage * np.sum(np.exp(stepped - old), axis=-1) if len(old) else np.zeros(0)
        gradients.append((np.imag(objective) / STEP).tolist())
    return {"advantages": advantages.tolist(), "gradients": gradients}


def main():
    for line in sys.stdin:
        case = json.loads(line)
        answer = answer_advantages(case) if "estimator" in case else answer_loss(case)
        sys.stdout.write(json.dumps(answer) + "\n")


main()
