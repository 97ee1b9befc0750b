import { improvePlanSchema } from '@lachesis/protocol';
import {
  type releaseLease,
  acquireImprovement,
  advanceImprovement,
  findImprovement,
  autoRenew,
  LeaseLostError,
  noteImprovementProgress,
  releaseImprovement,
  type Improvement,
  type JsonObject,
  type Store,
} from '@lachesis/store';
import { judgeStage, STOPPED } from './gates.ts';
import { ImproveLostError } from './lost-error.ts';
import {
  IMPROVE_STAGES,
  type ImproveDeps,
  type ImproveStage,
  type StageContents,
  type StageContext,
} from './stages.ts';

type HeldOptions = Parameters<typeof releaseLease>[0];

/** Which stage of an improvement begins, goes on or is done. */
export interface ImproveProgress {
  readonly improvement: string;
  readonly stage: ImproveStage;
  /** `done` is said once it is written down: what follows a kill begins behind it. */
  readonly state: 'done' | 'started' | 'working';
  readonly detail: string;
}

export interface RunImprovementOptions {
  readonly store: Store;
  readonly tenantId: string;
  readonly improvementId: string;
  readonly deps: ImproveDeps;
  /** Who does it; another name for each process. */
  readonly holder: string;
  /** Whether such a holder is known to be dead. */
  readonly isGone?: (holder: string) => boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImproveProgress) => void;
  readonly leaseSeconds?: number;
  /** How often it is looked whether somebody stopped it, and what it does is written down. */
  readonly lookEveryMs?: number;
}

/** Long enough for a database that is away for a moment. A holder that was killed is known at once on its own machine. */
const LEASE_SECONDS = 60;
const LOOK_EVERY_MS = 1_000;
const LONGEST_SENTENCE = 2_000;

/**
 * Brings an improvement from where it stands to its end, stage by stage. Every end of a stage is a compare-and-set in the
 * store, so of two processes one goes on, and one that comes after a kill begins with the stage that was not written down.
 */
export async function runImprovement(options: RunImprovementOptions): Promise<Improvement> {
  const { store, tenantId, improvementId, deps, holder, leaseSeconds = LEASE_SECONDS } = options;
  const key = { store, tenantId, improvementId, holder };
  const ended = await findImprovement({ store, tenantId, ref: improvementId });
  if (ended === undefined || ended.endedAt !== null) return needImprovement(ended, improvementId);
  const isGone = options.isGone === undefined ? {} : { isGone: options.isGone };
  const acquired = await acquireImprovement({ ...key, seconds: leaseSeconds, ...isGone });
  if (acquired === undefined) throw new ImproveLostError({ improvementId, reason: 'another process brings it on' });
  const { improvement, lease } = acquired;
  const held: HeldOptions = { store, lease };
  await using renewed = autoRenew({ ...held, seconds: leaseSeconds });
  await using watch = watchImprovement(options, held);
  const given = options.signal === undefined ? [] : [options.signal];
  const signal = AbortSignal.any([renewed.signal, watch.signal, ...given]);
  try {
    const plan = improvePlanSchema.parse(improvement.plan);
    const done = readDone(improvement);
    for (let stage: ImproveStage | undefined = readStage(improvement); stage !== undefined;) {
      const at: ImproveStage = stage;
      const tell = (state: ImproveProgress['state'], detail: string): void =>
        options.onProgress?.({ improvement: improvementId, stage: at, state, detail });
      signal.throwIfAborted();
      tell('started', '');
      const say = (detail: string): void => {
        watch.note(detail);
        tell('working', detail);
      };
      const context = { store: renewed.store, improvement, plan, done, signal, say };
      stage = await doStage({ stage: at, deps, held, context, tell });
    }
  } catch (error) {
    // Who stopped it has taken it from us. A database that is away tells nothing, and what went wrong is told.
    const found = await findImprovement({ store, tenantId, ref: improvementId }).catch(() => undefined);
    if (found?.outcome === STOPPED) return found;
    // What is lost belongs to somebody else already; everything else can be tried again at once.
    if (ImproveLostError.isInstance(error)) throw error;
    if (LeaseLostError.isInstance(error) || LeaseLostError.isInstance(renewed.signal.reason)) {
      throw new ImproveLostError({ improvementId, reason: 'another process took it over', cause: error });
    }
    await releaseImprovement({ ...held, problem: sentenceOf(error) });
    throw error;
  }
  return needImprovement(await findImprovement({ store, tenantId, ref: improvementId }), improvementId);
}

/** Looks whether somebody stopped it, on whichever machine, and keeps the newest of what its stage is doing. */
function watchImprovement(
  { store, tenantId, improvementId, lookEveryMs = LOOK_EVERY_MS }: RunImprovementOptions,
  held: HeldOptions,
): { signal: AbortSignal; note: (detail: string) => void } & AsyncDisposable {
  const stopped = new AbortController();
  let said: string | undefined;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const found = await findImprovement({ store, tenantId, ref: improvementId });
    if (found?.outcome === STOPPED) stopped.abort(new Error(`improvement ${improvementId} was stopped`));
    const progress = said;
    said = undefined;
    if (progress !== undefined)
      await noteImprovementProgress({ ...held, progress: progress.slice(0, LONGEST_SENTENCE) });
  };
  const timer = setInterval(() => {
    // A database that is away is asked again; whether the lease is still ours is known by who renews it.
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = undefined));
  }, lookEveryMs);
  return {
    signal: stopped.signal,
    note: (detail) => (said = detail),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Does a stage and writes down what it came to. Gives the next one; undefined at the end. */
async function doStage(options: {
  stage: ImproveStage;
  deps: ImproveDeps;
  held: HeldOptions;
  context: StageContext;
  tell: (state: ImproveProgress['state'], detail: string) => void;
}): Promise<ImproveStage | undefined> {
  const { stage, deps, held, context, tell } = options;
  const content = await deps[stage](context);
  const ending = judgeStage(stage, content, context.plan, context.done);
  const next = IMPROVE_STAGES[IMPROVE_STAGES.indexOf(stage) + 1];
  if (ending === undefined && next === undefined) throw new Error(`nothing follows ${stage}`);
  const to = ending ?? { stage: next ?? stage };
  // If we die before this, the stage is done again with what it finds; if we die behind it, the next one is begun.
  const isOurs = await advanceImprovement({ ...held, from: stage, content: toPlain(content), to });
  if (!isOurs) {
    throw new ImproveLostError({ improvementId: held.lease.resource, reason: 'another process took it over' });
  }
  (context.done as Record<string, unknown>)[stage] = content;
  tell('done', ending === undefined ? '' : `${ending.outcome}: ${ending.reason}`);
  return ending === undefined ? next : undefined;
}

function readDone({ stages }: Improvement): Partial<StageContents> {
  return Object.fromEntries(stages.map(({ stage, content }) => [stage, content]));
}

function readStage({ stage, improvementId }: Improvement): ImproveStage {
  const known = IMPROVE_STAGES.find((name) => name === stage);
  if (known === undefined)
    throw new Error(`improvement ${improvementId} stands at ${stage}, which this version has not`);
  return known;
}

function needImprovement(improvement: Improvement | undefined, improvementId: string): Improvement {
  if (improvement === undefined) throw new Error(`there is no improvement ${improvementId}`);
  return improvement;
}

// What is absent has no JSON text.
const toPlain = (content: object): JsonObject => JSON.parse(JSON.stringify(content)) as JsonObject;

const sentenceOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_SENTENCE);
