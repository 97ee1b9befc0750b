import type { Clock, EnvironmentStatusReply, TrainerItems, TrainerProgress } from '@lachesis/protocol';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import { ClientError } from '../../clients/client-error.ts';
import type { TrajectoryClient } from '../../clients/trajectory.ts';
import { createCurriculum, hasCurriculum } from '../curriculum/create-curriculum.ts';
import type { ItemRateKeeper } from '../curriculum/keep-item-rates.ts';
import type { EnvironmentDefinition, OpenedEnvironment } from '../definition.ts';
import { EnvironmentError } from '../environment-error.ts';
import { createFailureGate } from '../failures/create-failure-gate.ts';
import { assembleGroup } from '../group/assemble-group.ts';
import { failed, type Outcome } from '../outcome.ts';
import type { UnsentGroups } from '../output/open-unsent-groups.ts';
import type { Policy } from '../policy/policy.ts';
import { countOpenPlaces } from './count-open-places.ts';
import { createOnPolicyRounds } from './create-on-policy-rounds.ts';
import { createStepRecords } from './create-step-records.ts';
import type { TrainingTotals } from './create-training-window.ts';
import type { EvaluationReport } from './evaluate-environment.ts';
import { createGroupJudge } from './judge-group.ts';
import { rollOutGroup, type RolledOutGroup } from './roll-out-group.ts';
import type { OnRunEvent, RunEvent } from './run-event.ts';
import { sendGroup, type SentGroup } from './send-group.ts';

/** The part of the client that an environment needs. */
export type EnvironmentClient = Pick<
  TrajectoryClient,
  'registerEnvironment' | 'environmentStatus' | 'disconnectEnvironment' | 'pushGroup'
>;

export interface ServeOptions {
  readonly definition: EnvironmentDefinition;
  readonly environment: OpenedEnvironment;
  readonly policy: Policy;
  readonly client: EnvironmentClient;
  /** Sequences in a batch: from the configuration, or what the trainer registered. */
  readonly readBatchSize: () => Promise<number>;
  readonly clock: Clock;
  readonly nextId: () => string;
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
  /** Evaluates at a step. It is handed in whole, so that nothing here gives it a way to the trajectory API. */
  readonly evaluate: (step: number) => Promise<EvaluationReport>;
  /**
   * Asks the trainer how far it is and into which steps groups went. Where there is none, steps are counted by the batches
   * that left the trajectory API.
   */
  readonly askTrainer?: ((question: TrainerQuestion) => Promise<TrainerAnswer>) | undefined;
  /** Keeps a finished group besides sending it. */
  readonly saveGroup?: ((group: RolledOutGroup) => Promise<void>) | undefined;
  /** Keeps the pass rates of items beyond this process. */
  readonly itemRates?: ItemRateKeeper | undefined;
  /** Where finished groups wait that the trajectory API could not take; those of an earlier process are sent first. */
  readonly unsent?: UnsentGroups | undefined;
  /** Seconds between tries while the run is paused. */
  readonly probeSeconds?: number;
}

export interface TrainerQuestion {
  readonly groupIds: readonly string[];
  /** Nothing more will be told, and everything that was has arrived. */
  readonly isDone: boolean;
}

/** `later`: it is there, or may be, and does not say anything now. */
export type TrainerAnswer = TrainerProgress | 'later' | 'none';

export interface ServeSummary extends TrainingTotals {
  readonly step: number;
}

/** The trajectory API is asked this often at most how much waits; between answers, what was sent is counted here. */
const STATUS_MS = 250;
/** Who samples in rounds makes the trainer wait for as long as a round is not heard of. */
const ROUND_MS = 50;
const PROBE_SECONDS = 30;
/** The token is not good for this run: asking again changes nothing. */
const REFUSED = new Set([401, 403]);
/** A group that nobody has said anything about for so many steps is counted with the step that is reached. */
const LONGEST_UNKNOWN_STEPS = 16;
/** A trainer that was started again is back within this time. */
const TRAINER_AWAY_MS = 60_000;
/** What is finished when the run ends has this long to reach the trajectory API. */
const LAST_SEND_MS = 10_000;

