import type { Call } from '../call.ts';
import { exact } from '../exact-json.ts';
import type { RequirementId } from '../requirements.ts';

/**
 * How far a run has come before the first step. `single` is a started run with batches of one sequence, so that one small
 * group is a whole batch; the others have batches of eight.
 */
export type Stage = 'unregistered' | 'registered' | 'started' | 'environment' | 'single';

/** What a reply has to be; what is not named is not compared. */
export interface Want {
  readonly status: number;
  /** The whole body, number texts included. */
  readonly json?: unknown;
  readonly text?: string;
  readonly matches?: RegExp;
  /** `loc` of the first entry of a 422. */
  readonly loc?: readonly (string | number)[];
  readonly header?: { readonly name: string; readonly matches: RegExp | undefined };
}

export interface Step {
  readonly call: Call;
  readonly want: Want;
  /** What the original answers, where ours differs on purpose. */
  readonly original?: Want;
}

export interface EdgeCase {
  /** kebab-case, unique. */
  readonly name: string;
  readonly promises: readonly RequirementId[];
  readonly from: Stage;
  readonly steps: readonly Step[];
}

export const REGISTRATION = {
  wandb_group: 'g',
  wandb_project: 'p',
  batch_size: 8,
  max_token_len: 64,
  checkpoint_dir: '/c',
  save_checkpoint_interval: 5,
  starting_step: 7,
  num_steps: 100,
};

export const ENVIRONMENT = { max_token_length: 64, desired_name: 'e', weight: 1, group_size: 4 };

const JSON_HEADERS = { 'content-type': 'application/json' };

export function get(path: string, body?: unknown): Call {
  if (body === undefined) return { method: 'GET', path };
  return { method: 'GET', path, body: JSON.stringify(body), headers: JSON_HEADERS };
}

export function post(path: string, body: unknown): Call {
  return { method: 'POST', path, body: JSON.stringify(body), headers: JSON_HEADERS };
}

/** A body that is sent as it stands. */
export function postRaw(path: string, body: string | Uint8Array, headers: Record<string, string> = JSON_HEADERS): Call {
  return { method: 'POST', path, body, headers };
}

/** A group of `size` sequences with whole-number scores. */
export function group(size: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  const rows = Array.from({ length: size }, (_, index) => index);
  return {
    tokens: rows.map((index) => [index + 1, index + 2, index + 3]),
    masks: rows.map((index) => [-100, index + 2, index + 3]),
    scores: rows,
    ...fields,
  };
}

/** The smallest group: one sequence of two tokens. */
export function one(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { tokens: [[1, 2]], masks: [[-100, 2]], scores: [exact('1.0')], ...fields };
}

/** The batch that holds just the group `one(fields)`, with all 14 keys. */
export function batchOfOne(fields: Record<string, unknown> = {}): unknown {
  return { batch: [withAllKeys(one(fields))] };
}

export function withAllKeys(fields: Record<string, unknown>): Record<string, unknown> {
  const absent = {
    advantages: null,
    ref_logprobs: null,
    messages: null,
    generation_params: null,
    inference_logprobs: null,
    overrides: null,
    group_overrides: null,
    images: null,
    env_id: null,
    distill_token_ids: null,
    distill_logprobs: null,
  };
  return { ...absent, ...fields };
}

export const RECEIVED: Want = { status: 200, json: { status: 'received' } };
export const NO_BATCH: Want = { status: 200, json: { batch: null } };
