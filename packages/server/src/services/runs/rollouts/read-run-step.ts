import { LachesisError, type rolloutSchemas } from '@lachesis/protocol';
import { decodeGroup } from '@lachesis/protocol/codec';
import {
  findStep,
  listBatchGroupIds,
  listBatchGroups,
  type FoundGroup,
  type FoundStep,
  type TrainingRun,
} from '@lachesis/store';
import { BlobMissingError } from '@lachesis/store/blobs';
import type { z } from 'zod';
import { outlineGroup, type GroupOutline } from '../../training/rl/rollouts/outline-group.ts';
import { describeStep, findStepScope } from './list-run-steps.ts';
import { readStoredReport } from './read-stored-report.ts';
import type { RolloutDeps } from './rollout-deps.ts';

type StepPage = z.infer<(typeof rolloutSchemas)['page']>;

/** A whole batch of the usual size. */
const DEFAULT_LIMIT = 128;
/** Groups whose payloads are opened for one page, where the trainer left no report. */
const MOST_OPENED = 32;

interface StepOptions {
  deps: RolloutDeps;
  run: TrainingRun;
  step: number;
}

/** The groups of a step: scores, advantages, lengths, versions. Tokens and messages are read group by group. */
export async function readRunStep(
  options: StepOptions & { query: z.infer<(typeof rolloutSchemas)['pageQuery']> },
): Promise<StepPage> {
  const { deps, run, query } = options;
  const { start = 0, limit = DEFAULT_LIMIT } = query;
  const { step, scope } = await findRunStep(options);
  const report = await readStoredReport(deps, step);
  const { ids, outlines } =
    report === undefined
      ? await outlineStored(options, { step, scope, start, limit: Math.min(limit, MOST_OPENED) })
      : await placeReported(report.groups, { step, scope, start, limit });
  const end = start + ids.length;
  return {
    run_id: run.shortId,
    step: describeStep(step),
    groups: ids.map((groupId, place) => ({ group_id: groupId, index: start + place, ...outlines[place]! })),
    next: ids.length > 0 && end < step.groupCount ? end : null,
  };
}

interface Page {
  step: FoundStep;
  scope: NonNullable<Awaited<ReturnType<typeof findStepScope>>>;
  start: number;
  limit: number;
}

interface PageGroups {
  ids: string[];
  outlines: GroupOutline[];
}

/** The report has the order of the batch: only the names of its groups are to be read. */
async function placeReported(
  reported: readonly GroupOutline[],
  { step, scope, start, limit }: Page,
): Promise<PageGroups> {
  const all = step.batchId === null ? [] : await listBatchGroupIds({ ...scope, batchId: step.batchId });
  const ids = all.slice(start, start + limit);
  const outlines = reported.slice(start, start + limit);
  return { ids: ids.slice(0, outlines.length), outlines };
}

/** Without a report the payloads say what they can. */
async function outlineStored({ deps }: StepOptions, { step, scope, start, limit }: Page): Promise<PageGroups> {
  const groups = step.batchId === null ? [] : await listBatchGroups({ ...scope, batchId: step.batchId, start, limit });
  const outlines = await Promise.all(
    groups.map(async (group) => outlineGroup(decodeGroup(await readPayload(deps, step, group)))),
  );
  return { ids: groups.map(({ groupId }) => groupId), outlines };
}

/** The packed payloads of a page of a step, as the environments sent them. */
export async function* readRunStepPayloads(
  options: StepOptions & { query: z.infer<(typeof rolloutSchemas)['pageQuery']> },
): AsyncGenerator<Uint8Array> {
  const { deps, query } = options;
  const { start = 0, limit = DEFAULT_LIMIT } = query;
  const { step, scope } = await findRunStep(options);
  if (step.batchId === null) return;
  for (const group of await listBatchGroups({ ...scope, batchId: step.batchId, start, limit })) {
    yield await readPayload(deps, step, group);
  }
}

async function findRunStep({ deps, run, step: number }: StepOptions) {
  const scope = await findStepScope({ store: deps.store, run });
  const step = scope === undefined ? undefined : await findStep({ ...scope, step: number });
  if (scope !== undefined && step !== undefined) return { scope, step };
  throw new LachesisError({
    code: 'not-found',
    message: `run ${run.shortId} has no step ${number}`,
    hint: `GET /runs/${run.shortId}/steps lists those it has made.`,
  });
}

export async function readPayload(
  { blobs }: RolloutDeps,
  step: FoundStep | undefined,
  group: FoundGroup,
): Promise<Uint8Array> {
  if (typeof step?.rollouts?.droppedAt === 'number') throw gone(step.step);
  try {
    return await blobs.get(group.payloadDigest);
  } catch (error) {
    if (!BlobMissingError.isInstance(error)) throw error;
    throw new LachesisError({
      code: 'not-found',
      message: `the payload of group ${group.groupId} is not in the blobs of this server`,
      hint: 'Ask the server whose home the trajectory API of the run writes to.',
      cause: error,
    });
  }
}

const gone = (step: number): LachesisError =>
  new LachesisError({
    code: 'not-found',
    message: `the rollouts of step ${step} are no longer kept`,
    hint: 'rollout_retention_steps and rollout_retention_gb of the recipe say how many are. Their rewards stay in GET /runs/{id}/steps.',
  });
