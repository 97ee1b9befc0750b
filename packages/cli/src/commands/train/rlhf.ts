import { readAlgorithm, type Recipe } from '@lachesis/protocol';
import { runPath } from '@lachesis/protocol/home';
import { describeNames, isName, LOCAL_TENANT } from '@lachesis/protocol/names';
import type { TrainerStatus } from '@lachesis/server';
import { needBeginning } from '@lachesis/server/services';
import { findModelByPath, type ModelVersion } from '@lachesis/store';
import { defineCommand } from 'citty';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { describeLibraryError } from '../../flags/library/describe-error.ts';
import type { LocalLibrary } from '../../flags/library/local-library.ts';
import { requireDataset, readSetRows } from '../data/rows.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { openLocalStore, readStorePlace } from '../../flags/library/open-local-store.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { readRecipe, type ReadRecipe } from '../../flags/read-recipe.ts';
import { openGrader, readGrader } from './rlhf-grader.ts';
import { writePrompts } from './rlhf-prompts.ts';
import { describeRunError } from './run-error.ts';
import { listRunFiles, runRecipe } from './run.ts';
import { findNamedRecipe } from './recipe-file.ts';

type Beginning = Awaited<ReturnType<typeof needBeginning>>;

const flags = {
  dataset: {
    type: 'string',
    description: 'whose prompts are answered: name@version, or the name for its newest version',
  },
  'reward-model': { type: 'string', description: 'registered reward model that grades: name or name@version' },
  reward: { type: 'string', description: 'grade with your own TypeScript file, or with your own server: https://…' },
  config: {
    type: 'string',
    description: 'recipe: a name, or YAML with the sections env, openai and tinker (default: rlhf)',
  },
  run: { type: 'string', description: 'name of the run; a name that was used before goes on with that run' },
  parent: { type: 'string', description: 'what to begin with: name, name@version, run:step, or the path of a state' },
  'model-name': {
    type: 'string',
    description: 'name to register the result under (default: that of the parent, else of the run)',
  },
  home: { type: 'string', description: 'folder of Lachesis [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  'any-port': { type: 'boolean', description: 'listen on free ports instead of those of the recipe' },
  json: { type: 'boolean', description: 'print the result as JSON' },
} as const;

export const trainRlhfCommand = defineCommand({
  meta: {
    name: 'rlhf',
    description:
      'Learn from what a reward model, your own file or your own server says of sampled replies, held near the start.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    const ref = args.dataset ?? fail('give whose prompts are answered: --dataset name@version.');
    const grader = readGrader({ model: args['reward-model'], own: args.reward });
    const place = readStorePlace(args);
    const home = resolve(place.home);
    await using local = await openLocalStore(place);
    const library: LocalLibrary = {
      store: local.store,
      blobs: local.blobs,
      tenantId: LOCAL_TENANT,
      audit: local.audit,
    };
    const read = await readRecipe({
      config: findNamedRecipe({ given: args.config ?? 'rlhf', home }),
      rawArgs,
      env: process.env,
    });
    refuseUnknownFlags(flags, read.rest);
    warnWithoutKl(read);
    const dataset = await requireDataset(library, ref);
    if (dataset.is_held_out) fail(`the data set ${ref} is held out: it measures and is never trained on.`);
    const parent =
      args.parent === undefined
        ? undefined
        : await needBeginning({ store: library.store, tenantId: library.tenantId, ref: args.parent }).catch(
            (error: unknown) => fail(`nothing to begin with: ${describeLibraryError(error)}`),
          );
    const run = args.run ?? `rlhf-${dataset.name}-${dataset.version}`;
    if (!isName('run', run)) fail(`${JSON.stringify(run)} is not a valid name for a run: ${describeNames('run')}.`);
    const out = args.json === true ? process.stderr : process.stdout;
    const prompts = join(runPath(home, run), 'prompts.jsonl');
    const count = await writePrompts({ rows: readSetRows(library, dataset), path: prompts });
    if (count === 0) fail(`the data set ${ref} has no prompt in the split train that may be trained on.`);
    const { signal, hurry } = listenForShutdown();
    const engineUrl = await findEngineUrl(read.recipe, { home });
    const grading = await openGrader({ grader, library, place, engineUrl });
    try {
      out.write(
        `run ${run}: ${count} prompts of ${ref}, graded by ${grading.name}\n  metrics: ${listRunFiles({ home, run }).metrics}\n`,
      );
      const recipe = withLineage(withStart(read.recipe, parent), {
        name: args['model-name'] ?? read.recipe.tinker.model_name ?? parent?.model?.name,
        lineage: {
          ...{ method: 'rlhf', parent: parent?.model?.modelVersionId, dataset: `${dataset.name}@${dataset.version}` },
          ...{ reward: grading.name, reward_model: grading.rewardModel?.modelVersionId },
        },
      });
      const status = await runRecipe({
        home,
        databaseUrl: place.databaseUrl,
        run,
        kind: 'rlhf',
        environment: findRlhfEnvironment(),
        recipe,
        environmentFile: { ...read.environmentFile, prompts_path: prompts, ...grading.env },
        environmentFlags: read.environmentFlags,
        engineUrl,
        anyPort: args['any-port'] === true,
        isChecked: false,
        // What an environment keeps belongs to the run, not to the folder the command was typed in.
        workingDirectory: runPath(home, run),
        variables: { DATABASE_URL: place.databaseUrl },
        signal,
        hurry,
        onEvent: (sentence) => void process.stderr.write(`${sentence}\n`),
        onLine: (line) => {
          if (/^(eval|step|training) /.test(line)) out.write(`${line}\n`);
        },
      }).catch((error: unknown) => fail(describeRunError(error)));
      const version = await findEndModel({ library, status });
      report({ status, version, json: args.json === true, run });
    } finally {
      await grading.close();
    }
  },
});

function withStart(recipe: Recipe, parent: Beginning | undefined): Recipe {
  if (parent === undefined) return recipe;
  const initial = parent.statePath === null ? {} : { initial_state: parent.statePath };
  const base = parent.model === undefined ? {} : { base_model: parent.model.baseModel };
  return { ...recipe, tinker: { ...recipe.tinker, ...base, ...initial } };
}

/** What the trainer writes into the registry with each checkpoint. */
const withLineage = (
  recipe: Recipe,
  { name, lineage }: { name: string | undefined; lineage: NonNullable<Recipe['tinker']['lineage']> },
): Recipe => ({ ...recipe, tinker: { ...recipe.tinker, model_name: name, lineage } });

/** The version that the trainer registered for the weights it ended with. */
async function findEndModel(options: {
  library: LocalLibrary;
  status: TrainerStatus | undefined;
}): Promise<ModelVersion | undefined> {
  const { library, status } = options;
  if (status?.state !== 'finished' || status.weights_path === null) return undefined;
  const { store, tenantId } = library;
  return await findModelByPath({ store, tenantId, path: status.weights_path });
}

/** A file, because the list of installed environments names what was built. */
function findRlhfEnvironment(): string {
  const index = fileURLToPath(import.meta.resolve('@lachesis/environments'));
  return join(index, '..', 'rlhf', index.endsWith('.ts') ? 'rlhf.ts' : 'rlhf.js');
}

function warnWithoutKl({ recipe }: ReadRecipe): void {
  if (readAlgorithm(recipe.tinker).klCoefficient > 0 || typeof recipe.tinker.kl_budget === 'number') return;
  process.stderr.write(
    'nothing holds the policy near its start: it may find replies that only the reward model likes. Set tinker.kl_coefficient and tinker.kl_budget.\n',
  );
}

function report(options: {
  status: TrainerStatus | undefined;
  version: ModelVersion | undefined;
  json: boolean;
  run: string;
}): void {
  const { status, version, run } = options;
  const model = version === undefined ? null : `${version.name}@${version.version}`;
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ run, status: status ?? null, model, modelVersionId: version?.modelVersionId ?? null })}\n`,
    );
  } else if (status !== undefined) {
    process.stdout.write(
      `${status.state} at step ${status.step}: ${status.detail}\n` +
        (model === null
          ? `  go on: the same command with --run ${run}\n`
          : `  registered as ${model} (${version?.modelVersionId})\n  next: lachesis models promote ${model}\n`),
    );
  }
  if (status?.state !== 'finished') process.exitCode = 1;
}
