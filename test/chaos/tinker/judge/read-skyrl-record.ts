import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import { keyOfLearningRate, keyOfName, keyOfTokens, readRateMark } from '../load/operation-key.ts';
import type { Execution } from './execution.ts';

/** What the engine had taken when the load ended, it has done by then. */
const SETTLE_MS = 30_000;

interface Row {
  readonly request_type: string;
  readonly model_id: string;
  readonly seq_id: number | null;
  readonly request_data: string;
  readonly result_data: string | null;
  readonly status: string;
}

/** Reads the engine's own table of jobs, in the order in which it took them. */
export async function readSkyrlRecord(runDirectory: string): Promise<Execution[]> {
  using database = new DatabaseSync(join(runDirectory, 'tinker.db'), { readOnly: true });
  const select = database.prepare('SELECT * FROM futures ORDER BY request_id');
  const startedAt = performance.now();
  for (;;) {
    const rows = select.all() as unknown as Row[];
    if (!rows.some(({ status }) => status === 'PENDING')) return rows.flatMap(toExecution);
    if (performance.now() - startedAt > SETTLE_MS) throw new Error('the engine does not come to an end of its jobs');
    await sleep(100);
  }
}

function toExecution(row: Row): Execution[] {
  if (row.status !== 'COMPLETED') return [];
  const key = readKey(row.request_type, JSON.parse(row.request_data) as Fields);
  if (key === undefined) return [];
  const modelId = row.request_type === 'SAMPLE' ? undefined : row.model_id;
  const result = readResult(row.request_type, JSON.parse(row.result_data ?? '{}') as Fields);
  return [{ key, modelId, seqId: row.seq_id ?? undefined, result }];
}

interface Fields {
  readonly data?: readonly { model_input: Input }[];
  readonly adam_params?: { learning_rate: number };
  readonly path?: string;
  readonly checkpoint_id?: string;
  readonly prompt?: Input;
  readonly loss_fn_outputs?: readonly { logprobs: { data: number[] } }[];
  readonly metrics?: Record<string, number>;
  readonly sequences?: readonly { tokens: number[] }[];
}

interface Input {
  readonly chunks: readonly { tokens: number[] }[];
}

/** Undefined for jobs that are no operation of the load. */
function readKey(type: string, fields: Fields): string | undefined {
  switch (type) {
    case 'FORWARD':
    case 'FORWARD_BACKWARD':
      return keyOfTokens(type.toLowerCase(), fields.data?.[0]?.model_input.chunks[0]?.tokens);
    case 'OPTIM_STEP':
      return keyOfLearningRate(fields.adam_params?.learning_rate ?? 0);
    case 'SAVE_WEIGHTS':
      return keyOfName('save_weights', fields.path);
    case 'LOAD_WEIGHTS':
      return keyOfName('load_weights', fields.checkpoint_id);
    case 'SAMPLE':
      return keyOfTokens('asample', fields.prompt?.chunks[0]?.tokens);
    default:
      return undefined;
  }
}

function readResult(type: string, fields: Fields): number[] | undefined {
  switch (type) {
    case 'FORWARD':
    case 'FORWARD_BACKWARD':
      return fields.loss_fn_outputs?.flatMap(({ logprobs }) => logprobs.data);
    case 'OPTIM_STEP':
      return readRateMark(fields.metrics ?? {});
    case 'SAMPLE':
      return fields.sequences?.flatMap(({ tokens }) => tokens);
    default:
      return undefined;
  }
}
