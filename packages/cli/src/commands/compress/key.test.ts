import { expect, it } from 'vitest';
import { findSummarizerKey } from './key.ts';

const env = { OPENROUTER_API_KEY: 'router', OPENAI_API_KEY: 'open', MINE: 'mine', EMPTY: '' };
const find = (apiKeyEnv: string, baseUrl: string): string | undefined => findSummarizerKey({ apiKeyEnv, baseUrl }, env);

it('sends a key to the server it was made for', () => {
  expect(find('OPENROUTER_API_KEY', 'https://openrouter.ai/api/v1')).toBe('router');
  expect(find('OPENROUTER_API_KEY', 'http://localhost:11434/v1')).toBe('open');
  expect(find('MINE', 'http://localhost:11434/v1')).toBe('mine');
  expect(find('EMPTY', 'https://openrouter.ai/api/v1')).toBeUndefined();
});
