"""Policy losses and batch advantages from the formulas of the papers, in 64-bit numbers.

Reads one case per line and writes one answer per line. Values are the formulas. Gradients are complex steps,
f'(x) = Im f(x + ih) / h with h = 1e-30: nothing here was derived by hand.

grpo              Shao et al. 2024, equations 3 and 4: clip 0.2, KL term 0.04, the mean over a reply's tokens, then over replies
dr_grpo           Liu et al. 2025, section 3.2: no deviation, a constant length instead of the reply's
gspo              Zheng et al. 2025, equations 5 and 7: the ratio of the sequence to the power of 1/|y|, clip 3e-4 and 4e-4
cispo             MiniMax 2025, equations 4 and 5: the clipped ratio is a weight without a gradient
rloo              Ahmadian et al. 2024, equation 7: leave one out, REINFORCE; the KL cost is taken from each token
dapo              Yu et al. 2025, equations 8, 12 and 13: clip 0.2 and 0.28, the mean over all tokens, soft overlong punishment
reinforce_pp      Hu 2025: normalised over the whole batch, clip 0.2, k1 in the reward
ppo               Schulman et al. 2017, equation 7, with the batch's mean as baseline
tis, mis          Yao et al. 2025 and Liu et al. 2025: truncated and masked importance sampling, of tokens and of sequences
decoupled_ppo     Hilton et al. 2022, equation 4
k1, k2, k3        Schulman 2020
entropy           -grad H = E[(log pi - b) grad log pi], the score function estimator, b the mean of the batch
"""

import json
import sys

import numpy as np

STEP = 1e-30
EPSILON = 1e-4


def clip(x, low, high):
    return np.where(np.real(x) < low, low, np.where(np.real(x) > high, high, x))


def smaller(a, b):
    return np.where(np.real(a) <= np.real(b), a, b)


def k1(d):
    return d


def k2(d):
    return d * d / 2


def k3(d):
    return np.exp(-d) - 1 + d


KL = {"k1": k1, "k2": k2, "k3": k3}


class Batch:
    def __init__(self, case):
        self.case = case
        self.length = case["length"]
        self.mask = [np.array(row, dtype=bool) for row in case["mask"]]
        self.learner = [np.array(row)[m] for row, m in zip(case["learner"], self.mask)]
        self.sampler = [np.array(row)[m] for row, m in zip(case["sampler"], self.mask)]
        self.proximal = [np.array(row)[m] for row, m in zip(case["proximal"], self.mask)]
        self.reference = [np.array(row)[m] for row, m in zip(case["reference"], self.mask)]
        self.scores = np.array(case["scores"], dtype=np.float64)
        self.group = np.array(case["group"])
        self.sizes = np.array([m.sum() for m in self.mask])

    def by_group(self, estimate):
        out = np.zeros(len(self.scores))
        for g in np.unique(self.group):
            own = self.scores[self.group == g]
            out[self.group == g] = np.zeros(len(own)) if np.ptp(own) == 0 else estimate(own)
        return out


def centred(s):
    return s - s.mean()


def standardised(s):
    return centred(s) / (s.std(ddof=1) + EPSILON)


def left_one_out(s):
    return np.array([s[i] - np.delete(s, i).mean() for i in range(len(s))])


def over_batch(b):
    s = b.scores
    return np.zeros(len(s)) if len(s) < 2 or np.ptp(s) == 0 else centred(s) / (s.std(ddof=1) + EPSILON)


def batch_deviation(b):
    left = b.by_group(centred)
    n = len(left)
    deviation = np.sqrt((left**2).sum() / (n - 1)) if n > 1 else 0.0
    return left / (deviation + EPSILON)


def alive(advantages, b):
    """Groups whose advantages are all 0 are left out of a batch that nothing else moves, and are not counted in its means."""
    return np.array([bool(np.any(advantages[b.group == g] != 0)) for g in b.group])


def everybody(advantages, b):
    return np.ones(len(advantages), dtype=bool)


# One function per algorithm: (batch) -> (advantages per reply, who is in the batch, term of a reply i as a function of its log probabilities)


def pessimistic(ratio, a, low, high):
    return smaller(ratio * a, clip(ratio, low, high) * a)


def grpo(b):
    a = b.by_group(standardised)
    kept = everybody(a, b)

    def term(i, x):
        ratio = np.exp(x - b.sampler[i])
        inner = pessimistic(ratio, a[i], 0.8, 1.2) - 0.04 * k3(x - b.reference[i])
        return -inner.sum(-1) / b.sizes[i] / kept.sum()

    return kept, term


def dr_grpo(b):
    a = b.by_group(centred)
    kept = alive(a, b)
    return kept, lambda i, x: -pessimistic(np.exp(x - b.sampler[i]), a[i], 0.8, 1.2).sum(-1) / b.length / kept.sum()


def gspo(b):
    a = b.by_group(standardised)
    kept = alive(a, b)

    def term(i, x):
        s = np.exp((x - b.sampler[i]).sum(-1) / b.sizes[i])
        return -pessimistic(s, a[i], 1 - 3e-4, 1 + 4e-4) / kept.sum()

    return kept, term


def cispo(b):
    a = b.by_group(standardised)
    kept = alive(a, b)
    tokens = b.sizes[kept].sum()

    def term(i, x):
        weight = clip(np.exp(np.real(x) - b.sampler[i]), 0, 4)
        return -(weight * a[i] * x).sum(-1) / tokens

    return kept, term


