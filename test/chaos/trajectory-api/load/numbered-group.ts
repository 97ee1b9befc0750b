import { decodeGroup, encodeGroup } from '@lachesis/protocol/codec';

/** Small on purpose: the kills are to meet many commits, not a busy disk. */
export const SEQUENCES = 4;
const TOKENS = 8;
const MASKED = -100;
const VOCABULARY = 50_000;

/**
 * A group whose every token follows from its number. Who gets it back can name it without trusting any id of the server,
 * and sees whether a single token is wrong.
 */
export function packNumberedGroup(number: number): Uint8Array {
  const rows = makeRows(number);
  const rowLengths = new Uint32Array(SEQUENCES).fill(TOKENS);
  const tokens = Uint32Array.from(rows.flat());
  const masks = Int32Array.from(rows.flatMap((row) => maskRow(row)));
  return encodeGroup({
    header: { environment: 'chaos' },
    tokens: { values: tokens, rowLengths },
    masks: { values: masks, rowLengths },
    scores: Float32Array.from(rows, (_, index) => index % 2),
  });
}

/** The same group as an environment of the Atropos wire sends it. */
export function writeNumberedGroup(number: number, envId: number): Buffer {
  const rows = makeRows(number);
  return Buffer.from(
    JSON.stringify({
      tokens: rows,
      masks: rows.map((row) => maskRow(row)),
      scores: rows.map((_, index) => index % 2),
      env_id: envId,
      group_overrides: { number },
    }),
  );
}

/** The number of a packed group; throws when its tokens are not those of that number. */
export function readPackedNumber(bytes: Uint8Array): number {
  const { values } = decodeGroup(bytes).tokens;
  return checkTokens([...values]);
}

/** The number of one group of a `/batch` reply. */
export function readWrittenNumber(group: unknown): number {
  const { tokens, group_overrides: overrides } = group as { tokens: number[][]; group_overrides: { number: number } };
  const number = checkTokens(tokens.flat());
  if (overrides.number !== number)
    throw new Error(`group ${number} came back with the overrides of ${overrides.number}`);
  return number;
}

function checkTokens(tokens: readonly number[]): number {
  const number = (tokens[0] ?? Number.NaN) * VOCABULARY + (tokens[1] ?? Number.NaN);
  const expected = makeRows(number).flat();
  if (tokens.length !== expected.length || tokens.some((token, index) => token !== expected[index])) {
    throw new Error(`a group that begins like number ${number} has other tokens than that one`);
  }
  return number;
}

function makeRows(number: number): number[][] {
  const first = Math.floor(number / VOCABULARY);
  return Array.from({ length: SEQUENCES }, (_, row) =>
    Array.from({ length: TOKENS }, (_, column) => {
      const place = row * TOKENS + column;
      if (place === 0) return first;
      return place === 1 ? number % VOCABULARY : (number * 7919 + place * 104_729) % VOCABULARY;
    }),
  );
}

function maskRow(row: readonly number[]): number[] {
  return row.map((token, index) => (index < 2 ? MASKED : token));
}
