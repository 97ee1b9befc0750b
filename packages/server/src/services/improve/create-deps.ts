import { createIdSource, mean, openRedactor, readRedactionSettings, type TrajectoryFilter } from '@lachesis/protocol';
import {
  findDataset,
  findModel,
  findPromoted,
  ModelOvertakenError,
  promoteModel,
  readDatasetRows,
  recordModelEvaluation,
  type CollectableBlobs,
  type Store,
} from '@lachesis/store';
import { describeGain } from './gates.ts';
import { evaluationOf } from './plan.ts';
import { chooseFilters, countBySource, listWanted } from './own-trajectories.ts';
import { needDone, type ImproveDeps, type StageContents, type StageContext } from './stages.ts';
import type { RecordTrainingSettings } from '../training/records/settings.ts';
import { drainOutboxes } from '../library/drain-outboxes.ts';
import { measureModels, type MeasuredItem, type MeasureModels, type ScoreReply } from './measure.ts';
import { countRatings, describeLast, findLast, findRatedUntil, watermarkOf } from './last-improvement.ts';
import { createExamples } from './examples.ts';
import { makeImproveRows } from './rows.ts';
import { trainOnRecords } from '../training/records/training.ts';

/** What the differences on the items say together; `summariseDifferences` of the protocol is one. */
export type SummariseDifferences = (differences: readonly number[]) => {
  readonly difference: number;
  readonly interval: readonly [number, number];
  readonly rightBetter: number;
  readonly leftBetter: number;
};

export interface ImproveDepsOptions {
  readonly store: Store;
  readonly blobs: CollectableBlobs;
  readonly home: string;
  readonly databaseUrl?: string | undefined;
  readonly tenantId: string;
  readonly tinker: { readonly baseUrl?: string | undefined; readonly apiKey?: string | undefined };
  /** Lets rules or a judge rate what the filter finds; gives how many they rated. Absent: people have. */
  readonly rate?: ((filter: TrajectoryFilter, context: StageContext) => Promise<number>) | undefined;
  /** What the replies of both models are worth. Absent: how likely each finds what people preferred. */
  readonly score?: ScoreReply | undefined;
  readonly summarise: SummariseDifferences;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly now?: () => number;
  /** Somebody else reads the outboxes: a server, which knows more secrets than the process that it starts. */
  readonly isDrained?: boolean | undefined;
  readonly train?: typeof trainOnRecords;
  readonly measure?: MeasureModels;
}

/** The stages on the real library, trainer and registry. Each finds what it made before, and comes to the same. */
export function createImproveDeps(options: ImproveDepsOptions): ImproveDeps {
  // Another process may have taken the improvement over while a stage took its time.
  const fenced = ({ store }: StageContext): ImproveDepsOptions => ({ ...options, store });
  return {
    collect: (context) => collect(fenced(context), context),
    filter: (context) => filter(options, context),
    rate: (context) => rate(fenced(context), context),
    dataset: (context) => makeRows(fenced(context), context),
    train: (context) => train(options, context),
    evaluate: (context) => evaluate(fenced(context), context),
    promote: (context) => promote(fenced(context), context),
  };
}

function makeRows(options: ImproveDepsOptions, context: StageContext): Promise<StageContents['dataset']> {
  const { store, blobs, tenantId } = options;
  const { plan, improvement } = context;
  return makeImproveRows({ store, blobs, tenantId, plan, improvementId: improvement.improvementId });
}

async function collect(options: ImproveDepsOptions, { plan }: StageContext): Promise<StageContents['collect']> {
  const { store, tenantId } = options;
  const delivered = options.isDrained === true ? 0 : await drain(options);
  const promoted = await findPromoted({ store, tenantId, name: plan.model });
  const last = plan.again ? undefined : await findLast({ store, tenantId, model: plan.model });
  return {
    since: last === undefined ? 0 : watermarkOf(last),
    last: last === undefined ? null : describeLast(last),
    until: await store.now(),
    drained: delivered,
    from: promoted === undefined ? null : `${promoted.model.name}@${promoted.model.version}`,
    from_version_id: promoted?.model.modelVersionId ?? null,
  };
}

async function drain(options: ImproveDepsOptions): Promise<number> {
  const { store, blobs, home, env = process.env, now = Date.now } = options;
  const redactor = openRedactor(readRedactionSettings(env), env);
  const parts = { store, blobs, ids: createIdSource(), redactor };
  return (await drainOutboxes({ parts, home, now })).delivered;
}

async function filter(options: ImproveDepsOptions, { plan }: StageContext): Promise<StageContents['filter']> {
  const { store, tenantId } = options;
  const found = await listWanted({ store, tenantId, filters: await chooseFilters({ store, tenantId, plan }) });
  return { trajectories: found.length, by_source: countBySource(found) };
}

async function rate(options: ImproveDepsOptions, context: StageContext): Promise<StageContents['rate']> {
  const { store, tenantId } = options;
  const { plan, done } = context;
  const filters = await chooseFilters({ store, tenantId, plan });
  const ratedUntil = await findRatedUntil({ store, tenantId, plan });
  let rated = 0;
  for (const each of filters) {
    // What these rules have read says the same again: only what came since is read.
    const unread = ratedUntil === undefined ? each : { ...each, since: Math.max(ratedUntil, each.since ?? 0) };
    rated += (await options.rate?.(unread, context)) ?? 0;
  }
  const { since } = needDone(done, 'collect');
  return { ratings: await countRatings({ store, tenantId, filters, since }), rated };
}

