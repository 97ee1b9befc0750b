import fc from 'fast-check';
import { expect, test } from 'vitest';

import { checkpointId, formatTinkerPath, parseTinkerPath, WEIGHTS_KINDS } from './tinker-path.ts';
import { WeightsError } from './weights-error.ts';

test('both forms are read, and ids of every server with them', () => {
  expect(parseTinkerPath('tinker://model_ab12cd34/step-10')).toEqual({
    run: 'model_ab12cd34',
    kind: undefined,
    name: 'step-10',
  });
  for (const kind of WEIGHTS_KINDS) {
    expect(parseTinkerPath(`tinker://5f0c:train:0/${kind}/final.v2`)).toEqual({
      run: '5f0c:train:0',
      kind,
      name: 'final.v2',
    });
  }
});

test('a path that was read is written the same', () => {
  const id = fc
    .stringMatching(/^[a-z0-9_:-]{1,20}$/)
    .filter((text) => !(WEIGHTS_KINDS as readonly string[]).includes(text));
  fc.assert(
    fc.property(id, fc.option(fc.constantFrom(...WEIGHTS_KINDS), { nil: undefined }), id, (run, kind, name) => {
      const path = { run, kind, name };
      expect(parseTinkerPath(formatTinkerPath(path))).toEqual(path);
    }),
  );
});

test('a checkpoint named without a kind is one for sampling', () => {
  expect(checkpointId(parseTinkerPath('tinker://r/n'))).toBe('sampler_weights/n');
  expect(checkpointId(parseTinkerPath('tinker://r/weights/n'))).toBe('weights/n');
});

test.each([
  '',
  'http://r/n',
  'tinker://',
  'tinker://r',
  'tinker://r/',
  'tinker://r/weights',
  'tinker://r/other/n',
  'tinker://r/weights/a/b',
  'tinker://r/weights/..',
  'tinker://../weights/n',
  'tinker://r/weights/%2e%2e',
  'tinker://r/weights/a b',
  'tinker://r/weights/a?x',
  'tinker://r/weights/a#x',
  'tinker://r\\x/n',
  'tinker://r/n\n',
  `tinker://r/${'n'.repeat(2000)}`,
])('%j is refused', (text) => {
  try {
    parseTinkerPath(text);
    expect.unreachable();
  } catch (error) {
    expect(WeightsError.isInstance(error) && [error.reason, error.retryable]).toEqual(['bad-path', false]);
  }
});
