import type { EnvironmentDefinition, OpenedEnvironment } from '../definition.ts';
import { EnvironmentError } from '../environment-error.ts';
import { createFailureGate } from '../failures/create-failure-gate.ts';
import type { Policy } from '../policy/policy.ts';
import { createTrainingWindow, type TrainingTotals } from './create-training-window.ts';
import { rollOutGroup, type RolledOutGroup } from './roll-out-group.ts';
import type { OnRunEvent, RunEvent } from './run-event.ts';

export interface ProcessOptions {
  readonly definition: EnvironmentDefinition;
  readonly environment: OpenedEnvironment;
  readonly policy: Policy;
  /** How many groups to write. */
  readonly groups: number;
  readonly nextId: () => string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
  /** Called for one group after another, in the order of drawing, whichever was finished first. */
  readonly writeGroup: (group: RolledOutGroup, groupId: string) => Promise<void>;
}

export interface ProcessSummary extends TrainingTotals {
  readonly metrics: Readonly<Record<string, number>>;
}

/** Without a trainer to pace them, so many groups are rolled out at once unless the configuration says fewer. */
const MOST_AT_ONCE = 64;

/** Rolls out groups and writes each, those of one and of equal scores too. The same seed and policy give the same file. */
export async function processEnvironment(options: ProcessOptions): Promise<ProcessSummary> {
  const { environment, groups, signal, now } = options;
  const { config } = environment;
  const gate = createFailureGate({ now });
  const window = createTrainingWindow(environment);
  const onEvent = (event: RunEvent): void => {
    window.watch(event);
    options.onEvent(event);
  };
  const finished = new Map<number, RolledOutGroup | undefined>();
  let [drawnUntil, writtenUntil, resampled] = [0, 0, 0];
  let writing = Promise.resolve();

  async function writeInOrder(): Promise<void> {
    while (finished.has(writtenUntil) && window.totals.groups < groups) {
      const group = finished.get(writtenUntil);
      finished.delete(writtenUntil);
      writtenUntil += 1;
      if (group === undefined) continue;
      if (group.health.isDead && config.dynamic_resampling && resampled < config.max_resamples) {
        resampled += 1;
        onEvent({ kind: 'group-dropped', reason: 'all scores are equal, another item takes its place' });
        continue;
      }
      resampled = 0;
      const groupId = options.nextId();
      await options.writeGroup(group, groupId);
      window.add(group);
      onEvent({ kind: 'group-written', groupId, health: group.health });
    }
  }

  /** A group that was dropped is not replaced: a fault must not turn into an endless run. Dead ones are, when asked for. */
  const isEnough = (): boolean => {
    const replaced = config.dynamic_resampling ? writtenUntil - window.totals.groups : 0;
    return drawnUntil >= groups + Math.min(replaced, groups * config.max_resamples);
  };

  async function work(): Promise<void> {
    while (!isEnough() && gate.reason === undefined) {
      signal.throwIfAborted();
      const index = drawnUntil;
      drawnUntil += 1;
      const drawn = await environment.drawTrainItem(index);
      if (drawn === undefined) return;
      finished.set(index, await rollOutGroup({ ...options, gate, onEvent }, drawn));
      writing = writing.then(writeInOrder);
      await writing;
    }
  }

  const most = config.max_num_workers < 0 ? MOST_AT_ONCE : Math.min(MOST_AT_ONCE, config.max_num_workers);
  await Promise.all(Array.from({ length: Math.max(1, Math.min(most, groups)) }, work));
  if (gate.reason !== undefined) {
    throw new EnvironmentError({
      kind: 'too-many-failures',
      reason: `The run ends after ${window.totals.groups} groups: ${gate.reason}.`,
      hint: 'What was written stays. Mend the cause and start again.',
    });
  }
  if (window.totals.groups === 0 && window.totals.rollouts === 0) {
    throw new EnvironmentError({ kind: 'no-items', reason: 'The environment gives no training item.' });
  }
  return { ...window.totals, metrics: window.take() };
}
