import { LachesisError, type RolloutGroup, type rolloutSchemas } from '@lachesis/protocol';
import { decodeGroup, type GroupPayload } from '@lachesis/protocol/codec';
import { findGroup, type FoundGroup, type FoundStep, type TrainingRun } from '@lachesis/store';
import type { z } from 'zod';
import { readTrainedPositions, rowStarts } from '../../training/rl/datums/trained-positions.ts';
import { finiteOrNull, outlineGroup, type GroupOutline } from '../../training/rl/rollouts/outline-group.ts';
import { findLoopRun } from '../describe-run.ts';
import { readPayload } from './read-run-step.ts';
import { readStoredReport, readTrainerLogprobs } from './read-stored-report.ts';
import type { RolloutDeps, TokenText } from './rollout-deps.ts';

type RolloutSequence = RolloutGroup['sequences'][number];
type TokenFields = Pick<
  RolloutSequence,
  'logprobs' | 'mask' | 'pieces' | 'token_advantages' | 'tokens' | 'trainer_logprobs'
>;
type PlainFields = Pick<
  RolloutSequence,
  | ('advantage' | 'drift' | 'left_out' | 'length' | 'policy_versions' | 'rollout')
  | ('rollout_id' | 'score' | 'text' | 'trained_tokens')
>;

/** One group with everything that is kept of it. */
export async function readRunGroup(options: {
  deps: RolloutDeps;
  run: TrainingRun;
  groupId: string;
  query: z.infer<(typeof rolloutSchemas)['groupQuery']>;
}): Promise<RolloutGroup> {
  const { deps, run, groupId, query } = options;
  const { group, step, index } = await findRunGroup(options);
  const payload = decodeGroup(await readPayload(deps, step, group));
  const [report, trainerLogprobs] = await Promise.all([
    step === undefined ? undefined : readStoredReport(deps, step),
    step === undefined ? new Map<number, Float32Array>() : readTrainerLogprobs(deps, step, index),
  ]);
  const tokenText = await openTokenText(deps, run, report?.base_model);
  const outline = report?.groups[index] ?? outlineGroup(payload);
  const messages = readMessages(payload);
  return {
    run_id: run.shortId,
    group_id: groupId,
    item: outline.item,
    environment: outline.environment,
    step: step?.step ?? null,
    policy_version: step?.rollouts?.policyVersion ?? null,
    received_at: group.receivedAt,
    sequences: await Promise.all(
      outline.lengths.map(async (_, sequence) => ({
        ...(await describeSequence({ payload, outline, sequence, tokenText })),
        messages: messages?.[sequence] ?? null,
        ...(query.tokens === false ? {} : await listTokens({ payload, sequence, tokenText, trainerLogprobs })),
      })),
    ),
  };
}

/** The packed payload of a group, as the environment sent it. */
export async function readRunGroupPayload(options: {
  deps: RolloutDeps;
  run: TrainingRun;
  groupId: string;
}): Promise<Uint8Array> {
  const { group, step } = await findRunGroup(options);
  return await readPayload(options.deps, step, group);
}

async function findRunGroup(options: {
  deps: RolloutDeps;
  run: TrainingRun;
  groupId: string;
}): Promise<{ group: FoundGroup; step: FoundStep | undefined; index: number }> {
  const { deps, run, groupId } = options;
  const { store } = deps;
  const loop = await findLoopRun({ store, run });
  const found =
    loop === undefined ? undefined : await findGroup({ store, tenantId: loop.tenantId, runId: loop.runId, groupId });
  if (found !== undefined) {
    return { group: found.group, step: found.trained?.step, index: found.trained?.index ?? 0 };
  }
  throw new LachesisError({
    code: 'not-found',
    message: `run ${run.shortId} has no group ${JSON.stringify(groupId.slice(0, 100))}`,
    hint: `GET /runs/${run.shortId}/steps/{n} lists the groups of a step.`,
  });
}

