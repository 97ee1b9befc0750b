import type { FloatValues, GroupPayload, IntValues, Nested, Ragged } from '../codec/group-payload.ts';
import { checkJsonFields } from './check-json-fields.ts';
import { checkPolicyRanges } from './check-policy-ranges.ts';
import { collectIssues } from './collect-issues.ts';
import type { Report } from './collect-issues.ts';
import type { Issue } from './error-body.ts';
import { createTokenRule, finiteRule } from './value-rules.ts';
import type { ValueRule } from './value-rules.ts';

export interface CheckGroupLimits {
  maxSequences: number;
  maxTokensPerSequence: number;
  /** Number of ids the tokenizer has; without it, any u32 is a token. */
  vocabulary?: number;
}

/**
 * Everything that is wrong with a group from the native API, by sequence and field; empty when it may be stored.
 * Reports the first fault of each field in each sequence, fifty at most.
 */
export function checkGroup(group: GroupPayload, limits: CheckGroupLimits): Issue[] {
  const { issues, report } = collectIssues();

  for (const field of Object.keys(group.rawNumbers ?? {})) report(null, field, 'holds an integer beyond 2^53');
  if (group.wire) report(null, 'wire', 'is written by the server and must be left out');
  checkSequences(group, limits, report);
  // Beyond the bound the rest is not worth the time it takes to look at.
  if (group.tokens.rowLengths.length > limits.maxSequences) return issues;

  const tokenRule = createTokenRule(limits.vocabulary);
  checkRagged('tokens', group.tokens, group.tokens.rowLengths, tokenRule, report);
  checkRagged('masks', group.masks, group.tokens.rowLengths, null, report);
  checkScores(group, report);
  for (const [field, ragged] of floatFields(group)) {
    checkRagged(field, ragged, group.tokens.rowLengths, finiteRule, report);
  }
  checkDistillation(group, tokenRule, report);
  checkPolicyRanges(group, report);
  checkJsonFields(group, report);
  return issues;
}

function checkSequences(
  { header, tokens: { rowLengths } }: GroupPayload,
  limits: CheckGroupLimits,
  report: Report,
): void {
  const { maxSequences, maxTokensPerSequence } = limits;
  const isScored = header.outcome === 'scored';
  if (rowLengths.length > maxSequences)
    report(null, 'tokens', `has ${rowLengths.length} sequences, more than ${maxSequences}`);
  if (isScored && rowLengths.length === 0) report(null, 'tokens', 'has no sequence');
  const rollouts = header.rollout_ids.length;
  if (rollouts !== 0 && rollouts !== rowLengths.length) {
    report(null, 'rollout_ids', `has ${rollouts} entries for ${rowLengths.length} sequences`);
  }
  for (let sequence = 0; sequence < Math.min(rowLengths.length, maxSequences); sequence += 1) {
    const length = rowLengths[sequence]!;
    if (isScored && length === 0 && !report(sequence, 'tokens', 'is empty')) return;
    if (
      length > maxTokensPerSequence &&
      !report(sequence, 'tokens', `has ${length} tokens, more than ${maxTokensPerSequence}`)
    ) {
      return;
    }
  }
}

/** A failure has no number: only a scored group carries scores, and then one for each sequence. */
function checkScores({ header, scores, tokens }: GroupPayload, report: Report): void {
  const expected = header.outcome === 'scored' ? tokens.rowLengths.length : 0;
  if (scores.length !== expected) {
    const why = header.outcome === 'scored' ? `${expected} sequences` : `a group whose outcome is ${header.outcome}`;
    report(null, 'scores', `has ${scores.length} entries for ${why}`);
    return;
  }
  let isFinite = true;
  for (let sequence = 0; sequence < scores.length; sequence += 1) {
    const fault = finiteRule.explain(scores[sequence]!);
    if (fault === null) continue;
    isFinite = false;
    if (!report(sequence, 'scores', fault)) return;
  }
  if (isFinite) checkRolloutScores(header.rollout_ids, scores, report);
}

