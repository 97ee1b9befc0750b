import type { Datum } from '../codec/datum.ts';
import { areFinite, areIdsBelow, areWideIdsBelow } from '../codec/scan-values.ts';
import { toTensor } from '../codec/tensor.ts';
import type { TensorData } from '../codec/tensor.ts';
import { TinkerValidationError } from '../errors/server-errors.ts';
import type { InvalidField } from '../errors/server-errors.ts';
import { requiredInputs } from './losses.ts';

export interface DatumRules {
  loss: string;
  /** Ids at or above it are refused; when it is not known, only what no vocabulary has. */
  vocabularySize?: number | undefined;
  maxLength?: number | undefined;
  /** The losses the server has, when that is known. */
  losses?: readonly string[] | undefined;
  takesMatrices?: boolean | undefined;
  takesImages?: boolean | undefined;
}

/** More issues than a reader wants to see. */
const MAX_ISSUES = 20;

/**
 * Checks a batch before it is sent. Some servers turn a bad id or a missing length into NaN that poisons the model, so
 * this is the last place where it is an error with a name.
 */
export function checkDatums(datums: readonly Datum[], rules: DatumRules): void {
  const issues: InvalidField[] = [];
  if (datums.length === 0) issues.push({ field: 'datums', reason: 'is empty' });
  if (rules.losses !== undefined && !rules.losses.includes(rules.loss)) {
    issues.push({
      field: 'loss',
      reason: `${rules.loss} is not among what this server has: ${rules.losses.join(', ')}`,
    });
  }
  for (const [index, datum] of datums.entries()) {
    if (issues.length >= MAX_ISSUES) break;
    checkDatum(datum, `datums[${index}]`, rules, issues);
  }
  if (issues.length > 0) throw new TinkerValidationError({ operation: 'forward_backward', fields: issues });
}

function checkDatum(datum: Datum, place: string, rules: DatumRules, issues: InvalidField[]): void {
  const { tokens, inputs, chunks } = datum;
  if (rules.takesImages === false && chunks?.some(({ type }) => type !== 'encoded_text') === true)
    issues.push({ field: `${place}.chunks`, reason: 'has an image or audio, which this server does not take' });
  if (chunks === undefined) {
    if (tokens.length === 0) issues.push({ field: `${place}.tokens`, reason: 'is empty' });
    checkTokens(tokens, `${place}.tokens`, rules, issues);
  }
  for (const name of requiredInputs(rules.loss)) {
    if (inputs[name] === undefined)
      issues.push({ field: `${place}.inputs.${name}`, reason: `is missing and ${rules.loss} needs it` });
  }
  for (const [name, input] of Object.entries(inputs)) {
    const tensor = toTensor(input);
    const field = `${place}.inputs.${name}`;
    if (rules.takesMatrices === false && tensor.shape.length > 1)
      issues.push({ field, reason: 'has two dimensions, and this server reads one' });
    if (chunks === undefined && tensor.sparse === undefined && tensor.shape[0] !== tokens.length) {
      issues.push({ field, reason: `has ${tensor.shape[0] ?? 0} rows for ${tokens.length} tokens` });
    }
    if (
      tensor.sparse === undefined &&
      tensor.shape.reduce((product, size) => product * size, 1) !== tensor.data.length
    ) {
      issues.push({ field, reason: `has ${tensor.data.length} values for the shape ${tensor.shape.join('×')}` });
    }
    if (name === 'target_tokens') checkTargets(tensor.data, field, rules, issues);
    else if (tensor.data instanceof Float32Array) checkFinite(tensor.data, field, issues);
  }
}

export function checkTokens(
  tokens: Int32Array,
  field: string,
  { vocabularySize = 2 ** 31, maxLength }: Pick<DatumRules, 'maxLength' | 'vocabularySize'>,
  issues: InvalidField[],
): void {
  if (maxLength !== undefined && tokens.length > maxLength) {
    issues.push({ field, reason: `has ${tokens.length} tokens and the model takes ${maxLength}` });
  }
  if (areIdsBelow(tokens, vocabularySize)) return;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token >= 0 && token < vocabularySize) continue;
    issues.push({ field: `${field}[${index}]`, reason: `is ${token}, outside the vocabulary of ${vocabularySize}` });
    return;
  }
}

function checkTargets(data: TensorData, field: string, rules: DatumRules, issues: InvalidField[]): void {
  if (data instanceof Int32Array) {
    checkTokens(data, field, { vocabularySize: rules.vocabularySize }, issues);
  } else if (data instanceof BigInt64Array) {
    // Words instead of BigInts: a batch has a million of them.
    const words = new Int32Array(data.buffer, data.byteOffset, data.length * 2);
    const limit = rules.vocabularySize ?? 2 ** 31;
    if (areWideIdsBelow(data, limit)) return;
    for (let index = 0; index < data.length; index += 1) {
      const low = words[2 * index]!;
      if (words[2 * index + 1] === 0 && low >= 0 && low < limit) continue;
      issues.push({ field: `${field}[${index}]`, reason: `is ${data[index]}, outside the vocabulary of ${limit}` });
      return;
    }
  } else {
    issues.push({ field, reason: 'is no integer array' });
  }
}

function checkFinite(data: Float32Array, field: string, issues: InvalidField[]): void {
  if (areFinite(data)) return;
  for (let index = 0; index < data.length; index += 1) {
    if (Number.isFinite(data[index])) continue;
    issues.push({ field: `${field}[${index}]`, reason: `is ${data[index]}` });
    return;
  }
}
