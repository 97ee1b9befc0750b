import { generateText, jsonSchema, stepCountIs, streamText, tool, type LanguageModel, type ModelMessage } from 'ai';

const tools = {
  add: tool({
    description: 'Adds two numbers.',
    inputSchema: jsonSchema<{ a: number; b: number }>({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
    }),
    execute: ({ a, b }) => Promise.resolve(`sum=${a + b}`),
  }),
};

/** The same agent in the AI SDK: its loop makes the calls, whole for the first question and streamed for the second. */
export async function runAgent(model: LanguageModel): Promise<void> {
  const system = 'You add with a tool.';
  const stopWhen = stepCountIs(4);
  const messages: ModelMessage[] = [{ role: 'user', content: 'Add 20 and 22.' }];
  const first = await generateText({ model, system, messages, tools, stopWhen, maxRetries: 0 });
  messages.push(...first.responseMessages, { role: 'user', content: 'Add 1 and 2.' });
  const second = streamText({ model, system, messages, tools, stopWhen, maxRetries: 0 });
  let text = '';
  for await (const piece of second.textStream) text += piece;
  process.stdout.write(`${text}\n`);
}