/** A rollout has one score, however many sequences its history was split into: a trainer weighs rollouts. */
function checkRolloutScores(ids: readonly string[], scores: FloatValues, report: Report): void {
  if (ids.length !== scores.length) return;
  const first = new Map<string, number>();
  for (const [sequence, id] of ids.entries()) {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, sequence);
    else if (
      scores[sequence] !== scores[earlier] &&
      !report(sequence, 'scores', `is another than that of sequence ${earlier}, which has the same rollout id`)
    ) {
      return;
    }
  }
}

function floatFields(group: GroupPayload): [string, Ragged<FloatValues>][] {
  const fields: [string, Ragged<FloatValues> | undefined][] = [
    ['advantages', group.advantages],
    ['ref_logprobs', group.refLogprobs],
    ['inference_logprobs', group.inferenceLogprobs],
  ];
  return fields.filter((field): field is [string, Ragged<FloatValues>] => field[1] !== undefined);
}

function checkRagged(
  field: string,
  { values, rowLengths }: Ragged<IntValues | FloatValues>,
  tokenRows: Uint32Array,
  rule: ValueRule | null,
  report: Report,
): void {
  if (!checkRows(field, rowLengths, tokenRows, report) || rule === null || rule.holds(values)) return;
  let start = 0;
  for (let sequence = 0; sequence < rowLengths.length; sequence += 1) {
    const end = start + rowLengths[sequence]!;
    for (let index = start; index < end; index += 1) {
      const fault = rule.explain(values[index]!);
      if (fault === null) continue;
      if (!report(sequence, field, `${fault} at position ${index - start}`)) return;
      break;
    }
    start = end;
  }
}

/** Whether a field has one row per sequence and one entry per token. */
function checkRows(field: string, rowLengths: Uint32Array, tokenRows: Uint32Array, report: Report): boolean {
  if (rowLengths.length !== tokenRows.length) {
    report(null, field, `has ${rowLengths.length} rows for ${tokenRows.length} sequences`);
    return false;
  }
  for (let sequence = 0; sequence < tokenRows.length; sequence += 1) {
    const [length, tokens] = [rowLengths[sequence]!, tokenRows[sequence]!];
    if (length === tokens) continue;
    if (!report(sequence, field, `has ${length} entries for ${tokens} tokens`)) return false;
  }
  return true;
}

function checkDistillation(group: GroupPayload, tokenRule: ValueRule, report: Report): void {
  const { distillTokenIds: ids, distillLogprobs: logprobs, tokens } = group;
  if (ids) checkNested('distill_token_ids', ids, tokens.rowLengths, tokenRule, report);
  if (logprobs) checkNested('distill_logprobs', logprobs, tokens.rowLengths, finiteRule, report);
  if (!ids !== !logprobs) {
    report(null, ids ? 'distill_logprobs' : 'distill_token_ids', 'is missing although its partner is there');
  } else if (ids && logprobs && !ids.itemLengths.every((length, item) => length === logprobs.itemLengths[item])) {
    report(null, 'distill_logprobs', 'has other numbers of candidates than distill_token_ids');
  }
}

function checkNested(
  field: string,
  { values, itemLengths, rowLengths }: Nested<IntValues | FloatValues>,
  tokenRows: Uint32Array,
  rule: ValueRule,
  report: Report,
): void {
  if (!checkRows(field, rowLengths, tokenRows, report) || rule.holds(values)) return;
  let item = 0;
  let start = 0;
  for (let sequence = 0; sequence < rowLengths.length; sequence += 1) {
    let fault: string | null = null;
    for (let position = 0; position < rowLengths[sequence]!; position += 1, item += 1) {
      const end = start + itemLengths[item]!;
      for (; start < end; start += 1) {
        if (fault !== null) continue;
        const found = rule.explain(values[start]!);
        if (found !== null) fault = `${found} at position ${position}`;
      }
    }
    if (fault !== null && !report(sequence, field, fault)) return;
  }
}
