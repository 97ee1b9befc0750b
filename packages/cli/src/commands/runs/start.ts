import type { RunRequest } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { readHome } from '../../flags/engine.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { describeControlError, readNamedServer, serverFlags } from '../../flags/server.ts';
import { findControl } from '../../flags/library/find-control.ts';
import { fail, failUsage } from '../../terminal/fail.ts';
import { writeJson } from '../../terminal/screen.ts';
import { findNamedRecipe, readRecipeFile } from '../train/recipe-file.ts';
import { writeOwnRecipe } from './own-recipe.ts';

const flags = {
  recipe: { type: 'string', description: 'at home: recipe of the run, a name or a YAML file; a server has its own' },
  environment: {
    type: 'string',
    description: 'environment of the run (default: that of the recipe, or the selected one)',
  },
  set: { type: 'string', description: 'a setting, such as group_size=8; may be given several times' },
  'max-steps': { type: 'string', description: 'end after so many steps' },
  'max-tokens': { type: 'string', description: 'end when so many tokens were used' },
  budget: { type: 'string', description: 'end when it has cost so much, in US dollars' },
  'fork-of': {
    type: 'string',
    description: 'the run it is a fork of: shown below that one; its settings are those of --set',
  },
  detach: { type: 'boolean', description: 'do not wait for its end: leave it to a process in the background' },
  ...serverFlags,
} as const;

export const runsStartCommand = defineCommand({
  meta: { name: 'start', description: 'Start a run, on a server or at home, and follow it; --detach leaves it alone.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const isServer = readNamedServer(args) !== undefined;
    const path = args.recipe === undefined ? undefined : findNamedRecipe({ given: args.recipe, home: readHome(args) });
    if (isServer && path !== undefined) {
      failUsage(
        'a server runs the recipe it was started with; leave --recipe out, or start one with `lachesis up --recipe`.',
      );
    }
    const wanted = await readWanted(args.environment, path);
    const config = readSettings(rawArgs);
    const started = await start(args, { path, wanted, config });
    if (started.home === undefined) {
      if (args.json === true) writeJson(started.reply);
      else process.stdout.write(`${started.reply.message}\n  look: lachesis runs watch ${started.reply.run_id}\n`);
      return;
    }
    const run = started.reply.run_id;
    if (args.json !== true && args.detach !== true)
      process.stdout.write(`run ${run}: ${describeWanted(wanted, started.reply.environment)}\n`);
    const { superviseAtHome } = await import('./supervise-at-home.ts');
    await superviseAtHome({
      ...{ home: started.home, run, json: args.json === true, detach: args.detach === true, isNew: true },
      recipeName: args.recipe,
    });
  },
});

/** The environment that was typed; else what the recipe says, which may be several. */
type Wanted = Pick<RunRequest, 'environment' | 'environments'>;

async function readWanted(environment: string | undefined, path: string | undefined): Promise<Wanted> {
  if (environment !== undefined) return { environment };
  if (path === undefined) return {};
  const recipe = await readRecipeFile(path);
  if (recipe.environments === undefined) return { environment: recipe.environment };
  // Their own settings are those of the recipe, which goes along.
  return { environments: recipe.environments.map(({ name, weight }) => ({ name, weight, config: {} })) };
}

const describeWanted = ({ environments = [] }: Wanted, environment: string): string =>
  environments.length < 2
    ? `environment ${environment}`
    : `environments ${environments.map(({ name, weight }) => `${name} ${weight}`).join(' : ')}`;

type Started = Awaited<ReturnType<Awaited<ReturnType<typeof findControl>>['client']['startRun']>>;

async function start(
  args: Parameters<typeof findControl>[0] & {
    'max-steps'?: string | undefined;
    'max-tokens'?: string | undefined;
    budget?: string | undefined;
    'fork-of'?: string | undefined;
  },
  given: { path: string | undefined; wanted: Wanted; config: Record<string, unknown> },
): Promise<{ reply: Started; home?: string | undefined }> {
  const [steps, tokens] = [
    readWholeNumber('max-steps', args['max-steps']),
    readWholeNumber('max-tokens', args['max-tokens']),
  ];
  const budget = args.budget === undefined ? undefined : Number(args.budget);
  if (budget !== undefined && !(budget > 0))
    fail(`--budget wants an amount, and ${JSON.stringify(args.budget)} was given.`);
  // A person may set at home what the tools of a server may not.
  const own = readNamedServer(args) === undefined ? await writeOwnRecipe(given) : undefined;
  const home = own === undefined ? args.home : (args.home ?? readHome(args));
  await using place = await findControl({ ...args, home, recipe: own });
  const config = own === undefined ? given.config : {};
  try {
    const reply = await place.client.startRun({
      ...given.wanted,
      ...(Object.keys(config).length === 0 ? {} : { config }),
      ...(steps === undefined ? {} : { max_steps: steps }),
      ...(tokens === undefined ? {} : { max_tokens: tokens }),
      ...(budget === undefined ? {} : { budget }),
      ...(args['fork-of'] === undefined ? {} : { fork_of: args['fork-of'] }),
    });
    return { reply, home: place.home };
  } catch (error) {
    return fail(await describeControlError(error, place.client));
  }
}

/** `--set name=value`, as often as there are settings. Values are read as numbers and switches where they look so. */
function readSettings(rawArgs: readonly string[]): Record<string, unknown> {
  const given = rawArgs.flatMap((word, index) => {
    if (word === '--set') return rawArgs[index + 1] ?? [];
    return word.startsWith('--set=') ? word.slice('--set='.length) : [];
  });
  return Object.fromEntries(
    given.map((text) => {
      const cut = text.indexOf('=');
      if (cut < 1) failUsage(`--set wants name=value, and ${JSON.stringify(text)} was given.`);
      return [text.slice(0, cut), toValue(text.slice(cut + 1))];
    }),
  );
}

function toValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
