import { SCORED_DATA_FIELDS } from '@lachesis/protocol/codec';
import type { ScannedGroup } from '../scan/scan-group.ts';
import type { ScanScratch } from '../scan/scan-scratch.ts';

/** What a repeated number takes with its comma, about: `-100,`, `1.0,` or a token id. */
const REPEATED_NUMBER_BYTES = 5;

/** How much of prose and of other JSON matches take away that codes alone do not. */
const REPEATED_TEXT_SHARE = 0.5;

/**
 * Above this share of repeated bytes, looking for matches pays. Over 1,120 made-up groups (prompts of 0 to 90 %, shared or
 * not, with and without logprobs and prose) it keeps blocks within a quarter of what level 1 makes of them.
 */
const MAX_REPEATED_SHARE = 0.2;

/**
 * Masks repeat the tokens, one field's length behind them. Deflate looks back 32 KiB; runs of -100 are shorter than the
 * tokens they stand for and bring later rows closer, hence the margin.
 */
const MASKS_IN_REACH_BYTES = 48 * 1024;

/**
 * Whether deflate should look for repeated strings in a group's text, which doubles its CPU. Sampled tokens and logprobs
 * have none. What repeats in a group repeats at the start of its rows: the prompt that the sequences share, and the runs of
 * -100 and 1.0 that stand for it in masks and logprobs. So only row starts are looked at.
 */
export function chooseMatching(scratch: ScanScratch, fields: ScannedGroup, canonicalBytes: number): boolean {
  const tokens = fields[0];
  if (tokens && tokens.end - tokens.start < MASKS_IN_REACH_BYTES) return true;
  let numberBytes = 0;
  let repeated = 0;
  SCORED_DATA_FIELDS.forEach(({ kind, depth }, number) => {
    const field = fields[number];
    if (!field || kind === 'json') return;
    numberBytes += field.end - field.start;
    const { values } = kind === 'int' ? scratch.ints[number]! : scratch.floats[number]!;
    // Where lists nest deeper, a row's numbers are not one stretch of the lengths at hand; candidates rarely repeat.
    if (depth !== 2) return;
    const lengths = scratch.lengths[2 * number]!;
    let start = 0;
    let previousStart = 0;
    for (let row = 0; row < lengths.count; row++) {
      const end = start + lengths.values[row]!;
      repeated += Math.max(countShared(values, previousStart, start, end), countRun(values, start, end));
      previousStart = start;
      start = end;
    }
  });
  const repeatedBytes = repeated * REPEATED_NUMBER_BYTES + (canonicalBytes - numberBytes) * REPEATED_TEXT_SHARE;
  return repeatedBytes > MAX_REPEATED_SHARE * canonicalBytes;
}

type Values = Int32Array | Float64Array;

/** How many numbers a row shares with the start of the row before it. */
function countShared(values: Values, previousStart: number, start: number, end: number): number {
  const length = Math.min(start - previousStart, end - start);
  let count = 0;
  while (count < length && values[previousStart + count] === values[start + count]) count++;
  return count;
}

/** How often a row's first number comes again right behind it. */
function countRun(values: Values, start: number, end: number): number {
  let position = start + 1;
  while (position < end && values[position] === values[start]) position++;
  return Math.max(0, position - start - 1);
}
