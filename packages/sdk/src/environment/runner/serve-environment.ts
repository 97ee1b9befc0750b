import type { Clock, EnvironmentStatusReply } from '@lachesis/protocol';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import { ClientError } from '../../clients/client-error.ts';
import type { TrajectoryClient } from '../../clients/trajectory.ts';
import type { EnvironmentDefinition, OpenedEnvironment } from '../definition.ts';
import { createFailureGate } from '../failures/create-failure-gate.ts';
import { assembleGroup } from '../group/assemble-group.ts';
import { failed } from '../outcome.ts';
import type { UnsentGroups } from '../output/open-unsent-groups.ts';
import type { Policy } from '../policy/policy.ts';
import { countOpenPlaces } from './count-open-places.ts';
import { createTrainingWindow, type TrainingTotals } from './create-training-window.ts';
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
  /** Keeps a finished group besides sending it. */
  readonly saveGroup?: ((group: RolledOutGroup) => Promise<void>) | undefined;
  /** Where finished groups wait that the trajectory API could not take; those of an earlier process are sent first. */
  readonly unsent?: UnsentGroups | undefined;
  /** Seconds between tries while the run is paused. */
  readonly probeSeconds?: number;
}

export interface ServeSummary extends TrainingTotals {
  readonly step: number;
}

/** The trajectory API is asked this often at most how much waits; between answers, what was sent is counted here. */
const STATUS_MS = 250;
const PROBE_SECONDS = 30;
/** The token is not good for this run: asking again changes nothing. */
const REFUSED = new Set([401, 403]);
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
  const window = createTrainingWindow(environment);
  const judge = createGroupJudge(config);
  const inFlight = new Set<Promise<void>>();
  let waitingFor: string | undefined;
  let isPaused = false;
  let fatal: { readonly error: unknown } | undefined;
  let wake: () => void = () => {};
  const isOver = (): boolean => signal.aborted || fatal !== undefined;

  const onEvent = (event: RunEvent): void => {
    window.watch(event);
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
  const totalSteps = [config.total_steps, registered.num_steps].find((steps) => steps > 0);
  // Items go on about where the step is, so that a process that was started again does not begin with the first ones.
  let position = registered.starting_step * Math.ceil(batchSize / config.group_size);
  let step = registered.starting_step;
  let evaluatedAt = step;
  let queued = 0;
  let askedAt = Number.NEGATIVE_INFINITY;

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
    const drawn = await environment.drawTrainItem(position++);
    if (drawn === undefined) {
      say('the environment has no item to give');
      return clock.sleep(STATUS_MS, signal);
    }
    const group = await rollOutGroup(rollOut, drawn);
    if (group === undefined) return;
    const refusal = judge(group);
    if (refusal !== undefined) return onEvent({ kind: 'group-dropped', reason: refusal });
    await options.saveGroup?.(group);
    const groupId = nextId();
    const assembled = assembleGroup({
      rollouts: group.rollouts,
      groupId,
      environment: definition.name,
      environmentDigest: definition.digest,
      verifierDigest: definition.verifierDigest,
      envId: registered.env_id,
      temperature: config.temperature,
      groupOverrides: environment.groupOverrides?.(drawn),
      includeMessages: config.include_messages,
    });
    const sent = await send(groupId, assembled);
    if (sent.kind === 'unplaced') return await putAside(groupId, assembled, sent.reason);
    if (sent.kind === 'refused') {
      gate.record(failed('infrastructure', sent.reason));
      return onEvent({ kind: 'group-dropped', reason: sent.reason });
    }
    queued += 1;
    window.add(group);
    const { status, reason } = sent.receipt;
    const why = reason === undefined ? {} : { reason };
    onEvent({ kind: 'group-sent', groupId, status, ...why, health: group.health });
  }

  function start(): void {
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
    if (clock.now() - askedAt < STATUS_MS) return;
    const status = await askStatus();
    askedAt = clock.now();
    if (status === undefined) return;
    queued = status.queue_size;
    if (status.current_step === step) return;
    step = status.current_step;
    onEvent({ kind: 'step-reached', step, totalSteps });
    onEvent({ kind: 'metrics-logged', step, metrics: window.take() });
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

  async function evaluateAt(at: number): Promise<void> {
    try {
      const { metrics } = await options.evaluate(at);
      onEvent({ kind: 'metrics-logged', step: at, metrics });
    } catch (error) {
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
      const drawn = await environment.drawTrainItem(position);
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
  try {
    const earlier = sendUnsent().catch((error: unknown) => {
      if (!signal.aborted) fatal ??= { error };
    });
    inFlight.add(earlier);
    void earlier.finally(() => inFlight.delete(earlier));
    while (!isOver()) {
      await readStatus();
      if (totalSteps !== undefined && step >= totalSteps) break;
      if (gate.reason !== undefined) await pauseUntilWell(gate.reason);
      const every = config.steps_per_eval;
      if (every > 0 && evaluation === undefined && Math.floor(step / every) > Math.floor(evaluatedAt / every)) {
        evaluatedAt = step;
        evaluation = evaluateAt(step).finally(() => (evaluation = undefined));
      }
      const open = countOpenPlaces({ config, batchSize, queued, inFlight: inFlight.size });
      for (let index = 0; index < open; index += 1) start();
      say(inFlight.size === 0 ? `${queued} groups wait for the trainer` : undefined);
      const woken = new Promise<void>((resolve) => (wake = resolve));
      await Promise.race([woken, clock.sleep(STATUS_MS, signal)]);
    }
    if (fatal !== undefined) throw fatal.error;
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    await evaluation;
    // Rollouts still in flight have no step to go to; groups that are finished still do.
    rolling.abort(new Error('the run has ended'));
    const limit = setTimeout(() => sending.abort(new Error('the run has ended')), LAST_SEND_MS);
    await Promise.allSettled(inFlight);
    clearTimeout(limit);
    if (!window.isEmpty) onEvent({ kind: 'metrics-logged', step, metrics: window.take() });
    await client.disconnectEnvironment(registered.env_id, { retryForMs: 0 }).catch((error: unknown) => {
      onEvent({ kind: 'log', text: `the environment could not say goodbye: ${describe(error)}` });
    });
  }
  return { step, ...window.totals };
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
