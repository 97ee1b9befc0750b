import { setTimeout as sleep } from 'node:timers/promises';

import { composeBody } from '../bodies/compose-body.ts';
import type { Template } from '../bodies/load-templates.ts';
import type { HttpClient } from './http-client.ts';
import { readNumber } from './join-run.ts';
import { MAX_BATCHES_OFF_POLICY, STATUS_POLL_MS, TRAINER_POLL_MS } from './options.ts';
import type { LoadOptions } from './options.ts';
import type { Recorder } from './recorder.ts';

export interface Workplace {
  readonly client: HttpClient;
  readonly recorder: Recorder;
  readonly options: LoadOptions;
  readonly templates: readonly Template[];
  /** The next id to send; shared by all environments. */
  nextId: number;
  /** True once the workers should stop taking up new work. */
  isOver(): boolean;
}

/** An environment: what it is called by the server, and whether it is holding back. */
export interface EnvironmentState {
  readonly envId: number;
  isPaused: boolean;
}

/** Pushes one group after another, with one request under way, until the run is over or `upToId` was sent. */
export async function pushGroups(place: Workplace, environment: EnvironmentState, upToId = Infinity): Promise<void> {
  while (!place.isOver()) {
    if (environment.isPaused) {
      await sleep(20);
      continue;
    }
    if (place.nextId > upToId) return;
    const body = composeBody({ id: place.nextId, envId: environment.envId, templates: place.templates });
    place.nextId += 1;
    await attempt(place, async () => {
      const headers = { 'content-encoding': 'gzip' };
      place.recorder.addPost(
        await place.client.call({ method: 'POST', path: '/scored_data', body: body.wire, headers }),
      );
    });
  }
}

/** Asks for the environment's status as BaseEnv does: a GET with a JSON body, ten times a second. */
export async function pollStatus(place: Workplace, environment: EnvironmentState): Promise<void> {
  const { batchSize, sequences, mode } = place.options;
  const body = Buffer.from(`{"env_id": ${environment.envId}}`);
  while (!place.isOver()) {
    await attempt(place, async () => {
      const reply = await place.client.call({ method: 'GET', path: '/status-env', body });
      place.recorder.addStatus(reply);
      const waiting = readNumber(JSON.parse(reply.body.toString()), 'queue_size') ?? 0;
      environment.isPaused = mode === 'paced' && waiting * sequences >= MAX_BATCHES_OFF_POLICY * batchSize;
    });
    await sleep(STATUS_POLL_MS);
  }
}

/** Takes batches one after another; waits a little when there is none. Returns at the first empty reply if asked to. */
export async function drainBatches(place: Workplace, { untilEmpty }: { untilEmpty: boolean }): Promise<void> {
  while (!place.isOver()) {
    let hasBatch = false;
    await attempt(place, async () => {
      const headers = { 'accept-encoding': 'gzip' };
      hasBatch = place.recorder.addBatch(await place.client.call({ method: 'GET', path: '/batch', headers }));
    });
    if (hasBatch) continue;
    if (untilEmpty) return;
    await sleep(TRAINER_POLL_MS);
  }
}

/** A failed request is counted and the worker goes on, as the clients it stands for do. */
async function attempt(place: Workplace, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    place.recorder.addFailure(error instanceof Error ? error.message : String(error));
    await sleep(TRAINER_POLL_MS);
  }
}
