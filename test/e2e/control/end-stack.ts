import { createControlClient } from '@lachesis/sdk';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Stack } from './start-stack.ts';

const END_MS = 20_000;
const OPEN = new Set(['pending', 'starting', 'running', 'stopping']);

/** The processes of a run outlive their server, and an engine waits for open runs: so every run is ended before. */
export async function endStack({ controlUrl, process }: Stack, log: (text: string) => void): Promise<void> {
  try {
    const client = createControlClient({ url: controlUrl });
    const listOpen = async (): Promise<string[]> =>
      (await client.listRuns()).runs.flatMap(({ run_id: runId, status }) => (OPEN.has(status) ? runId : []));
    for (const runId of await listOpen()) await client.stopRun(runId);
    const until = performance.now() + END_MS;
    while ((await listOpen()).length > 0 && performance.now() < until) await sleep(300);
  } catch (error) {
    log(`the runs could not be ended: ${String(error)}\n${process.logs().slice(-2_000)}`);
  }
  await process.stop({ graceMs: 30_000 });
}
