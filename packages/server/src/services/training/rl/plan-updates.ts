import type { TrainerSection } from '@lachesis/protocol';

/** One optimiser step of a batch: which of its sequences, from `from` up to `to`. */
export interface PlannedUpdate {
  epoch: number;
  from: number;
  to: number;
}

/**
 * The optimiser steps of a batch: its sequences in as many parts of equal size as the recipe has minibatches, and all of them
 * once for each epoch. A batch of fewer sequences has a part for each.
 */
export function planUpdates(
  sequences: number,
  section: Pick<TrainerSection, 'epochs_per_batch' | 'minibatches'>,
): PlannedUpdate[] {
  const parts = Math.min(section.minibatches ?? 1, sequences);
  const edge = (part: number): number => Math.round((part * sequences) / parts);
  return Array.from({ length: section.epochs_per_batch ?? 1 }, (_, epoch) =>
    Array.from({ length: parts }, (__, part) => ({ epoch, from: edge(part), to: edge(part + 1) })),
  ).flat();
}
