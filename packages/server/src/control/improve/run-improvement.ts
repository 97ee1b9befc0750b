import {
  advanceImprovement,
  findImprovement,
  releaseImprovement,
  renewImprovement,
  takeImprovement,
  type HeldImprovement,
  type Improvement,
  type JsonObject,
  type Store,
} from '@lachesis/store';
import { judgeStage } from './gates.ts';
import { ImproveLostError } from './improve-lost-error.ts';
import { improvePlanSchema } from './improve-plan.ts';
import {
  IMPROVE_STAGES,
  type ImproveParts,
  type ImproveStage,
  type StageContents,
  type StageContext,
} from './improve-stages.ts';

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
  readonly parts: ImproveParts;
  /** Who does it; another name for each process. */
  readonly holder: string;
  /** Whether such a holder is known to be dead. */
  readonly isGone?: (holder: string) => boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImproveProgress) => void;
  readonly leaseSeconds?: number;
}

/** Long enough for a database that is away for a moment. A holder that was killed is known at once on its own machine. */
const LEASE_SECONDS = 60;

/**
 * Brings an improvement from where it stands to its end, stage by stage. Every end of a stage is a compare-and-set in the
 * store, so of two processes one goes on, and one that comes after a kill begins with the stage that was not written down.
 */
export async function runImprovement(options: RunImprovementOptions): Promise<Improvement> {
  const { store, tenantId, improvementId, parts, holder, leaseSeconds = LEASE_SECONDS } = options;
  const key = { store, tenantId, improvementId, holder };
  const ended = await findImprovement({ store, tenantId, ref: improvementId });
  if (ended === undefined || ended.endedAt !== null) return needImprovement(ended, improvementId);
  const isGone = options.isGone === undefined ? {} : { isGone: options.isGone };
  const taken = await takeImprovement({ ...key, seconds: leaseSeconds, ...isGone });
  if (taken === undefined) throw new ImproveLostError({ improvementId, reason: 'another process brings it on' });
  const held: HeldImprovement = { ...key, epoch: taken.epoch };
  const lease = keepLease(held, leaseSeconds);
  const signal = AbortSignal.any([lease.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  try {
    const plan = improvePlanSchema.parse(taken.plan);
    const done = readDone(taken);
    for (let stage: ImproveStage | undefined = readStage(taken); stage !== undefined;) {
      const at: ImproveStage = stage;
      const tell = (state: ImproveProgress['state'], detail: string): void =>
        options.onProgress?.({ improvement: improvementId, stage: at, state, detail });
      signal.throwIfAborted();
      tell('started', '');
      const say = (detail: string): void => tell('working', detail);
      stage = await doStage({ stage: at, parts, held, context: { improvement: taken, plan, done, signal, say }, tell });
    }
  } catch (error) {
    // What is lost belongs to somebody else already; everything else can be tried again at once.
    if (!ImproveLostError.isInstance(error)) await releaseImprovement({ ...held, problem: sentenceOf(error) });
    throw error;
  } finally {
    lease.stop();
  }
  return needImprovement(await findImprovement({ store, tenantId, ref: improvementId }), improvementId);
}

/** Does a stage and writes down what it came to. Gives the next one; undefined at the end. */
async function doStage(options: {
  stage: ImproveStage;
  parts: ImproveParts;
  held: HeldImprovement;
  context: StageContext;
  tell: (state: ImproveProgress['state'], detail: string) => void;
}): Promise<ImproveStage | undefined> {
  const { stage, parts, held, context, tell } = options;
  const content = await parts[stage](context);
  const ending = judgeStage(stage, content, context.plan);
  const next = IMPROVE_STAGES[IMPROVE_STAGES.indexOf(stage) + 1];
  if (ending === undefined && next === undefined) throw new Error(`nothing follows ${stage}`);
  const to = ending ?? { stage: next ?? stage };
  // If we die before this, the stage is done again with what it finds; if we die behind it, the next one is begun.
  const isOurs = await advanceImprovement({ ...held, from: stage, content: toPlain(content), to });
  if (!isOurs) {
    throw new ImproveLostError({ improvementId: held.improvementId, reason: 'another process took it over' });
  }
  (context.done as Record<string, unknown>)[stage] = content;
  tell('done', ending === undefined ? '' : `${ending.outcome}: ${ending.reason}`);
  return ending === undefined ? next : undefined;
}

function keepLease(held: HeldImprovement, seconds: number): { signal: AbortSignal; stop(): void } {
  const lost = new AbortController();
  const { improvementId } = held;
  let renewedAt = performance.now();
  const timer = setInterval(
    () => {
      const askedAt = performance.now();
      renewImprovement({ ...held, seconds }).then(
        (isOurs) => {
          if (isOurs) renewedAt = askedAt;
          else lost.abort(new ImproveLostError({ improvementId, reason: 'another process took it over' }));
        },
        (error: unknown) => {
          // A database that is away for a moment is asked again, until the lease may be somebody else's.
          if (performance.now() - renewedAt > seconds * 1000) lost.abort(error);
        },
      );
    },
    (seconds * 1000) / 4,
  );
  timer.unref();
  return { signal: lost.signal, stop: () => clearInterval(timer) };
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

const LONGEST_SENTENCE = 2_000;

const sentenceOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_SENTENCE);
