import { ConfigError } from '@lachesis/sdk/config';
import { abortOnSignals, EnvironmentError, runEnvironmentCommand } from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import { fail, refuse } from '../../terminal/fail.ts';
import { exitWithParent } from '../../terminal/exit-with-parent.ts';
import {
  environmentArgument,
  environmentFlags,
  failWithEnvironmentError,
  findPythonFile,
  loadDefinition,
  readEnvironmentArguments,
} from '../../flags/environment.ts';
import { runPythonEnvironment } from './python.ts';

type EnvironmentMode = Parameters<typeof runEnvironmentCommand>[0]['mode'];

export const envServeCommand = defineCommand({
  meta: {
    name: 'serve',
    description:
      'Roll out for the trainer of a run. Settings are --env.* and --openai.*: `lachesis env describe <name>`.',
  },
  args: { ...environmentArgument, ...environmentFlags },
  run: ({ rawArgs }) => run('serve', rawArgs),
});

export const envProcessCommand = defineCommand({
  meta: { name: 'process', description: 'Write groups to a JSONL file and a page; no trainer is needed.' },
  args: { ...environmentArgument, ...environmentFlags },
  run: ({ rawArgs }) => run('process', rawArgs),
});

export const envEvaluateCommand = defineCommand({
  meta: { name: 'evaluate', description: 'Grade the evaluation split: metrics.json, samples.jsonl, a page.' },
  args: {
    ...environmentArgument,
    models: { type: 'string', description: 'a,b,c: one table of these models, with paired differences' },
    ...environmentFlags,
  },
  run: ({ rawArgs }) => run('evaluate', rawArgs),
});

/** A definition, a setting or a path that cannot be used is the same at the next start; a server or a rollout may not be. */
const isForGood = (error: unknown): boolean =>
  ConfigError.isInstance(error) ||
  (EnvironmentError.isInstance(error) && ['bad-definition', 'bad-path', 'no-items', 'no-server'].includes(error.kind));

async function run(mode: EnvironmentMode, rawArgs: readonly string[]): Promise<void> {
  const { name } = readEnvironmentArguments(rawArgs);
  const abort = abortOnSignals();
  exitWithParent({ end: () => abort.abort(new Error('who started it is gone')) });
  try {
    const python = await findPythonFile(name);
    if (python !== undefined) {
      const argv = rawArgs.filter((argument) => argument !== name);
      process.exitCode = await runPythonEnvironment({ file: python, mode, argv, signal: abort.signal });
      return;
    }
    await runEnvironmentCommand({ definition: await loadDefinition(name), mode, argv: rawArgs, signal: abort.signal });
  } catch (error) {
    if (!abort.signal.aborted) failWithEnvironmentError(error, isForGood(error) ? refuse : fail);
  }
}
