import type OpenAI from 'openai';

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type ToolCall = OpenAI.Chat.Completions.ChatCompletionMessageFunctionToolCall;

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'add',
      description: 'Adds two numbers.',
      parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    },
  },
];

/** An agent as its users write one: two questions, each answered with the help of a tool; whole and streamed calls. */
export async function runAgent(client: OpenAI): Promise<void> {
  const messages: Message[] = [
    { role: 'system', content: 'You add with a tool.' },
    { role: 'user', content: 'Add 20 and 22.' },
  ];
  const first = await client.chat.completions.create({ model: 'policy', messages, tools });
  const asked = first.choices[0]!.message;
  messages.push(asked, ...answerCalls(asked.tool_calls as ToolCall[]));
  let text = '';
  for await (const chunk of await client.chat.completions.create({ model: 'policy', messages, tools, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? '';
  }
  messages.push({ role: 'assistant', content: text }, { role: 'user', content: 'Add 1 and 2.' });

  const stream = client.chat.completions.stream({ model: 'policy', messages, tools });
  const again = (await stream.finalChatCompletion()).choices[0]!.message;
  messages.push(
    { role: 'assistant', content: again.content, tool_calls: again.tool_calls! },
    ...answerCalls(again.tool_calls as ToolCall[]),
  );
  const last = await client.chat.completions.create({ model: 'policy', messages, tools });
  process.stdout.write(`${last.choices[0]!.message.content ?? ''}\n`);
}

function answerCalls(calls: readonly ToolCall[]): Message[] {
  return calls.map((call) => {
    const { a, b } = JSON.parse(call.function.arguments) as { a: number; b: number };
    return { role: 'tool', tool_call_id: call.id, content: `sum=${a + b}` };
  });
}
