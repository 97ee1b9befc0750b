import type { Clock, TrainerProgress } from '@lachesis/protocol';

/** Which groups are in which step, for the environments that made them. */
export interface TakenGroups {
  add(step: number, groupIds: readonly string[]): void;
  /** The batch of a step makes none: the next one has its number. */
  free(step: number): void;
  find(groupIds: readonly string[]): TrainerProgress['groups'];
  /** The last step that a batch was taken for; 0 before the first. */
  readonly lastStep: number;
}

/** Environments ask several times a second; what nobody has asked for during so many steps nobody will. */
const REMEMBERED_STEPS = 64;

export function createTakenGroups({ clock }: { clock: Pick<Clock, 'now'> }): TakenGroups {
  const steps = new Map<number, { at: number; groupIds: readonly string[] }>();
  const stepOf = new Map<string, number>();
  let lastStep = 0;
  return {
    add(step, groupIds) {
      lastStep = Math.max(lastStep, step);
      steps.set(step, { at: clock.now(), groupIds });
      for (const id of groupIds) stepOf.set(id, step);
      for (const [old, { groupIds: forgotten }] of steps) {
        if (old > lastStep - REMEMBERED_STEPS) continue;
        steps.delete(old);
        for (const id of forgotten) stepOf.delete(id);
      }
    },
    free: (step) => void (lastStep = Math.min(lastStep, step - 1)),
    find(groupIds) {
      const found: TrainerProgress['groups'] = {};
      for (const id of groupIds) {
        const step = stepOf.get(id);
        const taken = step === undefined ? undefined : steps.get(step);
        if (step === undefined || taken === undefined) continue;
        found[id] = { step, taken_seconds_ago: Math.max(0, clock.now() - taken.at) / 1000 };
      }
      return found;
    },
    get lastStep() {
      return lastStep;
    },
  };
}
