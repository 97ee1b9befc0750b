import { listRunPaths } from './engine-paths.ts';
import { describeEngine, type Engine } from './engine.ts';
import { readEngineState } from './engine-state.ts';
import { listEngineProcesses } from './stop-engine.ts';
import { isHealthy } from './wait-until-ready.ts';

export interface FindEngineOptions {
  readonly home: string;
  /** Where the running engine keeps its state; `engine/run` in the home by default. */
  readonly runDirectory?: string | undefined;
  readonly fetch?: typeof globalThis.fetch;
}

export interface FoundEngine extends Engine {
  /** `unhealthy`: it was ready, and its API does not answer now. */
  readonly state: 'starting' | 'ready' | 'unhealthy';
}

/** The engine that runs for this home; undefined when none does. */
export async function findEngine(options: FindEngineOptions): Promise<FoundEngine | undefined> {
  const { home, runDirectory, fetch } = options;
  const paths = listRunPaths(home, runDirectory);
  const processes = await listEngineProcesses(paths.databaseUrl);
  const state = await readEngineState(paths.state);
  const group = processes[0]?.group;
  if (group === undefined || state === undefined) return undefined;
  const engine = describeEngine({ home, runDirectory, state, pid: group });
  if (!state.is_ready) return { ...engine, state: 'starting' };
  return { ...engine, state: (await isHealthy(state.url, fetch)) ? 'ready' : 'unhealthy' };
}
