import { listEnginePaths } from './engine-paths.ts';
import type { OnEngineProgress } from './engine-progress.ts';
import { holdLock } from './hold-lock.ts';

/** As long as a slow line may take to bring the packages. */
const WAIT_MS = 30 * 60_000;

/** Held while the venv or a model in the home is being made. */
export async function holdMakeLock(options: {
  readonly home: string;
  readonly onProgress?: OnEngineProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<AsyncDisposable> {
  return holdLock({
    file: listEnginePaths(options.home).makeLock,
    purpose: 'making the engine or a model',
    waitMs: WAIT_MS,
    signal: options.signal,
    onWait: () =>
      options.onProgress?.({ step: 'wait', message: 'another process is making the engine; waiting for it' }),
  });
}