interface SequenceOptions {
  payload: GroupPayload;
  sequence: number;
  tokenText: TokenText | undefined;
}

async function describeSequence({
  payload,
  outline,
  sequence,
  tokenText,
}: SequenceOptions & { outline: GroupOutline }): Promise<PlainFields> {
  return {
    rollout: outline.rollouts[sequence] ?? sequence,
    rollout_id: payload.header.rollout_ids[sequence] ?? null,
    score: outline.scores[sequence] ?? null,
    advantage: outline.advantages[sequence] ?? null,
    length: outline.lengths[sequence] ?? 0,
    trained_tokens: outline.trained_tokens[sequence] ?? 0,
    left_out: outline.left_out[sequence] ?? null,
    drift: outline.drift[sequence] ?? null,
    policy_versions: readRanges(payload, sequence),
    text: (await tokenText?.decode(rowOf(payload, sequence))) ?? null,
  };
}

async function listTokens({
  payload,
  sequence,
  tokenText,
  trainerLogprobs,
}: SequenceOptions & { trainerLogprobs: ReadonlyMap<number, Float32Array> }): Promise<TokenFields> {
  const tokens = rowOf(payload, sequence);
  const isTrained = readTrainedPositions(payload);
  const sampled = payload.inferenceLogprobs;
  const given = payload.advantages;
  const own = trainerLogprobs.get(sequence);
  return {
    tokens,
    pieces: (await tokenText?.split(tokens)) ?? null,
    mask: tokens.map((_, position) => (isTrained(sequence, position) ? 1 : 0)),
    logprobs: sampled === undefined ? null : listRow(sampled, sequence),
    trainer_logprobs: own === undefined ? null : Array.from(own, finiteOrNull),
    token_advantages: given === undefined ? null : listRow(given, sequence),
  };
}

const listRow = (field: NonNullable<GroupPayload['advantages']>, sequence: number): (number | null)[] =>
  Array.from(cutRow(field, sequence), finiteOrNull);

const rowOf = ({ tokens }: GroupPayload, sequence: number): number[] => [...cutRow(tokens, sequence)];

function cutRow<V extends { subarray(start: number, end: number): V }>(
  { values, rowLengths }: { values: V; rowLengths: Uint32Array },
  sequence: number,
): V {
  const start = rowStarts(rowLengths)[sequence] ?? 0;
  return values.subarray(start, start + (rowLengths[sequence] ?? 0));
}

function readRanges(
  { policyRanges: quads = new Uint32Array() }: GroupPayload,
  sequence: number,
): [number, number, number][] {
  const ranges: [number, number, number][] = [];
  for (let quad = 0; quad + 3 < quads.length; quad += 4) {
    if (quads[quad] === sequence) ranges.push([quads[quad + 1]!, quads[quad + 2]!, quads[quad + 3]!]);
  }
  return ranges;
}

/** Environments send what they like there: what is no conversation is not shown as one. */
function readMessages({ json }: GroupPayload): (RolloutSequence['messages'] | undefined)[] | undefined {
  if (json?.messages === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(json.messages));
  } catch {
    // The text is the environment's; its tokens can be read all the same.
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  return value.map((conversation: unknown) =>
    Array.isArray(conversation) && conversation.length > 0 && conversation.every(isMessage)
      ? (conversation as RolloutSequence['messages'])
      : null,
  );
}

const isMessage = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as { role?: unknown }).role === 'string';

/** The tokenizer of the weights; where the trainer has not said which, the one of the recipe. */
async function openTokenText(
  deps: RolloutDeps,
  { config }: TrainingRun,
  baseModel: string | undefined,
): Promise<TokenText | undefined> {
  const { recipe } = config as { recipe?: { env?: { tokenizer_name?: unknown } } };
  const name = baseModel ?? recipe?.env?.tokenizer_name;
  return typeof name === 'string' ? await deps.openTokenText(name) : undefined;
}
