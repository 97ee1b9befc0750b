import { describe, expect, it } from 'vitest';
import { INFERENCE_SETTINGS, readInferenceSettings } from './inference-settings.ts';

describe('the settings of the inference server', () => {
  it('listen where clients expect it, and take the engine from the environment', () => {
    const { values, origins } = readInferenceSettings({}, { TINKER_BASE_URL: 'http://127.0.0.1:8101' });
    expect(values).toMatchObject({
      host: '127.0.0.1',
      port: 8001,
      run: 'default',
      engineUrl: 'http://127.0.0.1:8101',
      maxInFlight: 2000,
      requestTimeoutSeconds: 1200,
    });
    expect(origins.engineUrl).toBe('environment');
  });

  it.each([
    ['engineUrl', 'localhost:8101'],
    ['upstreamUrl', 'ftp://x'],
    ['run', '../x'],
    ['maxInFlight', 0],
    ['toolCallParser', 'xml'],
  ])('refuse %s = %j', (name, value) => {
    expect(() => readInferenceSettings({ [name]: value }, {})).toThrow(new RegExp(`^setting ${name} is `));
  });

  it('have a purpose each, and no two share a variable', () => {
    const specs = Object.values<{ describe: string; environmentVariable?: string }>(INFERENCE_SETTINGS);
    expect(specs.every((spec) => spec.describe.length > 10)).toBe(true);
    const variables = specs.map((spec) => spec.environmentVariable).filter((variable) => variable !== undefined);
    expect(new Set(variables).size).toBe(variables.length);
  });
});