/** The same name after a kill: the trainer goes on with the run, and gives the result of a finished one again. */
const RUN_ID_DIGITS = 12;
const LONGEST_MODEL = 80;

async function train(options: ImproveDepsOptions, context: StageContext): Promise<StageContents['train']> {
  const { home, databaseUrl, tenantId, tinker, train: trainer = trainOnRecords } = options;
  const { plan, done, improvement, signal, say } = context;
  const { dataset } = needDone(done, 'dataset');
  const { from_version_id: parent } = needDone(done, 'collect');
  const [name = '', version = ''] = dataset?.split('@') ?? [];
  const run = `${plan.model.slice(0, LONGEST_MODEL)}-${improvement.improvementId.slice(-RUN_ID_DIGITS)}`;
  const result = await trainer({
    method: plan.method,
    kind: 'improve',
    dataset: { name, version: Number(version) },
    run,
    settings: {
      ...(plan.training as Partial<RecordTrainingSettings>),
      model_name: plan.model,
      ...(parent === null ? { base_model: plan.base_model } : { parent }),
    },
    tinker,
    home,
    databaseUrl,
    tenantId,
    signal,
    onProgress: ({ detail }) => say(detail),
  });
  if (result.state === 'stopped' || result.modelVersionId === null || result.model === null) {
    signal.throwIfAborted();
    throw new Error(`the training ${run} stopped at step ${result.steps} of ${result.totalSteps}`);
  }
  return {
    run,
    model: result.model,
    model_version_id: result.modelVersionId,
    base_model: result.baseModel,
    weights_path: result.weightsPath ?? '',
    steps: result.steps,
    metrics: { ...result.metrics },
  };
}

async function evaluate(options: ImproveDepsOptions, context: StageContext): Promise<StageContents['evaluate']> {
  const { store, blobs, tenantId, tinker, score, summarise, measure = measureModels } = options;
  const { plan, done, signal, say } = context;
  const { held_out: heldOut } = needDone(done, 'dataset');
  const trained = needDone(done, 'train');
  const { from_version_id: from } = needDone(done, 'collect');
  const dataset = await findDataset({ store, tenantId, ref: heldOut ?? '' });
  if (dataset === undefined) throw new Error(`the held-out set ${heldOut ?? ''} is gone`);
  const rows = await Array.fromAsync(readDatasetRows({ store, blobs, tenantId, datasetId: dataset.dataset_id }));
  const current = from === null ? undefined : await findModel({ store, tenantId, ref: from });
  if (from !== null && current === undefined)
    throw new Error(`the model ${from}, which is served, is not in the registry`);
  const examples = createExamples(rows);
  const items = await measure({
    ...{ tinker, rows, plan, signal, say, onExample: examples.add },
    score: evaluationOf(plan) === 'replies' ? score : undefined,
    current: { weightsPath: current?.weightsPath ?? '', baseModel: current?.baseModel ?? trained.base_model },
    candidate: { weightsPath: trained.weights_path, baseModel: trained.base_model },
  });
  const figures = summariseItems(items, plan, summarise);
  await recordModelEvaluation({
    ...{ store, tenantId, ref: trained.model_version_id, name: 'improve/held-out' },
    content: { ...figures, held_out: heldOut, against: from },
  });
  return { ...figures, examples: examples.list() };
}

function summariseItems(
  items: readonly MeasuredItem[],
  plan: StageContext['plan'],
  summarise: SummariseDifferences,
): Omit<StageContents['evaluate'], 'examples'> {
  const shifts = items.flatMap(({ preferred }) =>
    preferred === undefined ? [] : [preferred.candidate - preferred.current],
  );
  const found = summarise(items.map(({ current, candidate }) => candidate - current));
  return {
    items: items.length,
    by: evaluationOf(plan),
    current_mean: mean(items.map(({ current }) => current)),
    candidate_mean: mean(items.map(({ candidate }) => candidate)),
    difference: items.length === 0 ? 0 : found.difference,
    interval: found.interval.every(Number.isFinite) ? [...found.interval] : null,
    better: found.rightBetter,
    worse: found.leftBetter,
    preferred_shift: shifts.length === 0 ? null : mean(shifts),
  };
}

async function promote(options: ImproveDepsOptions, context: StageContext): Promise<StageContents['promote']> {
  const { store, tenantId } = options;
  const { plan, done, improvement } = context;
  const { model_version_id: candidate, model } = needDone(done, 'train');
  const { from, from_version_id: expected } = needDone(done, 'collect');
  const content = { model, served_before: from, overtaken_by: null };
  const version = await findModel({ store, tenantId, ref: candidate });
  if (version === undefined) throw new Error(`the model ${model} is not in the registry`);
  try {
    // A process that died behind this promoted it already: then it stays.
    await promoteModel({
      ...{ store, tenantId, name: plan.model, version: version.version, over: expected },
      reason: describeGain(needDone(done, 'evaluate')),
      by: `improvement ${improvement.improvementId}`,
    });
  } catch (error) {
    if (!ModelOvertakenError.isInstance(error)) throw error;
    return { ...content, overtaken_by: error.served };
  }
  return content;
}
