import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { recordingMiddleware } from '@lachesis/sdk/capture';
import { wrapLanguageModel } from 'ai';
import { runAgent } from './ai-sdk-agent.ts';

const provider = createOpenAICompatible({ name: 'any', baseURL: process.env['OPENAI_BASE_URL'] ?? '' });
const model = wrapLanguageModel({ model: provider('policy'), middleware: recordingMiddleware() });
await runAgent(model);
