import type { Datum } from '../codec/datum.ts';
import type { TensorData } from '../codec/tensor.ts';
import { LossInputError } from './loss-input-error.ts';

export interface ReadRowOptions {
  /** Name of the loss, for errors. */
  loss: string;
  datum: Datum;
  index: number;
  /** The input to read, such as `weights`. */
  name: string;
}

/** An input of a datum as one number per token, or undefined when the datum does not have it. */
export function readRow({ loss, datum, index, name }: ReadRowOptions): TensorData | undefined {
  const input = datum.inputs[name];
  if (input === undefined || ArrayBuffer.isView(input)) return input;
  if (input.sparse === undefined && input.shape.length === 1) return input.data;
  throw new LossInputError({ loss, datum: index, reason: `has ${name} that are not one number per token` });
}

/** The target tokens. Their number is the length of every per-token array; `tokens` does not count images. */
export function readTargets(options: Omit<ReadRowOptions, 'name'>): TensorData {
  const targets = readRow({ ...options, name: 'target_tokens' });
  if (targets !== undefined) return targets;
  throw new LossInputError({ loss: options.loss, datum: options.index, reason: 'has no target_tokens' });
}
