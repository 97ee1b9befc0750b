"""Applies a downloaded adapter to its base model in plain numpy and compares with what the engine says of the same tokens.

    python adapter_logprobs.py MODEL_FOLDER ADAPTER_FOLDER|none PROBE_JSON

Written from the published Qwen3 architecture and PEFT's rule (W + alpha/r · B·A on every module whose name matches), not from
code of this project or of the engine.
"""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

# What PEFT adapts in a Qwen model when the config names no modules.
DEFAULT_MODULES = ["q_proj", "v_proj"]


def load_weights(model, adapter):
    weights = {name: tensor.astype(np.float64) for name, tensor in load_file(model / "model.safetensors").items()}
    if str(adapter) == "none":
        return weights
    config = json.loads((adapter / "adapter_config.json").read_text())
    tensors = load_file(adapter / "adapter_model.safetensors")
    modules = config["target_modules"] or DEFAULT_MODULES
    for name in weights:
        path = name.removesuffix(".weight")
        pair = [tensors.get(f"base_model.model.{path}.lora_{side}.weight") for side in "AB"]
        if path.split(".")[-1] in modules and pair[0] is not None:
            a, b = (matrix.astype(np.float64) for matrix in pair)
            weights[name] += config["lora_alpha"] / config["r"] * (b @ a)
    return weights


def normalise(x, weight, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight


def rotate(x, theta):
    half = x.shape[-1] // 2
    angles = np.arange(x.shape[0])[:, None] / theta ** (np.arange(half) / half)
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def log_softmax(x):
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def target_logprobs(weights, config, tokens, targets):
    epsilon, size, theta = config["rms_norm_eps"], config["head_dim"], config["rope_theta"]
    groups = config["num_attention_heads"] // config["num_key_value_heads"]
    hidden = weights["model.embed_tokens.weight"][tokens]
    causal = np.triu(np.full((len(tokens), len(tokens)), -np.inf), 1)
    for index in range(config["num_hidden_layers"]):
        w = lambda name: weights[f"model.layers.{index}.{name}.weight"]  # noqa: E731
        x = normalise(hidden, w("input_layernorm"), epsilon)
        q, k, v = ((x @ w(f"self_attn.{name}_proj").T).reshape(len(tokens), -1, size) for name in "qkv")
        q, k = rotate(normalise(q, w("self_attn.q_norm"), epsilon), theta), rotate(normalise(k, w("self_attn.k_norm"), epsilon), theta)
        k, v = np.repeat(k, groups, 1), np.repeat(v, groups, 1)
        scores = np.exp(log_softmax(np.einsum("qhd,khd->hqk", q, k) / np.sqrt(size) + causal))
        hidden = hidden + np.einsum("hqk,khd->qhd", scores, v).reshape(len(tokens), -1) @ w("self_attn.o_proj").T
        x = normalise(hidden, w("post_attention_layernorm"), epsilon)
        gate = x @ w("mlp.gate_proj").T
        hidden = hidden + (gate / (1 + np.exp(-gate)) * (x @ w("mlp.up_proj").T)) @ w("mlp.down_proj").T
    head = weights.get("lm_head.weight", weights["model.embed_tokens.weight"])
    logprobs = log_softmax(normalise(hidden, weights["model.norm.weight"], epsilon) @ head.T)
    return logprobs[np.arange(len(tokens)), targets]


def main(model, adapter, probe):
    config = json.loads((model / "config.json").read_text())
    weights = load_weights(model, adapter)
    sequences = json.loads(probe.read_text())
    differences = [
        np.abs(target_logprobs(weights, config, each["tokens"], each["targets"]) - each["logprobs"]).max() for each in sequences
    ]
    print(json.dumps({"tokens": sum(len(each["tokens"]) for each in sequences), "largest": float(np.max(differences))}))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