/** Rolls out groups and sends them until the trainer has made its steps, or the signal ends it. */
export async function serveEnvironment(options: ServeOptions): Promise<ServeSummary> {
  const { environment, definition, client, clock, policy, nextId } = options;
  const { config } = environment;
  const rolling = new AbortController();
  const sending = new AbortController();
  const signal = AbortSignal.any([options.signal, rolling.signal]);
  const gate = createFailureGate({ now: clock.now });
  const records = createStepRecords(environment);
  const judge = createGroupJudge(config);
  const inFlight = new Set<Promise<void>>();
  let waitingFor: string | undefined;
  let isPaused = false;
  let fatal: { readonly error: unknown } | undefined;
  let wake: () => void = () => {};
  const isOver = (): boolean => signal.aborted || fatal !== undefined;

  const onEvent = (event: RunEvent): void => {
    records.watch(event);
    options.onEvent(event);
  };
  const say = (reason: string | undefined): void => {
    if (reason !== undefined && reason !== waitingFor) onEvent({ kind: 'run-waiting', reason });
    waitingFor = reason;
  };

  const register = () =>
    client.registerEnvironment(
      {
        name: config.wandb_name ?? definition.name,
        groupSize: config.group_size,
        maxTokenLength: config.max_token_length,
        weight: config.inference_weight,
        minBatchAllocation: config.min_batch_allocation ?? undefined,
      },
      { signal, onWaiting: () => say('no trainer has asked for a batch yet') },
    );
  let registered = await register();
  const batchSize = await options.readBatchSize();
  const rounds =
    config.max_batches_offpolicy === 0 ? createOnPolicyRounds({ config, batchSize, now: clock.now }) : undefined;
  const totalSteps = [config.total_steps, registered.num_steps].find((steps) => steps > 0);
  // Items go on about where the step is, so that a process that was started again does not begin with the first ones.
  const start = registered.starting_step * Math.ceil(batchSize / config.group_size);
  const curriculum = createCurriculum({ config, drawAt: environment.drawTrainItem, start });
  curriculum.know((hasCurriculum(config) ? await options.itemRates?.load() : undefined) ?? []);
  let step = registered.starting_step;
  let evaluatedAt = step;
  let canEvaluate = config.steps_per_eval > 0;
  /** Undefined until the trainer has answered. */
  let progress: TrainerProgress | undefined;
  /** The last step whose groups were asked for. */
  let settledStep = 0;
  let [answeredAt, isReached, isTrainerLate] = [clock.now(), false, false];
  let queued = 0;
  let unkept = new Map<string, TrainerItems['rates'][number]>();
  let share: number | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  const lookMs = rounds === undefined ? STATUS_MS : ROUND_MS;
  const mustWait = (): boolean => isPaused && !isOver();
  const waitWhilePaused = async (): Promise<void> => {
    while (mustWait()) await clock.sleep(STATUS_MS, signal);
  };
  const rollOut = {
    ...{ definition, environment, policy, nextId, gate, signal, onEvent },
    now: clock.now,
    beforeRetry: waitWhilePaused,
  };

  const send = (groupId: string, group: EncodableGroup): Promise<SentGroup> =>
    sendGroup({ client, groupId, group, signal: sending.signal, onWaiting: say });

  /** A finished group outlives the process: the next one sends it under the same key. */
  async function putAside(groupId: string, group: EncodableGroup, reason: string): Promise<void> {
    if (options.unsent === undefined) return onEvent({ kind: 'group-dropped', reason });
    await options.unsent.add(groupId, group);
    const place = options.unsent.folder;
    onEvent({ kind: 'log', text: `group ${groupId} waits in ${place} for the next start: ${reason}` });
  }

  async function sendUnsent(): Promise<void> {
    for (const { groupId, group } of (await options.unsent?.list()) ?? []) {
      const sent = await send(groupId, group);
      if (sent.kind !== 'sent') {
        onEvent({ kind: 'log', text: `group ${groupId} of an earlier process was not taken: ${sent.reason}` });
        continue;
      }
      await options.unsent?.remove(groupId);
      queued += 1;
      onEvent({ kind: 'log', text: `group ${groupId} of an earlier process was sent: ${sent.receipt.status}` });
    }
  }

  /** One item from drawing to the answer of the trajectory API. */
  async function work(): Promise<void> {
    const drawn = await curriculum.draw();
    if (drawn === undefined) {
      say('the environment has no item to give');
      return clock.sleep(STATUS_MS, signal);
    }
    const startedAt = clock.now();
    const outcomes: Outcome[] = [];
    const watch = (event: RunEvent): void => {
      if (event.kind === 'rollout-ended') outcomes.push(event.outcome);
      onEvent(event);
    };
    const group = await rollOutGroup({ ...rollOut, onEvent: watch }, drawn);
    curriculum.rate(drawn.key, outcomes);
    const record = { outcomes, seconds: (clock.now() - startedAt) / 1000 };
    if (group === undefined) return records.addDropped(record);
    const refusal = judge(group);
    if (refusal !== undefined) {
      records.addDropped(record);
      return onEvent({ kind: 'group-dropped', reason: refusal });
    }
    await options.saveGroup?.(group);
    const groupId = nextId();
    const assembled = assembleGroup({
      rollouts: group.rollouts,
      groupId,
      item: drawn.key,
      environment: definition.name,
      environmentDigest: definition.digest,
      verifierDigest: definition.verifierDigest,
      envId: registered.env_id,
      temperature: config.temperature,
      groupOverrides: environment.groupOverrides?.(drawn),
      includeMessages: config.include_messages,
      setAside: records.addGroup(groupId, { ...record, group, step }),
    });
    const sent = await send(groupId, assembled);
    if (sent.kind === 'sent') records.sent(groupId, clock.now());
    else records.notSent(groupId);
    if (sent.kind === 'unplaced') return await putAside(groupId, assembled, sent.reason);
    if (sent.kind === 'refused') {
      gate.record(failed('infrastructure', sent.reason));
      return onEvent({ kind: 'group-dropped', reason: sent.reason });
    }
    queued += 1;
    rounds?.sent();
    const { status, reason } = sent.receipt;
    const why = reason === undefined ? {} : { reason };
    onEvent({ kind: 'group-sent', groupId, status, ...why, health: group.health });
  }

  function startWork(): void {
    const worker = work()
      .catch((error: unknown) => {
        if (!signal.aborted) fatal ??= { error };
      })
      .finally(() => {
        inFlight.delete(worker);
        wake();
      });
    inFlight.add(worker);
  }

  async function readStatus(): Promise<void> {
    if (clock.now() - askedAt < lookMs) return;
    const status = await askStatus();
    askedAt = clock.now();
    if (status !== undefined) {
      share = status.batch_share;
      queued = share === undefined ? status.queue_size : status.self_queue_size;
    }
    const isNew = status !== undefined && status.current_step !== step;
    if (isNew) {
      step = status.current_step;
      onEvent({ kind: 'step-reached', step, totalSteps });
      if (hasCurriculum(config)) await keepRates();
    }
    if (await askTrainer()) return;
    // Nobody says into which step a group went: what is finished when a batch leaves counts for it.
    if (isNew && progress === undefined) records.settleAll(step);
    logSteps();
  }

  /** Rates that were not taken are told with the next step's. */
  async function keepRates(): Promise<void> {
    unkept = new Map([...unkept, ...curriculum.takeChanged().map((rate) => [rate.item, rate] as const)]);
    if ((await options.itemRates?.save([...unkept.values()])) === true) unkept.clear();
    const { setAside, replayed } = curriculum.takeCounts();
    const metrics = { 'curriculum/set_aside': setAside, 'curriculum/replayed': replayed };
    onEvent({ kind: 'metrics-logged', step, metrics });
  }

  function logSteps(): void {
    for (const row of records.take()) onEvent({ kind: 'metrics-logged', ...row });
  }

  /** Tells whether there was an answer. */
  async function askTrainer(question: Partial<TrainerQuestion> = {}): Promise<boolean> {
    // A batch may be taken between two questions: then it is the trainer that tells of a step first.
    const isBehind = progress === undefined || settledStep < Math.max(step, progress.taken_step);
    const asksAll = isBehind || isReached;
    const groupIds = asksAll ? records.waiting() : [];
    const answer = await options.askTrainer?.({ groupIds, isDone: false, ...question });
    isTrainerLate = answer === 'later';
    if (!isReached) rounds?.hear(readRound(answer));
    if (answer === undefined || answer === 'later' || answer === 'none') return false;
    answeredAt = clock.now();
    progress = answer;
    if (asksAll && question.groupIds === undefined) settledStep = answer.taken_step;
    for (const [groupId, { step: trainedIn, taken_seconds_ago: ago }] of Object.entries(answer.groups)) {
      records.settle(groupId, trainedIn, answeredAt - ago * 1000);
    }
    records.settleBefore(answer.taken_step - LONGEST_UNKNOWN_STEPS, answer.taken_step);
    logSteps();
    return true;
  }

  /** Undefined while the trajectory API is away. One that does not know us was reset: we join its new life. */
  async function askStatus(): Promise<EnvironmentStatusReply | undefined> {
    try {
      return await client.environmentStatus(registered.env_id, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!ClientError.isInstance(error) || REFUSED.has(error.status ?? 0)) throw error;
      if (error.retryable) say(`the trajectory API does not answer: ${error.reason}`);
      else registered = await register();
      return undefined;
    }
  }

  /** The last step whose weights answer; by the trainer's word, or by the batches that left. */
  const servedStep = (): number => progress?.served_step ?? step;

  const isAtEnd = (at: number): boolean => totalSteps !== undefined && at >= totalSteps;
  /** Batches are no steps where one held nothing to learn from: what the trainer says goes before what left. */
  const isMade = (): boolean =>
    progress === undefined ? isAtEnd(step) : progress.is_over || isAtEnd(progress.served_step);
  /** The last batch was taken; whether another one is needed shows when it is trained on. */
  const isTaken = (): boolean => progress !== undefined && isAtEnd(progress.taken_step);

  async function evaluateAt(at: number): Promise<void> {
    try {
      const { metrics } = await options.evaluate(at);
      onEvent({ kind: 'metrics-logged', step: at, metrics });
    } catch (error) {
      if (EnvironmentError.isInstance(error) && error.kind === 'no-items') canEvaluate = false;
      // Told, and training goes on: its own rollouts watch over themselves.
      if (!signal.aborted) onEvent({ kind: 'log', text: `the evaluation at step ${at} failed: ${describe(error)}` });
    }
  }

  async function pauseUntilWell(reason: string): Promise<void> {
    isPaused = true;
    onEvent({ kind: 'run-paused', reason });
    const alone = { ...environment, config: { ...config, group_size: 1, max_rollout_attempts: 1 } };
    while (!isOver()) {
      await clock.sleep((options.probeSeconds ?? PROBE_SECONDS) * 1000, signal);
      if (signal.aborted) return;
      const drawn = await environment.drawTrainItem(start);
      const probe =
        drawn === undefined
          ? undefined
          : await rollOutGroup({ ...rollOut, environment: alone, beforeRetry: undefined }, drawn);
      if (probe === undefined) continue;
      isPaused = false;
      gate.reset();
      return onEvent({ kind: 'run-resumed' });
    }
  }

  let evaluation: Promise<void> | undefined;
  const every = config.steps_per_eval;
  const evaluateNow = (at: number): void => {
    evaluatedAt = at;
    evaluation = evaluateAt(at).finally(() => {
      evaluation = undefined;
      wake();
    });
  };

  /** The trainer makes its last steps, and its last weights are evaluated. It waits for us until we say that we are done. */
  async function finishWithTrainer(): Promise<void> {
    const { signal: outer } = options;
    isReached = true;
    const isAway = (): boolean => outer.aborted || clock.now() - answeredAt > TRAINER_AWAY_MS;
    const wait = async (until: () => boolean): Promise<void> => {
      while (!until() && !isAway()) {
        await askTrainer();
        if (!until()) await clock.sleep(STATUS_MS, outer);
      }
    };
    // Once at least: it may have been over before the groups of its last steps were asked for.
    await askTrainer();
    await wait(() => progress?.is_over === true);
    await wait(() => evaluation === undefined);
    const last = progress?.served_step ?? step;
    if (canEvaluate && !isAway() && last > evaluatedAt) {
      evaluateNow(last);
      await wait(() => evaluation === undefined);
    }
    if (!isAway()) await askTrainer({ groupIds: [], isDone: true });
  }

  try {
    // Groups of an earlier process are not of the newest weights.
    const earlier = (rounds === undefined ? sendUnsent() : Promise.resolve()).catch((error: unknown) => {
      if (!signal.aborted) fatal ??= { error };
    });
    inFlight.add(earlier);
    void earlier.finally(() => inFlight.delete(earlier));
    await readStatus();
    // Before the first rollout, so that it is the weights of the start that are evaluated.
    evaluatedAt = servedStep();
    let isStarting = canEvaluate && evaluatedAt === 0;
    let hasBegun = false;
    while (!isOver()) {
      await readStatus();
      if (isMade()) break;
      // A trainer that still connects to its engine serves no weights.
      if (isStarting && !hasBegun && !isTrainerLate) {
        hasBegun = true;
        evaluateNow(0);
      }
      isStarting &&= !hasBegun || evaluation !== undefined;
      if (gate.reason !== undefined) await pauseUntilWell(gate.reason);
      const served = servedStep();
      if (canEvaluate && evaluation === undefined && Math.floor(served / every) > Math.floor(evaluatedAt / every)) {
        evaluateNow(served);
      }
      const places = { queued, inFlight: inFlight.size };
      const mayStart = rounds?.countOpenPlaces(places) ?? countOpenPlaces({ config, batchSize, share, ...places });
      const open = isStarting || isTaken() ? 0 : mayStart;
      for (let index = 0; index < open; index += 1) startWork();
      if (isStarting) say('the weights of the start are evaluated');
      else say(inFlight.size === 0 ? `${queued} groups wait for the trainer` : undefined);
      const woken = new Promise<void>((resolve) => (wake = resolve));
      await Promise.race([woken, clock.sleep(lookMs, signal)]);
    }
    if (fatal !== undefined) throw fatal.error;
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    // Rollouts still in flight have no step to go to; groups that are finished still do.
    rolling.abort(new Error('the run has ended'));
    const limit = setTimeout(() => sending.abort(new Error('the run has ended')), LAST_SEND_MS);
    await Promise.allSettled(inFlight);
    clearTimeout(limit);
    if (hasCurriculum(config)) await keepRates();
    if (progress !== undefined && fatal === undefined) await finishWithTrainer();
    await evaluation;
    // What the trainer took into no step belongs to none; without its word everything counts for the step that is reached.
    if (progress === undefined) records.settleAll(step);
    logSteps();
    await client.disconnectEnvironment(registered.env_id, { retryForMs: 0 }).catch((error: unknown) => {
      onEvent({ kind: 'log', text: `the environment could not say goodbye: ${describe(error)}` });
    });
  }
  return { step, ...records.totals };
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Of a trainer that opens rounds; who is away opens none. */
function readRound(answer: TrainerAnswer | undefined): string | null {
  if (answer === 'later') return null;
  if (answer !== undefined && answer !== 'none' && answer.round !== undefined) return answer.round;
  throw new EnvironmentError({
    kind: 'bad-server',
    reason:
      answer === undefined || answer === 'none'
        ? 'env.max_batches_offpolicy is 0 (strictly on-policy), and there is no trainer that says when its new weights are served.'
        : 'env.max_batches_offpolicy is 0 (strictly on-policy) here and not in the recipe of the trainer.',
    hint: 'Name the trainer in env.trainer_url and give both the same recipe, or set env.max_batches_offpolicy to 1 or more.',
  });
}
