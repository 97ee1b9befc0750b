import { expect, test } from 'vitest';
import { findProviderVariable } from './find-provider-variable.ts';

test.each([
  ['https://api.openai.com/v1', 'OPENAI_API_KEY'],
  ['https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'],
  ['https://API.OpenAI.com:443/v1', 'OPENAI_API_KEY'],
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
