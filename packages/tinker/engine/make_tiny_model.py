"""Makes a Qwen3 of a few hundred thousand random weights that trains within seconds on a CPU.

The same arguments give the same bytes on every machine: weights come from a seed, and the vocabulary is learned from source
files of packages that requirements.lock pins.
"""

import argparse
import importlib.util
import json
import shutil
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from model_folder import count_parameters, write_json, write_model

END_OF_TEXT = "<|endoftext|>"
TURN_START = "<|im_start|>"
TURN_END = "<|im_end|>"
CONTEXT_LENGTH = 4096

# Package and folder in it: files that are mostly English sentences in docstrings, with some code and JSON.
CORPUS = (("fastapi", "."), ("transformers", "generation"))

CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    f"{{{{- '{TURN_START}' + message.role + '\\n' + message.content + '{TURN_END}\\n' }}}}"
    "{%- endfor %}"
    f"{{%- if add_generation_prompt %}}{{{{- '{TURN_START}assistant\\n' }}}}{{%- endif %}}"
)

# Layers write into the residual stream about as strongly as this; the embedding is as weak, so that layers can be heard.
WEIGHT_STD = 0.08
# The engine does not train the head. With a smaller one no LoRA can make the policy certain of a token: the loss stays high.
HEAD_STD = 0.35


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--tokenizer", type=Path, help="folder with tokenizer.json; without it a vocabulary is learned")
    parser.add_argument("--vocabulary", type=int, default=2048)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def find_corpus():
    for package, folder in CORPUS:
        # Found, not imported: importing transformers takes seconds.
        root = Path(importlib.util.find_spec(package).origin).parent / folder
        yield from sorted(str(path) for path in root.rglob("*.py"))


def learn_tokenizer(directory, size):
    tokenizer = Tokenizer(models.BPE())
    # One token per digit, as the models have that are good with numbers: rewards on arithmetic then have a chance.
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[END_OF_TEXT, TURN_START, TURN_END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train(list(find_corpus()), trainer)
    tokenizer.save(str(directory / "tokenizer.json"))
    write_json(
        directory / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": TURN_END,
            "pad_token": END_OF_TEXT,
            "model_max_length": CONTEXT_LENGTH,
            "clean_up_tokenization_spaces": False,
            "chat_template": CHAT_TEMPLATE,
        },
    )
    return tokenizer


def copy_tokenizer(directory, source):
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(source / name, directory / name)
    return Tokenizer.from_file(str(directory / "tokenizer.json"))


def make_config(*, vocabulary, hidden, layers, tied):
    heads = 4
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "vocab_size": vocabulary,
        "hidden_size": hidden,
        "intermediate_size": 2 * hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": heads // 2,
        "head_dim": hidden // heads,
        "hidden_act": "silu",
        "max_position_embeddings": CONTEXT_LENGTH,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "attention_bias": False,
        "attention_dropout": 0.0,
        "initializer_range": 0.02,
        "tie_word_embeddings": tied,
    }


def make_tensors(config, seed):
    random = np.random.default_rng(seed)
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    head = config["head_dim"]
    queries, keys = config["num_attention_heads"] * head, config["num_key_value_heads"] * head

    def draw(rows, columns, std=WEIGHT_STD):
        return (random.standard_normal((rows, columns)) * std).astype(np.float32)

    def ones(size, scale=1.0):
        return np.full(size, scale, np.float32)

    tied = config["tie_word_embeddings"]
    tensors = {
        "model.embed_tokens.weight": draw(config["vocab_size"], hidden),
        # A tied head is as weak as the embedding; the last norm makes up for it.
        "model.norm.weight": ones(hidden, HEAD_STD / WEIGHT_STD if tied else 1.0),
    }
    if not tied:
        tensors["lm_head.weight"] = draw(config["vocab_size"], hidden, HEAD_STD)
    for layer in range(config["num_hidden_layers"]):
        parts = {
            "input_layernorm": ones(hidden),
            "post_attention_layernorm": ones(hidden),
            "self_attn.q_proj": draw(queries, hidden),
            "self_attn.k_proj": draw(keys, hidden),
            "self_attn.v_proj": draw(keys, hidden),
            "self_attn.o_proj": draw(hidden, queries),
            "self_attn.q_norm": ones(head),
            "self_attn.k_norm": ones(head),
            "mlp.gate_proj": draw(inner, hidden),
            "mlp.up_proj": draw(inner, hidden),
            "mlp.down_proj": draw(hidden, inner),
        }
        tensors |= {f"model.layers.{layer}.{name}.weight": tensor for name, tensor in parts.items()}
    return tensors


def main():
    arguments = read_arguments()
    directory = arguments.directory
    directory.mkdir(parents=True, exist_ok=True)
    if arguments.tokenizer is None:
        tokenizer = learn_tokenizer(directory, arguments.vocabulary)
    else:
        tokenizer = copy_tokenizer(directory, arguments.tokenizer)
    tied = arguments.tokenizer is not None
    # A vocabulary of 150,000 makes an untied head the whole cost of a step.
    vocabulary = -(-tokenizer.get_vocab_size() // 128) * 128
    config = make_config(vocabulary=vocabulary, hidden=arguments.hidden, layers=arguments.layers, tied=tied)
    tensors = make_tensors(config, arguments.seed)
    stop_ids = {"eos": tokenizer.token_to_id(TURN_END), "pad": tokenizer.token_to_id(END_OF_TEXT)}
    write_model(directory, config=config, tensors=tensors, stop_ids=stop_ids)
    print(json.dumps({"vocabulary": vocabulary, "parameters": count_parameters(tensors)}))


if __name__ == "__main__":
    main()
