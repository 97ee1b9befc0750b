import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface StepFacts {
  readonly step: number;
  readonly reward: number;
  readonly seconds: number;
}

/** How long somebody who watches does not notice. */
const LOOK_EVERY_MS = 250;

/** Tells each step of a `metrics.jsonl` once, in order, until the signal ends it; what is there at the end is still told. */
export async function followMetrics(options: {
  path: string;
  signal: AbortSignal;
  onStep: (facts: StepFacts) => void;
}): Promise<void> {
  let last = 0;
  const look = async (): Promise<void> => {
    for (const facts of await readSteps(options.path)) {
      // A step that is made again after a crash has a second line; the watcher has seen it.
      if (facts.step <= last) continue;
      last = facts.step;
      options.onStep(facts);
    }
  };
  while (!options.signal.aborted) {
    await look();
    await sleep(LOOK_EVERY_MS, undefined, { signal: options.signal }).catch(() => undefined);
  }
  await look();
}

async function readSteps(path: string): Promise<StepFacts[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  // The last line may be half written; behind the last line break there is nothing to read yet.
  return (
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, number>)
      // Lines of environments and evaluations are no steps.
      .filter((row) => row['time/step'] !== undefined)
      .map((row) => ({ step: row['step'] ?? 0, reward: row['reward/mean'] ?? 0, seconds: row['time/step'] ?? 0 }))
  );
}
