/*
 * A foreground training of the product's own commands: `train-process.ts <plan as JSON>`. Control stands in for the
 * trainer, which would need an engine; both are served in the same way.
 */
import { runTraining } from '@lachesis/server';
import { fileURLToPath } from 'node:url';

export interface TrainPlan {
  home: string;
  /** In the environment of every process, so that the judge finds them. */
  run: string;
  apiPort: number;
  trainerPort: number;
  environmentConfig: string;
  /** Loaded by every station before anything else. */
  preload?: string | undefined;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as TrainPlan;
const cli = fileURLToPath(new URL('../../../../packages/cli/src/main.ts', import.meta.url));
const preload = plan.preload === undefined ? [] : ['--import', plan.preload];
const station = (name: string, given: readonly string[], port?: number) => ({
  name,
  arguments: [...given, ...(port === undefined ? [] : ['--port', String(port), '--host', '127.0.0.1'])],
  logPath: `${plan.home}/${name}.log`,
  readyUrl: port === undefined ? undefined : `http://127.0.0.1:${port}/health`,
});

await runTraining({
  command: { file: process.execPath, arguments: [...preload, '--conditions=lachesis-source', cli] },
  variables: { LACHESIS_HOME: plan.home, LACHESIS_RUN_ID: plan.run },
  workingDirectory: plan.home,
  api: station('api', ['serve', 'trajectory-api'], plan.apiPort),
  trainer: station('trainer', ['serve', 'control', '--no-token'], plan.trainerPort),
  environment: station('environment', ['env', 'serve', 'gsm8k', '--config', plan.environmentConfig]),
  statusUrl: `http://127.0.0.1:${plan.trainerPort}/v1/trainer`,
  signal: new AbortController().signal,
  onEvent: (sentence) => void process.stdout.write(`${sentence}\n`),
  onLine: () => undefined,
});
