"""Rolls out two turns through the managed server of the real atroposlib. Prints one JSON line per fact."""

import asyncio
import json
import sys

from transformers import AutoTokenizer

from atroposlib.envs.server_handling.server_baseline import APIServerConfig
from atroposlib.envs.server_handling.server_manager import ServerManager

url, server_type, tokenizer_name = sys.argv[1:4]


def tell(name, got):
    print(json.dumps({"name": name, "got": got}), flush=True)


def tell_nodes(name, nodes):
    tell(name, [
        {"tokens": node.tokens, "masked": node.masked_tokens, "logprobs": node.logprobs,
         "text": node.full_text, "finish": node.metadata["finish_reason"]}
        for node in nodes
    ])


async def main():
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_name)
    config = APIServerConfig(
        server_type=server_type, base_url=url + "/v1", api_key="any-key", model_name="policy",
        tokenizer_name=tokenizer_name, timeout=60, health_check=True, num_requests_for_eval=4,
    )
    manager = ServerManager([config])
    for _ in range(100):
        await asyncio.sleep(0.1)
        if manager.servers[0].server_healthy:
            break
    tell("healthy", manager.servers[0].server_healthy)

    messages = [{"role": "user", "content": "hi"}]
    async with manager.managed_server(tokenizer=tokenizer) as managed:
        first = await managed.chat_completion(messages=messages, n=1, max_tokens=40, temperature=1.0)
        reply = first.choices[0].message.content
        tell("reply", reply)
        tell_nodes("first", managed.get_state()["nodes"])
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": "and now?"}]
        await managed.chat_completion(messages=messages, n=1, max_tokens=40, temperature=1.0)
        tell_nodes("second", managed.get_state()["nodes"])

    async with manager.managed_server(tokenizer=tokenizer) as managed:
        group = await managed.chat_completion(messages=[{"role": "user", "content": "group"}], n=12, max_tokens=40, stop=["!"])
        tell("group", [[choice.message.content, choice.finish_reason] for choice in group.choices])
        tell_nodes("group nodes", managed.get_state()["nodes"])

    plain = await manager.chat_completion(messages=[{"role": "user", "content": "plain"}], n=2, max_tokens=40, split="eval")
    tell("plain", [choice.message.content for choice in plain.choices])
    text = await manager.completion(prompt="text", n=2, max_tokens=40)
    tell("text", [choice.text for choice in text.choices])
    if server_type == "vllm":
        scored = await manager.get_logprobs(input_ids=[104, 105, 106], top_k=1)
        tell("prompt logprobs", [scored["prompt_topk_token_ids"], len(scored["prompt_topk_logprobs"])])


asyncio.run(main())
