import { improvePlanSchema, type ImprovePlan, type TrajectoryFilter } from '@lachesis/protocol';
import { listFeedback, listImprovements, type Improvement, type Store } from '@lachesis/store';
import { isDeepStrictEqual } from 'node:util';
import { STOPPED } from './gates.ts';
import { listWanted } from './own-trajectories.ts';
import type { LastImprovement } from './stages.ts';

/** Those that used their ratings: what had too few of them, found none, or was stopped, did not. */
const USED_NOTHING: readonly (string | null)[] = ['too-few-ratings', 'nothing-new', STOPPED];

/** The last improvement of a model that used its ratings. */
export async function findLast(options: {
  store: Store;
  tenantId: string;
  model: string;
}): Promise<Improvement | undefined> {
  return (await listImprovements(options)).find(
    ({ endedAt, outcome }) => endedAt !== null && !USED_NOTHING.includes(outcome),
  );
}

const contentOf = (improvement: Improvement, stage: string): Readonly<Record<string, unknown>> =>
  improvement.stages.find((each) => each.stage === stage)?.content ?? {};

/** When the last improvement of a model read its rows, so that what it rated itself was before; 0 before the first. */
export async function readWatermark(options: { store: Store; tenantId: string; model: string }): Promise<number> {
  const last = await findLast(options);
  return last === undefined ? 0 : watermarkOf(last);
}

export function watermarkOf(last: Improvement): number {
  const until = contentOf(last, 'dataset')['until'] ?? contentOf(last, 'collect')['until'];
  return typeof until === 'number' ? until : 0;
}

export function describeLast(last: Improvement): LastImprovement {
  const [{ model }, { ratings }] = [contentOf(last, 'train'), contentOf(last, 'rate')];
  const { dataset, rows } = contentOf(last, 'dataset');
  return {
    outcome: last.outcome ?? '',
    ended_at: last.endedAt ?? 0,
    model: typeof model === 'string' ? model : null,
    ratings: Number(ratings ?? 0),
    dataset: typeof dataset === 'string' ? dataset : null,
    rows: Number(rows ?? 0),
  };
}

/** Ratings that hold and were given since, of what the filters find. A text alone is none. */
export async function countRatings(options: {
  store: Store;
  tenantId: string;
  filters: readonly TrajectoryFilter[];
  since: number;
}): Promise<number> {
  const { store, tenantId, since } = options;
  const given = (await listFeedback({ store, tenantId, since })).filter(
    // What was given in the moment of the last look was there to be read.
    ({ feedback, created_at: at }) => feedback.kind !== 'text' && at > since,
  );
  if (given.length === 0) return 0;
  const wanted = new Set((await listWanted(options)).map(({ trajectory_id: id }) => id));
  return given.filter(({ feedback }) => wanted.has(feedback.trajectory_id)).length;
}

/** Up to when the last improvement let the same rules rate the same trajectories; undefined: everything is to be read. */
export async function findRatedUntil(options: {
  store: Store;
  tenantId: string;
  plan: ImprovePlan;
}): Promise<number | undefined> {
  const { store, tenantId, plan } = options;
  const last = await findLast({ store, tenantId, model: plan.model });
  if (last === undefined || plan.rules === null) return undefined;
  const { rules, filter: looked, all_models: isAll } = improvePlanSchema.parse(last.plan);
  if (!isDeepStrictEqual([rules, looked, isAll], [plan.rules, plan.filter, plan.all_models])) return undefined;
  const { until } = contentOf(last, 'collect');
  return typeof until === 'number' ? until : undefined;
}
