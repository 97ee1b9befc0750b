/** An agent over the AI SDK. The middleware records every step; the application stays as it was. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { recordingMiddleware } from '@lachesis/sdk/capture';
import { generateText, isStepCount, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';

const provider = createOpenAICompatible({
  name: 'provider',
  baseURL: process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1',
  ...(process.env['OPENAI_API_KEY'] === undefined ? {} : { apiKey: process.env['OPENAI_API_KEY'] }),
});
const model = wrapLanguageModel({
  model: provider(process.env['MODEL'] ?? 'gpt-5-mini'),
  middleware: recordingMiddleware({ trajectory: 'sum-of-20-and-22', tags: ['example'] }),
});

const { text, steps } = await generateText({
  model,
  prompt: 'What is 20 + 22? Use the tool.',
  tools: {
    add: tool({
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => String(a + b),
    }),
  },
  stopWhen: isStepCount(8),
});
console.log(`answered in ${steps.length} steps: ${text}`);
console.log('recorded: `lachesis trajectories list` shows it, `lachesis rate` rates it');
