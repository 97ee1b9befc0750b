import { recordOpenAI } from '@lachesis/sdk/capture';
import OpenAI from 'openai';
import { runAgent } from './openai-agent.ts';

const client = recordOpenAI(new OpenAI({ maxRetries: 0 }));
await runAgent(client);
