import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { LachesisCommand } from '../../kit/lachesis-command.ts';
import { startControlServer } from '../../kit/start-control-server.ts';

const RECIPE = fileURLToPath(new URL('../../../packages/cli/recipes/default.yaml', import.meta.url));
const WAIT_MS = 60_000;

export interface PreflightStepRead {
  readonly name: string;
  readonly state: string;
}

/**
 * Starts a run of the default recipe with nothing but a key of the managed service, and gives the steps before its trainer.
 * The service itself is not there: whoever would ask it comes after these steps, and the run is stopped then.
 */
export async function readPreflight(options: {
  home: string;
  lachesis: LachesisCommand;
  hubUrl: string;
  log: (text: string) => void;
}): Promise<PreflightStepRead[]> {
  const { home, lachesis, hubUrl } = options;
  const control = await startControlServer({
    ...{ home, lachesis },
    flags: ['--no-token', '--recipe', RECIPE],
    env: {
      ...{ HOME: home, TINKER_API_KEY: 'tml-test', TINKER_BASE_URL: undefined, DATABASE_URL: undefined },
      ...{ HF_ENDPOINT: hubUrl, HF_HOME: join(home, 'hf'), HF_HUB_CACHE: undefined, HF_HUB_OFFLINE: undefined },
    },
  });
  try {
    const ask = (path: string, body: object): Promise<Response> =>
      fetch(`${control.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(WAIT_MS),
      });
    await ask('/environments/gsm8k/select', {});
    const started = (await (await ask('/runs', {})).json()) as { run_id?: string };
    if (started.run_id === undefined) throw new Error(`no run: ${JSON.stringify(started)}`);
    const steps = await waitForSteps(home, started.run_id);
    await ask(`/runs/${started.run_id}/stop`, {});
    return steps;
  } finally {
    await control.process.stop({ graceMs: 10_000 });
  }
}

/** Until tokenizer and environment have been looked at, or one step failed. */
async function waitForSteps(home: string, runId: string): Promise<PreflightStepRead[]> {
  const until = performance.now() + WAIT_MS;
  let steps: PreflightStepRead[] = [];
  while (performance.now() < until) {
    steps = await readSteps(home, runId);
    const ended = (name: string): boolean =>
      steps.some((step) => step.name === name && ['passed', 'skipped', 'warned'].includes(step.state));
    if ((ended('tokenizer') && ended('environment')) || steps.some(({ state }) => state === 'failed')) return steps;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return steps;
}

async function readSteps(home: string, runId: string): Promise<PreflightStepRead[]> {
  const files = await readdir(home, { recursive: true });
  const file = files.find((each) => each.endsWith('preflight.json') && each.includes(runId));
  if (file === undefined) return [];
  const { steps } = JSON.parse(await readFile(join(home, file), 'utf8')) as { steps: PreflightStepRead[] };
  return steps;
}
