/** An agent with one tool, over the official client. One line records everything it does; the rest is the agent. */
import { inTrajectory, recordOpenAI } from '@lachesis/sdk/capture';
import OpenAI from 'openai';

// Reads OPENAI_BASE_URL and OPENAI_API_KEY, as it would without us.
const client = recordOpenAI(new OpenAI(), { tags: ['example'] });
const model = process.env['MODEL'] ?? 'gpt-5-mini';

const tools: OpenAI.Chat.Completions.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'add',
      description: 'Adds two numbers.',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
    },
  },
];

async function answer(question: string): Promise<string> {
  const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
  for (let turn = 0; turn < 8; turn += 1) {
    const { choices } = await client.chat.completions.create({ model, messages, tools });
    const { message } = choices[0]!;
    messages.push(message);
    if (message.tool_calls === undefined || message.tool_calls.length === 0) return message.content ?? '';
    for (const call of message.tool_calls) {
      if (call.type !== 'function') continue;
      const { a, b } = JSON.parse(call.function.arguments) as { a: number; b: number };
      messages.push({ role: 'tool', tool_call_id: call.id, content: String(a + b) });
    }
  }
  throw new Error('the model went on calling tools');
}

// The name is yours, a ticket or a chat for example; without one, calls that continue a conversation are joined to it.
const reply = await inTrajectory('sum-of-20-and-22', () => answer('What is 20 + 22? Use the tool.'));
console.log(`answered: ${reply}`);
console.log('recorded: `lachesis trajectories list` shows it, `lachesis rate` rates it');
