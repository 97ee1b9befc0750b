"""A trainer and an inference server in one process, in the manner of tinker-atropos, over the official Python client.

    python tinker_trainer.py train '{"engine": …, "api": …, "port": …, "tokenizer": …, …}'
    python tinker_trainer.py serve '{"engine": …, "port": …, "tokenizer": …}'

`train` registers with a trajectory API, and for each batch: advantages, datums, forward_backward, optim_step, weights for
the sampler, and a new sampling client for the inference server, which runs in a thread. Each step is a JSON line.
Where tinker-atropos writes each batch to a file, this does not; and it waits 50 ms for groups where that waits a second.
"""

import asyncio
import json
import os
import sys
import threading
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TINKER_TELEMETRY", "0")

import numpy  # noqa: E402
import requests  # noqa: E402
import tinker  # noqa: E402
import uvicorn  # noqa: E402
from fastapi import FastAPI  # noqa: E402
from pydantic import BaseModel  # noqa: E402
from tinker import types  # noqa: E402
from transformers import AutoTokenizer  # noqa: E402

MASKED_LOGPROB = 1.0


class Policy:
    """The newest weights. A request holds them until it is answered; they are changed when nobody does."""

    def __init__(self, tokenizer, probes=False):
        self.tokenizer = tokenizer
        self.probes = probes
        self.sampler = None
        self.under_way = 0
        self.is_changing = False

    async def sample(self, tokens, count, max_tokens, temperature, stop):
        while self.is_changing:
            await asyncio.sleep(0.005)
        self.under_way += 1
        try:
            parameters = types.SamplingParams(max_tokens=max_tokens, temperature=temperature, stop=stop)
            prompt = types.ModelInput.from_ints(tokens)
            reply = await self.sampler.sample_async(prompt=prompt, num_samples=count, sampling_params=parameters)
            return reply.sequences
        finally:
            self.under_way -= 1

    def change(self, make_sampler):
        self.is_changing = True
        while self.under_way > 0:
            time.sleep(0.005)
        self.sampler = make_sampler()
        if self.probes:
            # SkyRL loads a sampler over the weights that are trained, with the first sample: before the next step, or that is lost.
            eos = self.tokenizer.eos_token_id
            prompt, parameters = types.ModelInput.from_ints([eos]), types.SamplingParams(max_tokens=1, stop=[eos])
            self.sampler.sample(prompt=prompt, num_samples=1, sampling_params=parameters).result(timeout=300)
        self.is_changing = False


class Completion(BaseModel):
    model: str = "policy"
    prompt: str | list[str] = ""
    max_tokens: int = 100
    temperature: float = 1.0
    stop: list[str] | str | None = None
    n: int = 1


class ChatCompletion(Completion):
    messages: list[dict] = []


class Generation(BaseModel):
    input_ids: list[int] | None = None
    text: str | None = None
    sampling_params: dict = {}
    return_logprob: bool = True


def make_app(policy):
    app = FastAPI()
    tokenizer = policy.tokenizer
    stop_tokens = [tokenizer.eos_token_id]

    def decode(sequence):
        return tokenizer.decode(sequence.tokens, skip_special_tokens=True)

    def describe(request, kind, tokens, sequences, choices):
        completion_tokens = sum(len(sequence.tokens) for sequence in sequences)
        return {
            "id": f"{kind}-{time.time_ns()}",
            "object": kind,
            "created": int(time.time()),
            "model": request.model,
            "choices": choices,
            "usage": {
                "prompt_tokens": len(tokens),
                "completion_tokens": completion_tokens,
                "total_tokens": len(tokens) + completion_tokens,
            },
        }

    @app.get("/health")
    async def health():
        return {"status": "ok" if policy.sampler is not None else "starting"}

    @app.get("/wandb_info")
    async def wandb_info():
        return {"group": None, "project": None}

    @app.post("/v1/chat/completions")
    async def chat_completions(request: ChatCompletion):
        text = tokenizer.apply_chat_template(request.messages, tokenize=False, add_generation_prompt=True)
        tokens = tokenizer.encode(text, add_special_tokens=False)
        stop = request.stop or stop_tokens
        sequences = await policy.sample(tokens, request.n, request.max_tokens, request.temperature, stop)
        choices = [
            {"index": index, "message": {"role": "assistant", "content": decode(sequence)}, "finish_reason": "stop"}
            for index, sequence in enumerate(sequences)
        ]
        return describe(request, "chat.completion", tokens, sequences, choices)

    @app.post("/v1/completions")
    async def completions(request: Completion):
        prompts = [request.prompt] if isinstance(request.prompt, str) else request.prompt
        tokens = tokenizer.encode(prompts[0], add_special_tokens=False)
        stop = request.stop or stop_tokens
        sequences = await policy.sample(tokens, request.n, request.max_tokens, request.temperature, stop)
        choices = [
            {"index": index, "text": decode(sequence), "finish_reason": "stop"}
            for index, sequence in enumerate(sequences)
        ]
        return describe(request, "text_completion", tokens, sequences, choices)

    @app.post("/generate")
    async def generate(request: Generation):
        given = request.sampling_params
        tokens = request.input_ids or tokenizer.encode(request.text or "", add_special_tokens=False)
        sequences = await policy.sample(
            tokens,
            given.get("n", 1),
            given.get("max_new_tokens", 256),
            given.get("temperature", 1.0),
            given.get("stop") or stop_tokens,
        )
        replies = [
            {
                "text": decode(sequence),
                "meta_info": {
                    "prompt_tokens": len(tokens),
                    "completion_tokens": len(sequence.tokens),
                    "finish_reason": "stop",
                    "output_token_logprobs": [
                        [logprob, token, None] for logprob, token in zip(sequence.logprobs, sequence.tokens)
                    ],
                },
            }
            for sequence in sequences
        ]
        return replies if len(replies) > 1 else replies[0]

    return app