def distances(b):
    """How far the sampler is from the reference at each token, and the mean over the batch."""
    d = [s - r for s, r in zip(b.sampler, b.reference)]
    return d, np.concatenate(d).mean()


def rloo(b):
    a = b.by_group(left_one_out)
    d, mean = distances(b)
    kept = everybody(a, b)
    return kept, lambda i, x: -((a[i] - 0.03 * (d[i] - mean)) * np.exp(x - b.sampler[i])).sum(-1)


def dapo(b):
    buffer = 0.2 * b.length
    b.scores = b.scores - np.clip((b.sizes - (b.length - buffer)) / buffer, 0, 1)
    a = b.by_group(standardised)
    kept = alive(a, b) & (b.sizes < b.length)
    tokens = b.sizes[kept].sum()
    return kept, lambda i, x: -pessimistic(np.exp(x - b.sampler[i]), a[i], 0.8, 1.28).sum(-1) / tokens


def reinforce_pp(b):
    a = over_batch(b)
    d, mean = distances(b)
    kept = everybody(a, b)
    tokens = b.sizes[kept].sum()

    def term(i, x):
        rewarded = a[i] - 0.01 * (d[i] - mean)
        return -pessimistic(np.exp(x - b.sampler[i]), rewarded, 0.8, 1.2).sum(-1) / tokens

    return kept, term


def ppo(b):
    a = over_batch(b)
    kept = alive(a, b)
    tokens = b.sizes[kept].sum()
    return kept, lambda i, x: -pessimistic(np.exp(x - b.sampler[i]), a[i], 0.8, 1.2).sum(-1) / tokens


def corrected(weigh):
    def algorithm(b):
        a = b.by_group(standardised)
        kept = alive(a, b)
        tokens = b.sizes[kept].sum()

        def term(i, x):
            weight = weigh(b.proximal[i] - b.sampler[i])
            return -(weight * pessimistic(np.exp(x - b.proximal[i]), a[i], 0.8, 1.2)).sum(-1) / tokens

        return kept, term

    return algorithm


def truncated(weight):
    return np.minimum(weight, 2)


def masked(weight):
    return np.where(weight > 2, 0, weight)


def part(b):
    """One part alone: a loss by name, a KL term, entropy, an aggregation or an advantage, as the case says."""
    case = b.case
    estimate = case.get("advantage", "mean_centred")
    a = {"batch_std": batch_deviation, "batch_normalised": over_batch}.get(estimate, lambda b: b.by_group(centred))(b)
    moved = "kl" in case or case.get("entropy", 0) != 0
    kept = everybody(a, b) if moved else alive(a, b)
    members = [i for i in range(len(kept)) if kept[i]]
    share = {
        "token_sum": lambda i: 1.0,
        "token_mean": lambda i: 1.0 / b.sizes[kept].sum(),
        "sequence_mean": lambda i: 1.0 / (kept.sum() * b.sizes[i]),
        "constant_length": lambda i: 1.0 / (kept.sum() * b.length),
    }[case.get("aggregation", "token_sum")]
    mean = np.concatenate([b.learner[i] for i in members]).mean() if members else 0.0
    low, high = case.get("low"), case.get("high")

    def term(i, x):
        loss = case["loss"]
        ratio = np.exp(x - b.sampler[i])
        if loss == "gspo":
            ratio = np.exp((x - b.sampler[i]).sum(-1) / b.sizes[i])[..., None] * np.ones(x.shape[-1])
        if loss == "importance_sampling":
            inner = -ratio * a[i]
        elif loss == "cispo":
            inner = -clip(np.real(ratio), low, high) * a[i] * x
        else:
            inner = -pessimistic(ratio, a[i], low, high)
        if "kl" in case:
            inner = inner + case["kl_coefficient"] * KL[case["kl"]](x - b.reference[i])
        if case.get("entropy", 0) != 0:
            inner = inner + case["entropy"] * (x - mean) ** 2 / 2
        return share(i) * inner.sum(-1)

    return kept, term


ALGORITHMS = {
    "grpo": grpo,
    "dr_grpo": dr_grpo,
    "gspo": gspo,
    "cispo": cispo,
    "rloo": rloo,
    "dapo": dapo,
    "reinforce_pp": reinforce_pp,
    "ppo": ppo,
    "tis": corrected(lambda d: truncated(np.exp(d))),
    "tis_sequence": corrected(lambda d: truncated(np.exp(d.sum()))),
    "mis": corrected(lambda d: masked(np.exp(d))),
    "mis_sequence": corrected(lambda d: masked(np.exp(d.sum()))),
    "decoupled_ppo": corrected(np.exp),
    "part": part,
}


def answer(case):
    b = Batch(case)
    kept, term = ALGORITHMS[case["algorithm"]](b)
    value, gradients = 0.0, []
    for i, row in enumerate(b.learner):
        gradient = np.zeros(len(b.mask[i]))
        if kept[i]:
            value += float(np.real(term(i, row)))
            gradient[b.mask[i]] = np.imag(term(i, row + 1j * STEP * np.eye(len(row)))) / STEP
        gradients.append(gradient.tolist())
    return {"value": value, "gradients": gradients}


def main():
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")


if __name__ == "__main__":
    main()
