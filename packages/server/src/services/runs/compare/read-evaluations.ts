import { mean } from '@lachesis/protocol';
import { runPath } from '@lachesis/protocol/home';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The last evaluation of a run that left its samples. */
export interface EvaluatedItems {
  step: number;
  /** By environment and key of the item. */
  scores: Map<string, number>;
}

/** More items than anybody evaluates on at every so many steps. */
const MOST_ITEMS = 100_000;

/** Scores of the items of a run's last evaluation; undefined when it left none. */
export async function readEvaluatedItems(home: string, run: string): Promise<EvaluatedItems | undefined> {
  const places = join(runPath(home, run), 'environments');
  const found = await Promise.all(
    (await list(places)).map(async (environment) => {
      const folder = join(places, environment, 'evals');
      const steps = (await list(folder)).flatMap((name) => /^step-(\d+)$/.exec(name)?.slice(1, 2).map(Number) ?? []);
      return { environment, folder, steps };
    }),
  );
  const step = Math.max(-1, ...found.flatMap(({ steps }) => steps));
  if (step < 0) return undefined;
  const samples = new Map<string, number[]>();
  for (const { environment, folder, steps } of found) {
    if (!steps.includes(step)) continue;
    for await (const { key, score } of readSamples(join(folder, `step-${step}`, 'samples.jsonl'))) {
      const item = `${environment}/${key}`;
      const known = samples.get(item);
      // Of several samples of an item their mean counts.
      if (known !== undefined) known.push(score);
      else if (samples.size < MOST_ITEMS) samples.set(item, [score]);
    }
  }
  const scores = new Map([...samples].map(([item, values]) => [item, mean(values)]));
  return scores.size === 0 ? undefined : { step, scores };
}

async function* readSamples(path: string): AsyncGenerator<{ key: string; score: number }> {
  const file = createReadStream(path);
  try {
    for await (const line of createInterface({ input: file, crlfDelay: Infinity })) {
      const { key, score } = JSON.parse(line) as { key?: unknown; score?: unknown };
      if (typeof key === 'string' && typeof score === 'number') yield { key, score };
    }
  } catch (error) {
    // One that is being written, or was cut off when its process died, compares nothing more.
    if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    file.destroy();
  }
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
