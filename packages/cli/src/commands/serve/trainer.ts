import { runPath } from '@lachesis/protocol/home';
import { readTrainerSettings, startTrainer, TRAINER_SETTINGS } from '@lachesis/server';
import { defineCommand } from 'citty';
import { readOrFail } from '../../flags/library/read-or-fail.ts';
import { runServer } from './run-server.ts';
import { readSettingFlags, toFlags } from '../../flags/setting-flags.ts';
import { findTokenFor } from '../../flags/server-token.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { readRecipe } from '../../flags/read-recipe.ts';
import { findNamedRecipe } from '../train/recipe-file.ts';
import { readHome } from '../../flags/engine.ts';

const flags = toFlags(TRAINER_SETTINGS);

export const serveTrainerCommand = defineCommand({
  meta: {
    name: 'trainer',
    description: 'Train on batches of the trajectory API through a Tinker server, and serve the newest weights.',
  },
  args: {
    config: { type: 'string', description: 'recipe: a name, or YAML with the sections env, openai and tinker' },
    ...flags,
    json: { type: 'boolean', description: 'print one JSON line when ready' },
  },
  async run({ args, rawArgs }) {
    const { recipe, rest } = await readRecipe({
      config:
        args.config === undefined
          ? undefined
          : findNamedRecipe({ given: args.config, home: readHome(args as { home?: string }) }),
      rawArgs,
      env: process.env,
    });
    const given = readSettingFlags(TRAINER_SETTINGS, args, rest, ['json', 'config']);
    const { values } = readOrFail(() =>
      readTrainerSettings({ run: runOf(recipe.env.rollout_server_url), ...given }, process.env),
    );
    const engineUrl = await findEngineUrl(recipe, { home: values.home, given: values.engineUrl });
    const baseModel = recipe.tinker.base_model ?? recipe.tinker.tinker_model_name ?? recipe.env.tokenizer_name;
    const settings = {
      ...values,
      engineUrl,
      token: await findTokenFor(recipe.env.rollout_server_url, { token: values.token, home: values.home }),
      baseModel: values.baseModel ?? (baseModel === 'engine' ? undefined : baseModel),
      trajectoryApiUrl: recipe.env.rollout_server_url,
      wandbProject: recipe.tinker.wandb_project ?? values.wandbProject,
      wandbGroup: recipe.tinker.wandb_group ?? values.wandbGroup,
    };
    const engine = engineUrl ?? 'the managed service';
    await runServer({
      name: 'trainer',
      settings,
      start: (onRestart) => startTrainer({ settings, recipe, onRestart }),
      onReady: (url) => {
        process.stdout.write(
          args.json === true
            ? `${JSON.stringify({ url, pid: process.pid, engine, run: settings.run })}\n`
            : `trainer on ${url} (engine ${engine})\n` +
                `  batches from:   ${recipe.env.rollout_server_url}\n` +
                `  what it does:   ${url}/v1/trainer\n` +
                (settings.inferenceUrl === undefined
                  ? `  OpenAI clients: base URL ${url}/v1\n`
                  : `  weights go to:  ${settings.inferenceUrl}\n`) +
                `  metrics:        ${runPath(settings.home, settings.run)}/metrics.jsonl\n`,
        );
      },
    });
  },
});

/** The run that an address of the trajectory API names. */
export function runOf(url: string): string {
  return /\/run\/([^/]+)\/?$/.exec(url)?.[1] ?? 'default';
}
