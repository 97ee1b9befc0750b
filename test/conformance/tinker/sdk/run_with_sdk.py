"""Carries a recipe out with the official Python client and prints what came out as one line of JSON.

    python run_with_sdk.py URL MODEL RECIPE.json
"""

import json
import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TINKER_TELEMETRY", "0")

import numpy  # noqa: E402
import tinker  # noqa: E402
from tinker import types  # noqa: E402

DTYPES = {"target_tokens": numpy.int64}
PATIENCE = 300


def make_datum(datum):
    inputs = {
        name: types.TensorData.from_numpy(numpy.array(values, dtype=DTYPES.get(name, numpy.float32)))
        for name, values in datum["inputs"].items()
    }
    return types.Datum(model_input=types.ModelInput.from_ints(datum["tokens"]), loss_fn_inputs=inputs)


def rows(result, name):
    return [numpy.asarray(output[name].data, dtype=numpy.float32).tolist() for output in result.loss_fn_outputs]


def main(url, model, path):
    with open(path, encoding="utf-8") as file:
        recipe = json.load(file)
    service = tinker.ServiceClient(base_url=url, api_key="tml-local")
    training = service.create_lora_training_client(base_model=model, rank=recipe["rank"], seed=recipe["seed"])
    probe = [make_datum(datum) for datum in recipe["probe"]]
    adam = types.AdamParams(learning_rate=recipe["learningRate"])
    blocks = []
    for block in recipe["blocks"]:
        datums = [make_datum(datum) for datum in block["datums"]]
        passes, steps = [], []
        for _ in range(recipe["steps"]):
            passes.append(training.forward_backward(datums, block["loss"], block.get("config")))
            steps.append(training.optim_step(adam))
        blocks.append((block["loss"], passes, steps, training.forward(probe, "cross_entropy")))
    done = []
    for loss, passes, steps, probed in blocks:
        results = [each.result(timeout=PATIENCE) for each in passes]
        for step in steps:
            step.result(timeout=PATIENCE)
        done.append(
            {
                "loss": loss,
                "logprobs": [row for result in results for row in rows(result, "logprobs")],
                "losses": [row for result in results for row in rows(result, "elementwise_loss")],
                "probe": rows(probed.result(timeout=PATIENCE), "logprobs"),
            }
        )
    print(json.dumps({"version": tinker.__version__, "blocks": done}))


if __name__ == "__main__":
    main(*sys.argv[1:])
