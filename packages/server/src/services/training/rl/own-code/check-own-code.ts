import type { TrainerSection } from '@lachesis/protocol';
import type { CodeKey } from './own-code.ts';

/** Throws when a file that a recipe names for loss or advantage cannot be loaded, or fails on a few numbers. */
export async function checkOwnCode(section: Pick<TrainerSection, CodeKey>): Promise<void> {
  // Loaded when it is asked for: parents of stations come through the same entry, and stay small without the engine's client.
  const { loadOwnCode } = await import('./load-own-code.ts');
  await loadOwnCode(section);
}
