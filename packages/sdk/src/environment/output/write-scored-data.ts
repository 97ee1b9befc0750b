import { MASKED } from '@lachesis/protocol';
import { SCORED_DATA_KEYS, type ScoredDataKey } from '@lachesis/protocol/codec';
import { messagesOf } from '../group/assemble-group.ts';
import type { ScoredRollout } from '../group/collect-group.ts';
import type { Sequence } from '../rollout/join-turns.ts';

/** A rollout on a server that gives no token ids is text only: its token lists are empty. */
const NO_TOKENS: Sequence = {
  tokens: new Int32Array(),
  isSampled: new Uint8Array(),
  logprobs: new Float32Array(),
  policyRanges: [],
};

/**
 * A group as one line of JSON with the fourteen names of the Atropos wire, so that its tools read it, and two of ours behind
 * them: which rollout each sequence belongs to, and from which sequence of it the history was rewritten. Floats are written as
 * floats: Python would otherwise make integers of `1.0`.
 */
export function writeScoredData({
  rollouts,
  temperature,
  groupOverrides,
}: {
  rollouts: readonly ScoredRollout[];
  temperature: number;
  groupOverrides?: Readonly<Record<string, unknown>> | undefined;
}): string {
  const rows = rollouts.flatMap((rollout) => {
    const sequences = rollout.sequences.length === 0 ? [NO_TOKENS] : rollout.sequences;
    return sequences.map((sequence, turn) => ({ rollout, sequence, isFork: turn > 0 }));
  });
  const hasOverrides = rows.some(({ rollout }) => rollout.overrides !== undefined);
  const fields: Partial<Record<ScoredDataKey, string>> = {
    tokens: list(rows, ({ sequence }) => `[${sequence.tokens.join(',')}]`),
    masks: list(rows, ({ sequence }) => `[${maskOf(sequence).join(',')}]`),
    scores: list(rows, ({ rollout }) => writeFloat(rollout.outcome.reward)),
    messages: list(rows, ({ rollout }) => JSON.stringify(messagesOf(rollout))),
    generation_params: `{"temperature":${writeFloat(temperature)}}`,
    inference_logprobs: list(rows, ({ sequence }) => `[${Array.from(sequence.logprobs, writeFloat).join(',')}]`),
    ...(hasOverrides ? { overrides: list(rows, ({ rollout }) => JSON.stringify(rollout.overrides ?? {})) } : {}),
    ...(groupOverrides === undefined ? {} : { group_overrides: JSON.stringify(groupOverrides) }),
  };
  const ours = {
    rollout_ids: rows.map(({ rollout }) => rollout.rolloutId),
    fork_parents: rows.map(({ isFork }, place) => (isFork ? place - 1 : null)),
  };
  const names = SCORED_DATA_KEYS.map((key) => `"${key}":${fields[key] ?? 'null'}`);
  return `{${[...names, JSON.stringify(ours).slice(1, -1)].join(',')}}\n`;
}

const list = <T>(rows: readonly T[], write: (row: T) => string): string => `[${rows.map(write).join(',')}]`;

const maskOf = ({ tokens, isSampled }: Sequence): Int32Array =>
  tokens.map((token, index) => (isSampled[index] === 1 ? token : MASKED));

function writeFloat(value: number): string {
  const text = String(value);
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}
