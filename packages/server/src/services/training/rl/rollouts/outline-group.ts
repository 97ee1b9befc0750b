import type { rolloutSchemas } from '@lachesis/protocol';
import type { GroupPayload } from '@lachesis/protocol/codec';
import type { z } from 'zod';
import { readVersions, type ConvertedGroup, type LeftOutReason } from '../datums/convert-group.ts';
import { readRollouts } from '../datums/read-rollouts.ts';
import { readTrainedPositions } from '../datums/trained-positions.ts';
import { nameItem } from './name-item.ts';

/** A group of a step without its tokens. */
export type GroupOutline = z.infer<(typeof rolloutSchemas)['report']>['groups'][number];

/** What a group says of itself, and why sequences of it are left out, where it was converted for a step. */
export function outlineGroup(payload: GroupPayload, converted?: ConvertedGroup): GroupOutline {
  const lengths = [...payload.tokens.rowLengths];
  const versions = readVersions(payload);
  const nothing = lengths.map(() => null);
  return {
    item: nameItem(payload),
    environment: payload.header.environment ?? null,
    rollouts: [...readRollouts(payload).rolloutOf],
    scores: Array.from(payload.scores, finiteOrNull),
    advantages: nothing,
    lengths,
    trained_tokens: [...(converted?.trainedTokens ?? countTrained(payload))],
    oldest_policy: lengths.map((_, sequence) => versions.get(sequence)?.oldest ?? null),
    newest_policy: lengths.map((_, sequence) => versions.get(sequence)?.newest ?? null),
    left_out: converted === undefined ? nothing : readReasons(converted, lengths),
    drift: nothing,
  };
}

export const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

function readReasons({ sequences, leftOut, trainedTokens }: ConvertedGroup, lengths: number[]): (string | null)[] {
  const used = new Set(sequences.map(({ sequence }) => sequence));
  const whole = (['dead', 'no-logprobs', 'uneven-rows'] satisfies LeftOutReason[]).find(
    (reason) => leftOut[reason] !== undefined,
  );
  return lengths.map((_, sequence) => {
    if (used.has(sequence)) return null;
    return whole ?? (trainedTokens?.[sequence] === 0 ? 'not-trained' : 'too-long');
  });
}

function countTrained(payload: GroupPayload): number[] {
  const isTrained = readTrainedPositions(payload);
  return Array.from(payload.tokens.rowLengths, (length, sequence) => {
    let trained = 0;
    for (let position = 1; position < length; position += 1) if (isTrained(sequence, position)) trained += 1;
    return trained;
  });
}
