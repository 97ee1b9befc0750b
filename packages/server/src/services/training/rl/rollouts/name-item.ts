import type { GroupPayload } from '@lachesis/protocol/codec';
import { hash } from 'node:crypto';
import { readTrainedPositions } from '../datums/trained-positions.ts';

/**
 * The item a group is about. Environments that give no name, as those of Atropos, have one made of the prompt of its first
 * sequence: what comes before the first token that is trained on. The same prompt has the same name at every step.
 */
export function nameItem(payload: GroupPayload): string {
  const { header, tokens } = payload;
  if (header.item !== undefined) return header.item;
  const length = tokens.rowLengths[0] ?? 0;
  const isTrained = readTrainedPositions(payload);
  let end = 0;
  while (end < length && !isTrained(0, end)) end += 1;
  const prompt = Float64Array.from(tokens.values.subarray(0, end));
  return `prompt-${hash('sha256', new Uint8Array(prompt.buffer)).slice(0, 12)}`;
}
