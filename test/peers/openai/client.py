"""Calls an inference server with the official client. Prints one JSON line per fact: {"name": ..., "got": ...}."""

import json
import sys

import openai

base_url = sys.argv[1] + "/v1"
client = openai.OpenAI(base_url=base_url, api_key="any-key", max_retries=0)
hello = [{"role": "user", "content": "hi"}]
tools = [{"type": "function", "function": {"name": "add", "description": "adds", "parameters": {"type": "object"}}}]


def tell(name, got):
    print(json.dumps({"name": name, "got": got}), flush=True)


def refused(call):
    try:
        call()
    except openai.APIStatusError as error:
        return {"class": type(error).__name__, "status": error.status_code, "param": error.param, "type": error.type}
    return None


tell("version", openai.__version__)
tell("models", [model.id for model in client.models.list()])

chat = client.chat.completions.create(
    model="policy", messages=hello, n=2, max_tokens=50, temperature=0.7, top_p=0.9, seed=3, stop=["\x00"],
    logprobs=True, extra_body={"return_token_ids": True}, extra_headers={"x-lachesis-rollout-id": "0192aaaa-0000-7000-8000-000000000000"},
)
tell("chat", {
    "roles": [choice.message.role for choice in chat.choices],
    "contents": [choice.message.content for choice in chat.choices],
    "finish": [choice.finish_reason for choice in chat.choices],
    "tokens": [choice.token_ids for choice in chat.choices],
    "named": [[entry.logprob for entry in choice.logprobs.content] for choice in chat.choices],
    "logprobs": [choice.token_logprobs for choice in chat.choices],
    "prompt": chat.prompt_token_ids,
    "policy": chat.policy_version,
    "rollout": [choice.rollout_id for choice in chat.choices],
    "usage": [chat.usage.prompt_tokens, chat.usage.completion_tokens, chat.usage.total_tokens],
})

text, finish, ids, usage = "", [], [], None
for chunk in client.chat.completions.create(
    model="policy", messages=hello, max_tokens=50, stream=True, stream_options={"include_usage": True},
    extra_body={"return_token_ids": True},
):
    usage = chunk.usage or usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
        ids += getattr(choice, "token_ids", None) or []
        if choice.finish_reason:
            finish.append(choice.finish_reason)
tell("stream", {"text": text, "finish": finish, "tokens": ids, "completion_tokens": usage.completion_tokens})

called = client.chat.completions.create(model="policy", messages=[{"role": "user", "content": "call"}], tools=tools, max_tokens=200)
message = called.choices[0].message
tell("tools", {
    "finish": called.choices[0].finish_reason,
    "calls": [[call.function.name, json.loads(call.function.arguments)] for call in message.tool_calls],
    "has_id": all(bool(call.id) for call in message.tool_calls),
})
with client.chat.completions.stream(model="policy", messages=[{"role": "user", "content": "call"}], tools=tools, max_tokens=200) as stream:
    final = stream.get_final_completion()
tell("tools stream", [[call.function.name, json.loads(call.function.arguments)] for call in final.choices[0].message.tool_calls])

plain = client.completions.create(model="policy", prompt=[5, 6, 7], n=2, max_tokens=50, logprobs=1, extra_body={"return_token_ids": True})
tell("completions", {
    "texts": [choice.text for choice in plain.choices],
    "tokens": [choice.token_ids for choice in plain.choices],
    "named": [choice.logprobs.token_logprobs for choice in plain.choices],
    "prompt": plain.prompt_token_ids,
})
streamed = "".join(chunk.choices[0].text for chunk in client.completions.create(model="policy", prompt="hi", max_tokens=50, stream=True))
tell("completions stream", streamed)

tell("bad parameter", refused(lambda: client.chat.completions.create(model="policy", messages=hello, frequency_penalty=1)))
tell("wrong policy", refused(lambda: client.chat.completions.create(model="policy", messages=hello, extra_headers={"x-lachesis-policy": "9"})))
tell("no such path", refused(lambda: client.embeddings.create(model="policy", input="x")))
