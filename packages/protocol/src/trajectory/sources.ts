import { REROLL_SOURCE } from './reroll.ts';
import type { TrajectoryFilter } from './trajectory.ts';

/** Whether what was recorded from `recorded` is of the model `name`: of the name itself, or of a version `name@3` of it. */
export const isModelNamed = (recorded: string | null, name: string): boolean =>
  recorded === name || (recorded?.startsWith(`${name}@`) === true && /^\d+$/.test(recorded.slice(name.length + 1)));

/**
 * How the sources begin of what no application recorded: runs over many tasks, files, talks with our own agent, and replies
 * that were sampled again. They are in the library like the rest.
 */
const OFFLINE = ['batch:', 'process:', 'evaluation:', 'import:', 'lachesis-agent', REROLL_SOURCE];

/** Whether a trajectory that a filter finds is meant by it: what no application recorded is, where it is asked for by name. */
export const isAskedFor = (source: string, filter: TrajectoryFilter): boolean =>
  filter.source !== undefined ||
  filter.key !== undefined ||
  filter.run !== undefined ||
  filter.tag !== undefined ||
  !OFFLINE.some((start) => source.startsWith(start));
