import { constants, deflateRawSync } from 'node:zlib';
import { readWireBlock } from '@lachesis/protocol/codec';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectGroup, ingestText, readCanonical } from '../reference.fixture.ts';

interface Shape {
  tokens: number;
  promptShare: number;
  isPromptShared: boolean;
  hasLogprobs: boolean;
  /** Bytes of prose per token of a sequence. */
  prose: number;
}

function writeGroup({ tokens, promptShare, isPromptShared, hasLogprobs, prose }: Shape, seed: number): string {
  let state = seed;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const sample = (length: number): number[] => Array.from({ length }, () => Math.floor(random() ** 3 * 151_000));
  const promptLength = Math.floor(tokens * promptShare);
  const shared = sample(promptLength);
  const rows = Array.from({ length: 16 }, () => [
    ...(isPromptShared ? shared : sample(promptLength)),
    ...sample(tokens - promptLength),
  ]);
  const masks = rows.map((row) => row.map((token, index) => (index < promptLength ? -100 : token)));
  const logprobs = rows.map((row) => row.map((_, index) => (index < promptLength ? 1 : -(random() ** 4) * 8 - 1e-7)));
  const words = Array.from({ length: 2000 }, () => Math.floor(random() * 1e9).toString(36));
  const content = Array.from(
    { length: Math.floor((prose * tokens) / 7) },
    () => words[Math.floor(random() ** 2 * 2000)],
  ).join(' ');
  const messages = [[{ role: 'user', content }]];
  return JSON.stringify({
    messages,
    tokens: rows,
    masks,
    scores: [],
    inference_logprobs: hasLogprobs ? logprobs : null,
  });
}

test('a block is at most a quarter larger than level 1 makes it', () => {
  const shape = fc.record({
    tokens: fc.constantFrom(16, 256, 400, 600, 700, 1024),
    promptShare: fc.constantFrom(0, 0.2, 0.4, 0.5, 0.55, 0.6, 0.75, 0.95),
    isPromptShared: fc.boolean(),
    hasLogprobs: fc.boolean(),
    prose: fc.constantFrom(0, 20, 60, 100),
  });
  fc.assert(
    fc.property(shape, fc.nat(), (group, seed) => {
      const { payload } = expectGroup(ingestText(writeGroup(group, seed)));
      const options = { level: 1, finishFlush: constants.Z_FULL_FLUSH };
      const reference = deflateRawSync(readCanonical(payload), options);
      expect(readWireBlock(payload)!.deflated.length).toBeLessThanOrEqual(reference.length * 1.25);
    }),
    { numRuns: 100 },
  );
});
