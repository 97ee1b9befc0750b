"""Samples through the official Python client, all at once.

    python sample_with_sdk.py '{"url": …, "count": …, "promptTokens": …, "sampledTokens": …}'
"""

import asyncio
import json
import os
import resource
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TINKER_TELEMETRY", "0")

import tinker  # noqa: E402
from tinker import types  # noqa: E402


async def sample_all(sampler, options):
    prompt = types.ModelInput.from_ints([100 + place for place in range(options["promptTokens"])])
    parameters = types.SamplingParams(max_tokens=options["sampledTokens"])
    calls = [
        sampler.sample_async(prompt=prompt, num_samples=1, sampling_params=parameters)
        for _ in range(options["count"])
    ]
    return await asyncio.gather(*calls)


def main(options):
    service = tinker.ServiceClient(base_url=options["url"], api_key="tml-bench")
    sampler = service.create_sampling_client(base_model="recorded/model")
    started, cpu = time.monotonic(), time.process_time()
    replies = asyncio.run(sample_all(sampler, options))
    figures = {
        "completed": sum(len(reply.sequences[0].tokens) == options["sampledTokens"] for reply in replies),
        "wallMs": (time.monotonic() - started) * 1000,
        "cpuMs": (time.process_time() - cpu) * 1000,
        "peakRssBytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    print(f"RESULT {json.dumps(figures)}", flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
