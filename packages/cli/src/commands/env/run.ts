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
import { isTerminal, pickModel } from '../../flags/choose-model.ts';
import { openConversationRecording } from './record-conversations.ts';
import { runPythonEnvironment } from './python.ts';
import { placeRecipes } from './place-recipes.ts';

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

export const recordFlag = {
  record: {
    type: 'boolean',
    default: true,
    description: 'keep the conversations in the library too; --no-record keeps the files alone',
  },
} as const;

export const envProcessCommand = defineCommand({
  meta: { name: 'process', description: 'Write groups to a JSONL file and a page; no trainer is needed.' },
  args: { ...environmentArgument, ...environmentFlags, ...recordFlag },
  run: ({ rawArgs }) => run('process', rawArgs),
});

/** A definition, a setting or a path that cannot be used is the same at the next start; a server or a rollout may not be. */
export const isForGood = (error: unknown): boolean =>
  ConfigError.isInstance(error) ||
  (EnvironmentError.isInstance(error) && ['bad-definition', 'bad-path', 'no-items', 'no-server'].includes(error.kind));

async function run(mode: EnvironmentMode, rawArgs: readonly string[]): Promise<void> {
  const given = await placeRecipes(rawArgs);
  const { name, isRecorded, json: isJson } = readEnvironmentArguments(given);
  const abort = abortOnSignals();
  exitWithParent({ end: () => abort.abort(new Error('who started it is gone')) });
  try {
    const python = await findPythonFile(name);
    if (python !== undefined) {
      const argv = given.filter((argument) => argument !== name && argument !== '--no-record');
      process.exitCode = await runPythonEnvironment({ file: python, mode, argv, signal: abort.signal });
      return;
    }
    const definition = await loadDefinition(name);
    const recording =
      mode === 'serve' || !isRecorded ? undefined : openConversationRecording({ mode, environment: definition.name });
    try {
      await runEnvironmentCommand({
        ...{ definition, mode, argv: given, signal: abort.signal },
        chooseModel: isTerminal() ? ({ base_url: url }, models) => pickModel(url, models) : undefined,
        ...(recording === undefined ? {} : { onConversation: recording.add }),
      });
    } finally {
      const source = await recording?.close();
      if (source !== undefined && !isJson)
        process.stderr.write(`recorded: lachesis trajectories list --source ${source}\n`);
    }
  } catch (error) {
    if (!abort.signal.aborted) failWithEnvironmentError(error, isForGood(error) ? refuse : fail);
  }
}
