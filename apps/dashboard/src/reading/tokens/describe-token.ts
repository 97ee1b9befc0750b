import { findVersion } from './colour-tokens.ts';
import type { TokenColumns } from './token-columns.ts';

export interface TokenFact {
  readonly name: string;
  readonly value: string;
  /** What the token says, and not a number about it. */
  readonly isText?: true;
}

const ABSENT = '–';

/** What is known of one token, in the order of the card. Absent facts keep their place, so that nothing jumps. */
export function describeToken(tokens: TokenColumns, index: number): TokenFact[] {
  const sampler = tokens.sampler?.[index] ?? Number.NaN;
  const trainer = tokens.trainer?.[index] ?? Number.NaN;
  const advantage = tokens.advantages?.[index] ?? Number.NaN;
  const sorted = tokens.versions?.toSorted(([one], [other]) => one - other) ?? [];
  const version = findVersion(sorted, index);
  const isTrained = tokens.mask?.[index];
  return [
    { name: 'token', value: tokens.pieces.text(index), isText: true },
    { name: 'place', value: `${(index + 1).toLocaleString('en')} of ${tokens.length.toLocaleString('en')}` },
    { name: 'id', value: String(tokens.ids[index] ?? ABSENT) },
    { name: 'sampler', value: writeNumber(sampler, 4) },
    { name: 'trainer', value: writeNumber(trainer, 4) },
    { name: 'ratio', value: writeNumber(Math.exp(trainer - sampler), 3) },
    { name: 'advantage', value: writeNumber(advantage, 3) },
    { name: 'mask', value: isTrained === undefined ? ABSENT : isTrained === 1 ? 'trained' : 'context' },
    { name: 'version', value: version === undefined ? ABSENT : String(version) },
  ];
}

/** With a minus that is as wide as a digit. */
function writeNumber(value: number, digits: number): string {
  return Number.isNaN(value) ? ABSENT : value.toFixed(digits).replace('-', '−');
}
