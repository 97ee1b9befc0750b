import { LachesisError, type TrajectoryDetail, type TrajectorySummary, type TrajectoryTurn } from '@lachesis/protocol';
import type { TurnTokens } from '@lachesis/protocol/codec';
import { findModel, readTrajectory, type BlobStore, type Store } from '@lachesis/store';
import type { TokenText } from '../runs/rollouts/rollout-deps.ts';
import { findTrajectoryId } from './find-by-beginning.ts';
import { missingTrajectory } from './missing-trajectory.ts';

export interface TurnScope {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  /** What somebody calls the trajectory. */
  ref: string;
}

/** Of a trajectory its turns from one on, at most so many. */
export async function readTurnsFrom(
  options: TurnScope & { from: number; limit: number | undefined },
): Promise<TrajectoryDetail> {
  const trajectoryId = await findTrajectoryId(options);
  const found = trajectoryId === undefined ? undefined : await readTrajectory({ ...options, trajectoryId });
  if (found === undefined) throw missingTrajectory(options.ref);
  return found;
}

/** One turn by its number. */
export async function readTurn(
  options: TurnScope & { index: number },
): Promise<{ trajectoryId: string; summary: TrajectorySummary; turn: TrajectoryTurn }> {
  const { summary, turns } = await readTurnsFrom({ ...options, from: options.index, limit: 1 });
  const [turn] = turns;
  if (turn?.turn_index === options.index) return { trajectoryId: summary.trajectory_id, summary, turn };
  throw new LachesisError({
    code: 'not-found',
    message: `trajectory ${summary.trajectory_id} has no turn ${options.index}`,
    hint: `It has ${summary.turn_count}; the first is 0.`,
  });
}

/** A turn without ids and log probabilities, which are most of its bytes, and with how many there are. */
export function withoutTokens(turn: TrajectoryTurn): TrajectoryTurn {
  const replies = turn.replies.map(({ tokens, ...reply }) => ({
    ...reply,
    tokens: null,
    token_counts:
      tokens === null
        ? null
        : {
            prompt: tokens.prompt_token_ids?.length ?? null,
            reply: tokens.token_ids.length,
            policy_version: tokens.policy_version,
          },
  }));
  return { ...turn, replies };
}

/** The tokens of one reply, with what each stands for where the model's tokenizer is on this machine. */
export async function readTurnTokens(
  options: TurnScope & {
    index: number;
    reply: number;
    /** Whether those of its prompt stand before them. */
    prompt: boolean;
    openTokenText: (tokenizer: string) => Promise<TokenText | undefined>;
  },
): Promise<TurnTokens> {
  const { store, tenantId } = options;
  const { turn } = await readTurn(options);
  const reply = turn.replies[options.reply];
  if (reply?.tokens === undefined || reply.tokens === null) throw noTokens(turn, options.reply);
  const { prompt_token_ids: before, token_ids: own, logprobs, policy_version: policyVersion } = reply.tokens;
  const prompt = options.prompt ? (before ?? []) : [];
  const ids = Uint32Array.from([...prompt, ...own]);
  const mask = new Uint8Array(ids.length).fill(1, prompt.length);
  const named = turn.model === null ? undefined : await findModel({ store, tenantId, ref: turn.model });
  const text = await spell([...ids], [named?.baseModel, turn.model], options.openTokenText);
  return {
    ...{ promptTokens: prompt.length, ids, logprobs: Float32Array.from(logprobs), mask, policyVersion, text },
  };
}

/** By the first of the tokenizers that is here. */
async function spell(
  ids: readonly number[],
  names: readonly (string | null | undefined)[],
  open: (tokenizer: string) => Promise<TokenText | undefined>,
): Promise<TurnTokens['text']> {
  for (const name of new Set(names)) {
    const tokenizer = name === null || name === undefined ? undefined : await open(name);
    if (tokenizer === undefined || name === null || name === undefined) continue;
    const pieces = await tokenizer.spell(ids);
    const offsets = new Uint32Array(pieces.length + 1);
    for (const [index, piece] of pieces.entries()) offsets[index + 1] = offsets[index]! + piece.length;
    return { bytes: Buffer.concat(pieces), offsets, tokenizer: name };
  }
  return null;
}

/** There is no such reply, or nobody recorded its tokens. */
export function noTokens({ replies, turn_index: index }: TrajectoryTurn, asked: number): LachesisError {
  const why = replies[asked]?.tokens_missing;
  return new LachesisError({
    code: 'not-found',
    message:
      replies[asked] === undefined
        ? `turn ${index} has ${replies.length} replies, and ${asked} is none of them`
        : `reply ${asked} of turn ${index} was recorded without tokens (${why ?? 'they were not sent'})`,
    hint: 'A gateway in front of a server that gives token ids records them: docs/guides/cli.md lists those.',
  });
}
