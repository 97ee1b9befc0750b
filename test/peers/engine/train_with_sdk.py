"""A few supervised steps through the official Python client, as one JSON line: its version, the losses, and a greedy sample.

    python train_with_sdk.py URL MODEL_FOLDER STEPS
"""

import json
import os
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TINKER_TELEMETRY", "0")

import numpy  # noqa: E402
import tinker  # noqa: E402
from tinker import types  # noqa: E402

PAIRS = [
    ("What is the capital of France?", "Paris."),
    ("What is the capital of Italy?", "Rome."),
    ("What is 1+2?", "3."),
    ("What is 2+2?", "4."),
]


def make_datum(tokenizer, question, answer):
    turn = [{"role": "user", "content": question}]
    prompt = tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True)
    start = tokenizer.encode(prompt, add_special_tokens=False)
    reply = tokenizer.encode(answer + tokenizer.eos_token, add_special_tokens=False)
    tokens = start + reply
    weights = [0.0] * (len(start) - 1) + [1.0] * len(reply)
    inputs = {
        "target_tokens": types.TensorData.from_numpy(numpy.array(tokens[1:], dtype=numpy.int64)),
        "weights": types.TensorData.from_numpy(numpy.array(weights, dtype=numpy.float32)),
    }
    return types.Datum(model_input=types.ModelInput.from_ints(tokens[:-1]), loss_fn_inputs=inputs), start, weights


def main(url, model, steps):
    service = tinker.ServiceClient(base_url=url, api_key="tml-local")
    training = service.create_lora_training_client(base_model=model, rank=8, seed=1)
    tokenizer = training.get_tokenizer()
    made = [make_datum(tokenizer, question, answer) for question, answer in PAIRS]
    datums = [datum for datum, _, _ in made]
    weights = numpy.concatenate([weights for _, _, weights in made])
    losses, seconds = [], []
    for _ in range(steps):
        started = time.monotonic()
        backward = training.forward_backward(datums, "cross_entropy")
        optimizer = training.optim_step(types.AdamParams(learning_rate=1e-2))
        outputs = backward.result(timeout=300).loss_fn_outputs
        optimizer.result(timeout=300)
        logprobs = numpy.concatenate([output["logprobs"].data for output in outputs])
        losses.append(round(float(-(logprobs * weights).sum() / weights.sum()), 5))
        seconds.append(round(time.monotonic() - started, 2))
    sampler = training.save_weights_and_get_sampling_client()
    parameters = types.SamplingParams(max_tokens=8, temperature=0.0, stop=[tokenizer.eos_token_id])
    prompt = types.ModelInput.from_ints(made[0][1])
    sequence = sampler.sample(prompt=prompt, num_samples=1, sampling_params=parameters).result(timeout=300).sequences[0]
    report = {"sdk": tinker.__version__, "losses": losses, "seconds": seconds, "sample": tokenizer.decode(sequence.tokens)}
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
