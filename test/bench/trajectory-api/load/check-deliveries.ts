import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { composeBody, findGroupIds } from '../bodies/compose-body.ts';
import type { Template } from '../bodies/load-templates.ts';
import type { KeptBatch } from './recorder.ts';

export interface DeliveryReport {
  readonly delivered: number;
  readonly duplicates: number;
  readonly strangers: number;
  readonly compared: number;
}

/** The fields that carry the load; the rest of a group is small and the conformance suite looks at it. */
const COMPARED_FIELDS = ['tokens', 'masks', 'scores', 'inference_logprobs'] as const;

/** Counts what arrived, and compares the first batch number by number with what was sent; throws when it differs. */
export function checkDeliveries(options: {
  batches: readonly KeptBatch[];
  templates: readonly Template[];
  /** Ids below this were sent. */
  nextId: number;
}): DeliveryReport {
  const seen = new Map<number, number>();
  let compared = 0;
  for (const [index, batch] of options.batches.entries()) {
    const inflated = batch.encoding === 'gzip' ? gunzipSync(batch.body) : batch.body;
    for (const id of findGroupIds(inflated)) seen.set(id, (seen.get(id) ?? 0) + 1);
    if (index === 0) compared = compareBatch(inflated, options.templates);
  }
  return {
    delivered: seen.size,
    duplicates: [...seen.values()].reduce((sum, times) => sum + times - 1, 0),
    strangers: [...seen.keys()].filter((id) => !(id >= 1 && id < options.nextId)).length,
    compared,
  };
}

function compareBatch(inflated: Buffer, templates: readonly Template[]): number {
  const { batch } = JSON.parse(inflated.toString()) as { batch: Record<string, unknown>[] };
  for (const group of batch) {
    const [id] = findGroupIds(Buffer.from(JSON.stringify(group['group_overrides'])));
    if (id === undefined) throw new Error('a delivered group has lost its group_overrides');
    const { wire } = composeBody({ id, envId: 0, templates });
    const sent = JSON.parse(gunzipSync(wire).toString()) as Record<string, unknown>;
    const changed = COMPARED_FIELDS.find((field) => !isDeepStrictEqual(group[field], sent[field]));
    if (changed !== undefined) throw new Error(`group ${id} was delivered with another ${changed} than was sent`);
  }
  return batch.length;
}
