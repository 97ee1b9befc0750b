import type { ChartData } from '../src/parts/chart-data.ts';
import type { StripCell } from '../src/reading/groups/read-cells.ts';
import type { TokenColumns } from '../src/reading/tokens/token-columns.ts';
import { piecesOfBytes } from '../src/reading/tokens/token-pieces.ts';
import { createRandom, WORDS } from './make-library.ts';

/** Tokens as the server packs them: bytes of the text, and where each begins. Some are a part of a character. */
export function makeTokens(count: number): TokenColumns {
  const random = createRandom(7);
  const encoder = new TextEncoder();
  const words = WORDS.map((word) => encoder.encode(word));
  const offsets = new Uint32Array(count + 1);
  let bytes = new Uint8Array(Math.max(64, count * 6));
  let end = 0;
  for (let index = 0; index < count; index += 1) {
    const word = words[Math.floor(random() * words.length)] ?? new Uint8Array();
    // Now and then two tokens share a character.
    const isCut = word.length > 3 && (word[0] ?? 0) >= 0xe0 && index + 1 < count;
    if (end + word.length > bytes.length) {
      const more = new Uint8Array(bytes.length * 2);
      more.set(bytes);
      bytes = more;
    }
    bytes.set(word, end);
    if (isCut) {
      offsets[index + 1] = end + 1;
      index += 1;
    }
    end += word.length;
    offsets[index + 1] = end;
  }
  const sampler = new Float32Array(count);
  const trainer = new Float32Array(count);
  const mask = new Uint8Array(count);
  const ids = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) {
    ids[index] = Math.floor(random() * 150_000);
    const isTrained = index > count / 20 && Math.floor(index / 400) % 4 !== 0;
    mask[index] = isTrained ? 1 : 0;
    sampler[index] = isTrained ? -Math.min(12, -Math.log(1 - random()) * (random() < 0.1 ? 4 : 0.4)) : Number.NaN;
    trainer[index] = (sampler[index] ?? 0) + (random() - 0.5) * (random() < 0.05 ? 2 : 0.05);
  }
  const advantages = Float32Array.from(mask, (isTrained, index) =>
    isTrained === 1 ? Math.sin(index / 3_000) : Number.NaN,
  );
  const third = Math.floor(count / 3);
  return {
    length: count,
    ids,
    pieces: piecesOfBytes(bytes.subarray(0, end), offsets),
    ...{ sampler, trainer, mask, advantages },
    versions: [
      [0, third, 11],
      [third, third * 2, 12],
      [third * 2, count, 13],
    ],
  };
}

/** A reward that rises and jitters, with the lowest and the highest that each point stands for. */
export function makeCurve(count: number): ChartData {
  const random = createRandom(11);
  const values = Array.from({ length: count }, (_, index) => 1 - Math.exp((-3 * index) / count) + random() / 5);
  return {
    steps: values.map((_, index) => index),
    lines: [
      {
        name: 'reward/mean',
        values,
        low: values.map((value) => value - random() / 5),
        high: values.map((value) => value + random() / 5),
      },
    ],
  };
}

export function makeCells(group: number, rollouts: number): StripCell[] {
  const random = createRandom(group + 1);
  return Array.from({ length: rollouts }, (_, rollout) => {
    const isUnscored = random() < 0.05;
    return {
      ...{ rollout, sequence: rollout, sequences: 1, length: Math.floor(random() * 8_192) },
      score: isUnscored ? null : random(),
      advantage: isUnscored ? null : random() - 0.5,
      outcome: isUnscored ? { shape: '✕', word: 'no score' } : { shape: '●', word: 'trained' },
    };
  });
}
