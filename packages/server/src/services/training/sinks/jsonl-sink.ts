import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { MetricSink } from './metric-sink.ts';

/**
 * A JSON line for the trainer at each step, and one for each environment and evaluation, which name the environment. A step
 * that is made again after a crash gets a second line; of a number that is told twice the later one counts.
 */
export function createJsonlSink({
  path,
  append = appendLine,
}: {
  path: string;
  append?: typeof appendLine;
}): MetricSink {
  return {
    name: 'metrics.jsonl',
    write: ({ step, at, environment, values }) =>
      append(path, `${JSON.stringify({ step, time: at / 1000, environment, ...values })}\n`),
    close: async () => undefined,
  };
}

async function appendLine(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, line);
}
