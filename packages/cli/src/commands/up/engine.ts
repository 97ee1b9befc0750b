import type { Recipe } from '@lachesis/protocol';
import { findEngine, startEngine, type Engine } from '@lachesis/tinker/engine';
import { readMakeOptions } from '../../flags/engine.ts';
import { wantsLocalEngine } from '../train/recipe-file.ts';

export interface UpEngineOptions {
  readonly home: string;
  /** What runs train by; undefined when none was named. */
  readonly recipe: Recipe | undefined;
  /** A Tinker server that was named. */
  readonly engineUrl: string | undefined;
  /** Where it listens when it is started; undefined: 8100, or any other that is free. */
  readonly port: number | undefined;
  /** Whether the gateway has another model to record. */
  readonly hasModel: boolean;
}

export interface UpEngine {
  readonly engine: Engine;
  /** Whether we started it, and so end it. */
  readonly isOurs: boolean;
}

/** The local engine, started when the recipe wants one; undefined when none is needed. */
export async function openUpEngine(options: UpEngineOptions): Promise<UpEngine | undefined> {
  const { home, recipe, engineUrl, hasModel, port } = options;
  if (engineUrl !== undefined) return undefined;
  const running = await findEngine({ home });
  const isWanted = recipe !== undefined && wantsLocalEngine(recipe);
  if (running?.state === 'ready') return isWanted || !hasModel ? { engine: running, isOurs: false } : undefined;
  if (!isWanted) return undefined;
  return { engine: await startEngine({ ...readMakeOptions({ home }), port }), isOurs: true };
}
