import { MASKED, type CaptureRecord } from '@lachesis/protocol';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { makeTrainedRun } from '../../../packages/server/src/services/runs/rollouts/trained-run.fixture.ts';
import type { Payload } from './list-payloads.ts';

export const RUN = 'k3v9x0ab';
export const STEPS = 2;
const ROLLOUTS = 8;
const LENGTH = 3;

/** Gives the next payload; the first again behind the last. */
export type NextPayload = () => Payload;

/** A home with a run whose environment, items, replies and logs are payloads. */
export async function makeHostileHome(root: string, next: NextPayload): Promise<string> {
  const home = join(root, 'home');
  const logs = join(root, 'logs');
  for (const folder of [home, logs]) await mkdir(folder, { recursive: true });
  for (const role of ['api', 'trainer', 'env']) {
    await writeFile(join(logs, `${role}.log`), Array.from({ length: 15 }, () => `${next().text}\n`).join(''));
  }
  await makeTrainedRun({
    ...{ home, logs, run: RUN, steps: STEPS },
    groupsOf: () => [makeGroup(next), makeGroup(next)],
  });
  return home;
}

function makeGroup(next: NextPayload): EncodableGroup {
  const rowLengths = new Uint32Array(ROLLOUTS).fill(LENGTH);
  const values = Array.from({ length: ROLLOUTS * LENGTH }, (_, index) => (index % LENGTH === 0 ? 7 : 100 + index));
  const talks = Array.from({ length: ROLLOUTS }, () => [
    { role: 'system', content: next().text },
    { role: 'user', content: next().text },
    { role: 'assistant', content: `<think>${next().text}</think>${next().text}` },
  ]);
  return {
    header: { environment: next().text.slice(0, 190), item: next().text.slice(0, 190) },
    tokens: { values: Int32Array.from(values), rowLengths },
    masks: {
      values: Int32Array.from(values, (token, index) => (index % LENGTH === 0 ? MASKED : token)),
      rowLengths,
    },
    scores: Float64Array.from({ length: ROLLOUTS }, (_, row) => row % 2),
    inferenceLogprobs: {
      values: Float32Array.from(values, (_, index) => (index % LENGTH === 0 ? 1 : -0.5)),
      rowLengths,
    },
    json: { messages: Buffer.from(JSON.stringify(talks)) },
  };
}

/** A recorded call of an agent; everything in it that somebody else writes is a payload. */
export function makeHostileRecord(index: number, next: NextPayload): CaptureRecord {
  const at = Date.now() + index;
  const { text: again } = next();
  const call = {
    id: `call-${index}`,
    type: 'function' as const,
    function: { name: `tool_${index}`, arguments: JSON.stringify({ path: again }) },
  };
  return {
    ...{ record_id: randomUUID(), recorder: 'chaos', sequence: 0, trajectory: `hostile-${index}`, at },
    ...{ user: again, tags: [again.slice(0, 60)], consent: 'train', metadata: { note: again } },
    ...{ kind: 'call', state: 'complete', source: 'chaos', model: next().text.slice(0, 150) },
    messages: [
      { role: 'system', content: next().text },
      { role: 'user', content: next().text },
      { role: 'assistant', content: next().text, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: next().text },
    ],
    ...{ tools: null, sampling: {}, is_stream: false, usage: null, cost: null, upstream: null, error: null },
    replies: [
      {
        message: { role: 'assistant', content: next().text, reasoning_content: next().text },
        ...{ finish_reason: 'stop', tokens: null, tokens_missing: 'recorded-as-text' },
      },
    ],
    ...{ started_at: at, first_token_at: null, ended_at: at + 1 },
  };
}
