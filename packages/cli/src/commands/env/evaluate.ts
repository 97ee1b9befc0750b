import { abortOnSignals, runEnvironmentCommand, summariseSuite } from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import { isTerminal, pickModel } from '../../flags/choose-model.ts';
import {
  environmentArgument,
  environmentFlags,
  failWithEnvironmentError,
  findPythonFile,
  loadDefinition,
  readSuiteArguments,
} from '../../flags/environment.ts';
import { withModels } from '../../flags/library/models.ts';
import { exitWithParent } from '../../terminal/exit-with-parent.ts';
import { fail, refuse } from '../../terminal/fail.ts';
import { runPythonEnvironment } from './python.ts';
import { readTrainingTexts } from './read-training-texts.ts';
import { readSuite } from './read-suite.ts';
import { openConversationRecording } from './record-conversations.ts';
import { isForGood, recordFlag } from './run.ts';
import { placeRecipes } from './place-recipes.ts';

type EvaluatedEnvironment = Parameters<NonNullable<Parameters<typeof runEnvironmentCommand>[0]['onEvaluated']>>[0];

export const envEvaluateCommand = defineCommand({
  meta: {
    name: 'evaluate',
    description: 'Grade the evaluation split: pass@k with intervals, metrics.json, samples.jsonl, a page.',
  },
  args: {
    environment: {
      ...environmentArgument.environment,
      description: `${environmentArgument.environment.description}; several, or a suite.yaml, give one table`,
    },
    samples: { type: 'string', description: 'replies to each item, for pass@k and avg@k (--env.eval_samples)' },
    models: { type: 'string', description: 'a,b,c: one table of these models, with paired differences' },
    contamination: { type: 'boolean', description: 'look for items that are among those of training' },
    'training-data': { type: 'string', description: 'look in this file too: any that `data import` reads' },
    'save-with': { type: 'string', description: 'keep the result with this registered model, for `models show`' },
    ...environmentFlags,
    ...recordFlag,
  },
  async run({ rawArgs }) {
    const placed = await placeRecipes(rawArgs);
    const given = readSuiteArguments(placed);
    const { names, isRecorded, json: isJson, saveWith, trainingData } = given;
    const abort = abortOnSignals();
    exitWithParent({ end: () => abort.abort(new Error('who started it is gone')) });
    try {
      const suite = await readSuite(names);
      const argv = placed.filter((argument) => !names.includes(argument));
      const [first] = suite;
      const python = first === undefined || suite.length > 1 ? undefined : await findPythonFile(first.name);
      if (python !== undefined) {
        refuseForPython(given);
        const own = argv.filter((argument) => argument !== '--no-record');
        process.exitCode = await runPythonEnvironment({
          ...{ file: python, mode: 'evaluate', argv: own, signal: abort.signal },
        });
        return;
      }
      const isSuite = suite.length > 1;
      const evaluated: EvaluatedEnvironment[] = [];
      for (const { name, config } of suite) {
        if (isSuite && (await findPythonFile(name)) !== undefined)
          refuse(`${name} is written in Python, and has no place in a table of several. Evaluate it by itself.`);
        const definition = await loadDefinition(name);
        const recording = isRecorded
          ? openConversationRecording({ mode: 'evaluate', environment: definition.name })
          : undefined;
        try {
          await runEnvironmentCommand({
            ...{ definition, mode: 'evaluate', signal: abort.signal },
            argv: config === undefined ? argv : ['--config', config, ...argv],
            chooseModel: isTerminal() ? ({ base_url: url }, models) => pickModel(url, models) : undefined,
            ...(trainingData === undefined ? {} : { trainingTexts: readTrainingTexts(trainingData) }),
            onEvaluated: (one) => void evaluated.push(one),
            ...(isSuite ? { out: () => undefined } : {}),
            ...(recording === undefined ? {} : { onConversation: recording.add }),
          });
        } finally {
          const source = await recording?.close();
          if (source !== undefined && !isJson)
            process.stderr.write(`recorded: lachesis trajectories list --source ${source}\n`);
        }
      }
      if (isSuite) {
        const { text, json } = summariseSuite(evaluated);
        process.stdout.write(isJson ? `${JSON.stringify(json)}\n` : text);
      }
      if (saveWith !== undefined) await saveEvaluations(saveWith, evaluated);
    } catch (error) {
      if (!abort.signal.aborted) failWithEnvironmentError(error, isForGood(error) ? refuse : fail);
    }
  },
});

function refuseForPython({ flags, saveWith }: ReturnType<typeof readSuiteArguments>): void {
  const samples = (flags['env'] as { eval_samples?: unknown } | undefined)?.eval_samples;
  if (samples !== undefined || saveWith !== undefined)
    refuse('--samples and --save-with are for environments in TypeScript; this one is in Python and evaluates itself.');
}

/** What `models show` quotes: the numbers with their intervals, and not each item. */
async function saveEvaluations(ref: string, evaluated: readonly EvaluatedEnvironment[]): Promise<void> {
  if (evaluated.some(({ models }) => models.length > 1))
    refuse('--save-with keeps the numbers of one model; leave --models out.');
  await withModels({}, async (library) => {
    for (const evaluation of summariseSuite(evaluated).evaluations) await library.saveEvaluation(ref, evaluation);
  });
  process.stderr.write(`kept with ${ref}: lachesis models show ${ref}\n`);
}
