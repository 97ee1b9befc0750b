"""Turns a Llama in a GGUF file into a Hugging Face folder, with numpy alone: weights become float32, the tokenizer comes along."""

import json
import sys
from pathlib import Path

import numpy as np
from gguf import GGUFReader, TokenType
from gguf.quants import dequantize
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from model_folder import count_parameters, write_json, write_model

ATTENTION = {"attn_q": "q_proj", "attn_k": "k_proj", "attn_v": "v_proj", "attn_output": "o_proj"}
FEED_FORWARD = {"ffn_gate": "gate_proj", "ffn_up": "up_proj", "ffn_down": "down_proj"}
NORMS = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}


class Fields:
    """The key-value part of the file; a missing key is named, not guessed."""

    def __init__(self, reader):
        self._fields = reader.fields

    def __getitem__(self, key):
        if key not in self._fields:
            sys.exit(f"the GGUF file has no field {key}")
        return self._fields[key].contents()


def rename(name):
    if name == "token_embd.weight":
        return "model.embed_tokens.weight"
    if name == "output_norm.weight":
        return "model.norm.weight"
    if name == "output.weight":
        return "lm_head.weight"
    _, layer, part, _ = name.split(".")
    for room, parts in (("self_attn.", ATTENTION), ("mlp.", FEED_FORWARD), ("", NORMS)):
        if part in parts:
            return f"model.layers.{layer}.{room}{parts[part]}.weight"
    sys.exit(f"the GGUF file has a tensor that is not of a Llama: {name}")


def undo_rotary_pairs(weight, heads):
    """GGUF keeps the two halves of each rotary pair side by side; Hugging Face keeps all first halves, then all second ones."""
    rows, columns = weight.shape
    pairs = weight.reshape(heads, rows // heads // 2, 2, columns)
    return pairs.transpose(0, 2, 1, 3).reshape(rows, columns)


def read_tensors(reader, heads, key_heads):
    tensors = {}
    for tensor in reader.tensors:
        weight = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if tensor.name.endswith("attn_q.weight"):
            weight = undo_rotary_pairs(weight, heads)
        elif tensor.name.endswith("attn_k.weight"):
            weight = undo_rotary_pairs(weight, key_heads)
        tensors[rename(tensor.name)] = np.ascontiguousarray(weight)
    return tensors


def write_tokenizer(directory, fields):
    texts = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={text: index for index, text in enumerate(texts)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = fields["tokenizer.ggml.token_type"]
    controls = [text for text, kind in zip(texts, kinds, strict=True) if kind == TokenType.CONTROL]
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in controls])
    tokenizer.save(str(directory / "tokenizer.json"))
    names = {"bos": "bos_token_id", "eos": "eos_token_id", "unk": "unknown_token_id", "pad": "padding_token_id"}
    specials = {f"{name}_token": texts[fields[f"tokenizer.ggml.{key}"]] for name, key in names.items()}
    write_json(
        directory / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            **specials,
            "model_max_length": fields["llama.context_length"],
            "clean_up_tokenization_spaces": False,
            "chat_template": fields["tokenizer.chat_template"],
        },
    )
    return {"eos": fields["tokenizer.ggml.eos_token_id"], "pad": fields["tokenizer.ggml.padding_token_id"]}


def make_config(fields, tensors):
    heads = fields["llama.attention.head_count"]
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": len(fields["tokenizer.ggml.tokens"]),
        "hidden_size": fields["llama.embedding_length"],
        "intermediate_size": fields["llama.feed_forward_length"],
        "num_hidden_layers": fields["llama.block_count"],
        "num_attention_heads": heads,
        "num_key_value_heads": fields["llama.attention.head_count_kv"],
        "head_dim": fields["llama.embedding_length"] // heads,
        "hidden_act": "silu",
        "max_position_embeddings": fields["llama.context_length"],
        "rms_norm_eps": round(float(fields["llama.attention.layer_norm_rms_epsilon"]), 9),
        "rope_theta": fields["llama.rope.freq_base"],
        "attention_bias": False,
        "mlp_bias": False,
        "attention_dropout": 0.0,
        "bos_token_id": fields["tokenizer.ggml.bos_token_id"],
        "tie_word_embeddings": "lm_head.weight" not in tensors,
    }


def main(source, target):
    directory = Path(target)
    directory.mkdir(parents=True, exist_ok=True)
    reader = GGUFReader(source)
    fields = Fields(reader)
    if fields["general.architecture"] != "llama":
        sys.exit(f"the GGUF file holds a {fields['general.architecture']}, and only a llama can be converted")
    tensors = read_tensors(reader, fields["llama.attention.head_count"], fields["llama.attention.head_count_kv"])
    stop_ids = write_tokenizer(directory, fields)
    write_model(directory, config=make_config(fields, tensors), tensors=tensors, stop_ids=stop_ids)
    print(json.dumps({"vocabulary": len(fields["tokenizer.ggml.tokens"]), "parameters": count_parameters(tensors)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
