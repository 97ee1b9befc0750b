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
const variables = { ...process.env, LACHESIS_HOME: plan.home };
const program = { file: process.execPath, arguments: [...preload, '--conditions=lachesis-source', cli] };
const station = (given: readonly string[], port?: number) => ({
  file: program.file,
  arguments: [
    ...program.arguments,
    ...given,
    ...(port === undefined ? [] : ['--port', String(port), '--host', '127.0.0.1']),
  ],
  env: variables,
  workingDirectory: plan.home,
  readyUrl: port === undefined ? undefined : `http://127.0.0.1:${port}/health`,
});

await runTraining({
  ...{ home: plan.home, run: plan.run, kind: 'rl', program, env: variables, workingDirectory: plan.home },
  ...{ anyPort: true, isChecked: false, engineUrl: 'http://127.0.0.1:1', findFile: async () => undefined },
  resolved: {
    ...{ environment: 'gsm8k', config: {}, environmentFile: {}, totalSteps: 1, wandbProject: null, wandbRunName: null },
    recipe: { env: {}, openai: [], tinker: {} },
  },
  replace: {
    plan: () => () => ({
      statusUrl: `http://127.0.0.1:${plan.trainerPort}/v1/trainer`,
      processes: {
        api: station(['serve', 'trajectory-api'], plan.apiPort),
        trainer: station(['serve', 'control', '--no-token'], plan.trainerPort),
        env: station(['env', 'serve', 'gsm8k', '--config', plan.environmentConfig]),
      },
    }),
  },
  signal: new AbortController().signal,
  onEvent: (sentence) => void process.stdout.write(`${sentence}\n`),
  onLine: () => undefined,
});