def serve_in_thread(policy, port):
    server = uvicorn.Server(uvicorn.Config(make_app(policy), host="127.0.0.1", port=port, log_level="warning", access_log=False))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)


def make_datum(tokens, logprobs, advantage):
    sampled = numpy.array(logprobs[1:], dtype=numpy.float32)
    # The sentinel on the wire is the mask.
    advantages = numpy.where(sampled == MASKED_LOGPROB, 0.0, advantage).astype(numpy.float32)
    tensor = types.TensorData.from_numpy
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={
            "target_tokens": tensor(numpy.array(tokens[1:], dtype=numpy.int64)),
            "logprobs": tensor(sampled),
            "advantages": tensor(advantages),
        },
    )


def make_datums(batch):
    datums, scores = [], []
    for group in batch:
        rewards = numpy.array(group["scores"], dtype=numpy.float64)
        scores.extend(group["scores"])
        advantages = rewards - rewards.mean()
        if not advantages.any():
            continue
        overrides = group.get("overrides") or [{}] * len(rewards)
        for tokens, logprobs, advantage, override in zip(
            group["tokens"], group["inference_logprobs"], advantages, overrides
        ):
            is_zero = (override or {}).get("set_advantage_to_zero", False)
            datums.append(make_datum(tokens, logprobs, 0.0 if is_zero else advantage))
    return datums, scores


def fetch_batch(session, url):
    while True:
        batch = session.get(f"{url}/batch", timeout=10).json()["batch"]
        if batch is not None:
            return batch
        time.sleep(0.05)


def describe_logprobs(datums, outputs):
    sampled = numpy.concatenate([datum.loss_fn_inputs["logprobs"].to_numpy() for datum in datums])
    trained = numpy.concatenate([output["logprobs"].to_numpy() for output in outputs])
    kept = sampled != MASKED_LOGPROB
    before, after = sampled[kept], trained[kept]
    return {
        "logprobs/mean": float(before.mean()),
        "logprobs/mean_training": float(after.mean()),
        "logprobs/diff": float((before - after).mean()),
    }


def train(options):
    service = tinker.ServiceClient(base_url=options["engine"], api_key="tml-bench")
    state = options.get("initialState")
    if state is None:
        training = service.create_lora_training_client(base_model=options["model"], rank=options["rank"])
    else:
        training = service.create_training_client_from_state(state)
    policy = Policy(AutoTokenizer.from_pretrained(options["tokenizer"]), probes=options.get("probes", False))
    policy.change(training.save_weights_and_get_sampling_client)
    serve_in_thread(policy, options["port"])
    session = requests.Session()
    registration = {
        "wandb_group": "bench",
        "wandb_project": "bench",
        "batch_size": options["batchSize"],
        "max_token_len": options["maxTokens"],
        "checkpoint_dir": "",
        "save_checkpoint_interval": 0,
        "starting_step": 0,
        "num_steps": options["steps"],
    }
    session.post(f"{options['api']}/register", json=registration, timeout=10).raise_for_status()
    print(json.dumps({"ready": True}), flush=True)
    adam = types.AdamParams(learning_rate=options["learningRate"], beta1=0.9, beta2=0.95, eps=1e-8)
    for step in range(1, options["steps"] + 1):
        datums, scores = make_datums(fetch_batch(session, options["api"]))
        metrics = {"step": step, "reward/mean": float(numpy.mean(scores))}
        if datums:
            backward = training.forward_backward(datums, "importance_sampling")
            optimizer = training.optim_step(adam)
            outputs = backward.result(timeout=300)
            optimizer.result(timeout=300)
            policy.change(training.save_weights_and_get_sampling_client)
            metrics["train/loss"] = outputs.metrics.get("loss:sum", 0.0) / len(datums)
            metrics.update(describe_logprobs(datums, outputs.loss_fn_outputs))
        print(json.dumps(metrics), flush=True)


def serve(options):
    service = tinker.ServiceClient(base_url=options["engine"], api_key="tml-bench")
    policy = Policy(AutoTokenizer.from_pretrained(options["tokenizer"]))
    policy.change(lambda: service.create_sampling_client(base_model=options["model"]))
    uvicorn.run(make_app(policy), host="127.0.0.1", port=options["port"], log_level="warning", access_log=False)


if __name__ == "__main__":
    {"train": train, "serve": serve}[sys.argv[1]](json.loads(sys.argv[2]))
    # Threads of the client and of the server have nothing left to do.
    sys.stdout.flush()
    os._exit(0)
