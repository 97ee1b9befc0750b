import { outboxPaths } from '@lachesis/protocol/home';
import { CONTROL_SETTINGS, readControlSettings, startControl } from '@lachesis/server';
import { defineCommand } from 'citty';
import { findPageFolder } from './find-page-folder.ts';
import { openHomeAccess, tokenSwitch } from './home-access.ts';
import { readOrFail } from '../../flags/library/read-or-fail.ts';
import { runServer } from './run-server.ts';
import { readSettingFlags, toFlags } from '../../flags/setting-flags.ts';
import { findNamedRecipe } from '../train/recipe-file.ts';

const flags = toFlags(CONTROL_SETTINGS);

export const serveControlCommand = defineCommand({
  meta: {
    name: 'control',
    description: 'Serve runs and their tools, and the library of trajectories, feedback and data sets.',
  },
  args: { ...flags, ...tokenSwitch, json: { type: 'boolean', description: 'print one JSON line when ready' } },
  async run({ args, rawArgs }) {
    const { values } = readOrFail(() =>
      readControlSettings(readSettingFlags(CONTROL_SETTINGS, args, rawArgs, ['json', 'token']), process.env),
    );
    const { home, recipe } = values;
    const settings = { ...values, recipe: recipe === undefined ? undefined : findNamedRecipe({ given: recipe, home }) };
    const database = settings.databaseUrl === undefined ? `SQLite in ${settings.home}` : 'PostgreSQL';
    const { tokenFile } = await openHomeAccess({ ...settings, wantsToken: args.token, gatewayTenant: undefined });
    await runServer({
      name: 'control',
      settings,
      start: (onRestart) => startControl({ settings, pageFolder: findPageFolder(), onRestart }),
      onReady: (url) => {
        process.stdout.write(
          args.json === true
            ? `${JSON.stringify({ url, pid: process.pid, database: settings.databaseUrl === undefined ? 'sqlite' : 'postgres' })}\n`
            : `control on ${url} (${database})\n` +
                `  page:         ${url}/, which \`lachesis ui\` opens\n` +
                `  trajectories: ${url}/v1/trajectories\n` +
                `  recorders:    POST ${url}/v1/records, or files in ${outboxPaths(settings.home).directory}\n` +
                `  feedback:     POST ${url}/v1/feedback\n` +
                (tokenFile === undefined ? '' : `  token:        in ${tokenFile}; commands of this machine find it\n`),
        );
      },
    });
  },
});
