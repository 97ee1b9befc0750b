import { expect, test } from 'vitest';
import { findProviderVariable, findServerKey, isProviderUrl } from './find-provider-variable.ts';

test.each([
  ['https://api.openai.com/v1', 'OPENAI_API_KEY'],
  ['https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'],
  ['https://API.OpenAI.com:443/v1', 'OPENAI_API_KEY'],
  ['https://api.groq.com/openai/v1', 'GROQ_API_KEY'],
  ['https://api.mistral.ai/v1', 'MISTRAL_API_KEY'],
  ['https://api.together.xyz/v1', 'TOGETHER_API_KEY'],
])('the key for %s is in %s', (url, name) => {
  expect(findProviderVariable(url)).toBe(name);
});

test.each([
  'https://evilopenai.com/v1',
  'https://openai.com.evil.example/v1',
  'https://api.openai.com@evil.example/v1',
  'https://evil.api.openai.com/v1',
  'https://notopenrouter.ai/api/v1',
  'http://api.openai.com/v1',
  'http://openrouter.ai/api/v1',
  'https://api.openai.com:8443/v1',
  'http://127.0.0.1:9000/v1',
])("no provider's key goes to %s", (url) => {
  expect(findProviderVariable(url)).toBeUndefined();
});

test('the key of a provider goes there alone, and the general one to hosts that are no provider', () => {
  const env = { OPENAI_API_KEY: 'general', OPENROUTER_API_KEY: 'router' };
  expect(findServerKey('https://openrouter.ai/api/v1', env)).toBe('router');
  expect(findServerKey('http://localhost:8000/v1', env)).toBe('general');
  expect(findServerKey('https://api.groq.com/openai/v1', env)).toBeUndefined();
  expect(findServerKey('http://api.groq.com/openai/v1', env)).toBeUndefined();
  expect(isProviderUrl('https://eu.api.mistral.ai/v1')).toBe(true);
  expect(isProviderUrl('http://localhost:8000/v1')).toBe(false);
});
