"""Submits the batch of the workload through the official Python client, from numpy tensors.

    python submit_with_sdk.py '{"url": …, "warmPasses": …, "timedPasses": …}'
"""

import json
import os
import sys
import time
import urllib.request

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TINKER_TELEMETRY", "0")

import numpy  # noqa: E402
import tinker  # noqa: E402
from tinker import types  # noqa: E402

SEQUENCES, TOKENS, VOCABULARY = 128, 8192, 150_000


def ask_server(url, path):
    with urllib.request.urlopen(urllib.request.Request(f"{url}/{path}", data=b"{}")) as reply:
        return json.load(reply)


def make_arrays(sequence):
    place = numpy.arange(TOKENS)
    return {
        "tokens": ((sequence * 31 + place * 7) % VOCABULARY).astype(numpy.int32),
        "target_tokens": ((sequence * 31 + (place + 1) * 7) % VOCABULARY).astype(numpy.int64),
        "logprobs": (-(1 + (sequence + place) % 97) / 32).astype(numpy.float32),
        "advantages": (((sequence + place) % 13 - 6) / 4).astype(numpy.float32),
    }


def make_datum(arrays):
    tensor = types.TensorData.from_numpy
    return types.Datum(
        # The client's own constructor takes a list of integers.
        model_input=types.ModelInput.from_ints(arrays["tokens"].tolist()),
        loss_fn_inputs={name: tensor(arrays[name]) for name in ("target_tokens", "logprobs", "advantages")},
    )


def submit(url, training, batch, mode):
    ask_server(url, mode)
    cpu, started = time.process_time(), time.monotonic_ns()
    datums = [make_datum(arrays) for arrays in batch]
    ready = time.monotonic_ns()
    try:
        training.forward_backward(datums, "importance_sampling").result(timeout=60)
    except tinker.RequestFailedError:
        pass  # The server records and computes nothing, which it tells as a failed job.
    cpu_ms = (time.process_time() - cpu) * 1000
    recorded = ask_server(url, "recording")["passes"]
    return {"startedNs": str(started), "readyNs": str(ready), "cpuMs": cpu_ms, "recorded": recorded}


def main(options):
    url = options["url"]
    service = tinker.ServiceClient(base_url=url, api_key="tml-bench")
    training = service.create_lora_training_client(base_model="recorded/model", rank=8)
    batch = [make_arrays(sequence) for sequence in range(SEQUENCES)]
    passes = [submit(url, training, batch, "forget") for _ in range(options["warmPasses"] + options["timedPasses"])]
    recorded = submit(url, training, batch, "keep")["recorded"]
    print(f"RESULT {json.dumps({'times': passes[options['warmPasses'] :], 'recorded': recorded})}", flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
