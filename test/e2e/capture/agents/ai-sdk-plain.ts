import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { runAgent } from './ai-sdk-agent.ts';

const provider = createOpenAICompatible({ name: 'any', baseURL: process.env['OPENAI_BASE_URL'] ?? '' });
const model = provider('policy');
await runAgent(model);
