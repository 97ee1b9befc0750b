import { MASKED } from '@lachesis/protocol';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import type { Sequence } from '../rollout/join-turns.ts';
import type { ScoredRollout } from './collect-group.ts';
import { creditTurns } from './credit-turns.ts';
import { measureGroup, type GroupHealth } from './group-health.ts';

export interface AssembleGroupOptions {
  /** Only rollouts of the training split fit: a group is what a trainer gets. */
  readonly rollouts: readonly ScoredRollout<'train'>[];
  readonly groupId: string;
  /** The name of the task they are attempts at. */
  readonly item: string;
  readonly environment: string;
  readonly environmentDigest: string;
  readonly verifierDigest: string;
  /** The number from the registration; null without one. */
  readonly envId: number | null;
  readonly temperature: number;
  readonly groupOverrides?: Readonly<Record<string, unknown>> | undefined;
  readonly includeMessages: boolean;
  /** Rollouts that were made for its place and are not in it. */
  readonly setAside?: NonNullable<EncodableGroup['header']['set_aside']> | undefined;
}

/** As long as a header takes. */
const MAX_ITEM_LENGTH = 200;

/** One sequence with the rollout it belongs to. A rollout whose history was split has several, each with its score. */
interface Row {
  readonly rollout: ScoredRollout<'train'>;
  readonly sequence: Sequence;
}

/** Turns scored rollouts of one item into the group that is pushed. */
export function assembleGroup(options: AssembleGroupOptions): EncodableGroup {
  const rows = options.rollouts.flatMap((rollout) => rollout.sequences.map((sequence): Row => ({ rollout, sequence })));
  const rowLengths = Uint32Array.from(rows, ({ sequence }) => sequence.tokens.length);
  const total = rowLengths.reduce((sum, length) => sum + length, 0);
  const tokens = new Int32Array(total);
  const masks = new Int32Array(total).fill(MASKED);
  const logprobs = new Float32Array(total);
  const ranges: number[] = [];
  const credit = creditTurns(
    options.rollouts.map(({ outcome }) => outcome),
    options.rollouts.map(countTurns),
  );
  const advantages = new Float32Array(credit === undefined ? 0 : total);
  let start = 0;
  for (const [row, { sequence, rollout }] of rows.entries()) {
    const ofTurns = credit?.[options.rollouts.indexOf(rollout)];
    for (const [from, to, turn] of sequence.turnRanges ?? []) {
      if (ofTurns !== undefined) advantages.fill(ofTurns[turn] ?? 0, start + from, start + to);
    }
    tokens.set(sequence.tokens, start);
    logprobs.set(sequence.logprobs, start);
    for (let index = 0; index < sequence.tokens.length; index += 1) {
      if (sequence.isSampled[index] === 1) masks[start + index] = sequence.tokens[index]!;
    }
    for (const [from, to, version] of sequence.policyRanges) ranges.push(row, from, to, version);
    start += sequence.tokens.length;
  }
  return {
    header: {
      group_id: options.groupId,
      rollout_ids: rows.map(({ rollout }) => rollout.rolloutId),
      env_id: options.envId,
      environment: options.environment,
      environment_digest: options.environmentDigest,
      verifier_digest: options.verifierDigest,
      split: 'train',
      outcome: 'scored',
      item: options.item.slice(0, MAX_ITEM_LENGTH),
      ...(options.setAside === undefined ? {} : { set_aside: options.setAside }),
    },
    tokens: { values: tokens, rowLengths },
    masks: { values: masks, rowLengths },
    scores: Float64Array.from(rows, ({ rollout }) => rollout.outcome.reward),
    // A group in which nothing tells one turn from another is judged as any other.
    ...(advantages.some((value) => value !== 0) ? { advantages: { values: advantages, rowLengths } } : {}),
    inferenceLogprobs: { values: logprobs, rowLengths },
    ...(ranges.length === 0 ? {} : { policyRanges: Uint32Array.from(ranges) }),
    json: jsonOf(options, rows),
  };
}

/** The turns of a rollout whose tokens are trained on, as far as its last one. */
const countTurns = ({ sequences }: ScoredRollout<'train'>): number =>
  Math.max(0, ...sequences.flatMap(({ turnRanges = [] }) => turnRanges.map(([, , turn]) => turn + 1)));

function jsonOf(options: AssembleGroupOptions, rows: readonly Row[]): NonNullable<EncodableGroup['json']> {
  const { temperature, groupOverrides, includeMessages } = options;
  const hasOverrides = rows.some(({ rollout }) => rollout.overrides !== undefined);
  return {
    generation_params: encode({ temperature }),
    ...(groupOverrides === undefined ? {} : { group_overrides: encode(groupOverrides) }),
    ...(hasOverrides ? { overrides: encode(rows.map(({ rollout }) => rollout.overrides ?? {})) } : {}),
    ...(includeMessages ? { messages: encode(rows.map(({ rollout }) => messagesOf(rollout))) } : {}),
  };
}

/** The wire wants `role` and `content` in each message. */
export const messagesOf = (rollout: Pick<ScoredRollout, 'result'>): Record<string, unknown>[] =>
  (rollout.result?.messages ?? []).map((message) => ({ ...message, content: message.content ?? '' }));

export function measureRollouts(rollouts: readonly ScoredRollout[]): GroupHealth {
  return measureGroup(
    rollouts.map(({ outcome, result }) => ({
      reward: outcome.reward,
      sampledTokens: result?.tokens.length ?? 0,
      wasTruncated: result?.finishedNaturally === false,
    })),
  );
}

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
