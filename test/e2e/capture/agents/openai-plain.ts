import OpenAI from 'openai';
import { runAgent } from './openai-agent.ts';

const client = new OpenAI({ maxRetries: 0 });
await runAgent(client);
