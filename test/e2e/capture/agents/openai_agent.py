"""The same agent with the official Python client. It knows nothing of Lachesis; its base URL is in the environment."""

import json

import openai

client = openai.OpenAI(max_retries=0)
tools = [
    {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Adds two numbers.",
            "parameters": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
        },
    }
]


def answer(calls):
    results = []
    for call in calls:
        given = json.loads(call.function.arguments)
        results.append({"role": "tool", "tool_call_id": call.id, "content": f"sum={given['a'] + given['b']}"})
    return results


messages = [{"role": "system", "content": "You add with a tool."}, {"role": "user", "content": "Add 20 and 22."}]
first = client.chat.completions.create(model="policy", messages=messages, tools=tools).choices[0].message
messages += [first, *answer(first.tool_calls)]
text = ""
for chunk in client.chat.completions.create(model="policy", messages=messages, tools=tools, stream=True):
    if chunk.choices:
        text += chunk.choices[0].delta.content or ""
messages += [{"role": "assistant", "content": text}, {"role": "user", "content": "Add 1 and 2."}]
with client.chat.completions.stream(model="policy", messages=messages, tools=tools) as stream:
    again = stream.get_final_completion().choices[0].message
calls = [{"id": c.id, "type": "function", "function": {"name": c.function.name, "arguments": c.function.arguments}} for c in again.tool_calls]
messages += [{"role": "assistant", "content": again.content, "tool_calls": calls}, *answer(again.tool_calls)]
print(client.chat.completions.create(model="policy", messages=messages, tools=tools).choices[0].message.content)
