import { readTrajectoryApiSettings, startTrajectoryApi, TRAJECTORY_API_SETTINGS } from '@lachesis/server';
import { defineCommand } from 'citty';
import { readOrFail } from '../../flags/library/read-or-fail.ts';
import { runServer } from './run-server.ts';
import { readSettingFlags, toFlags } from '../../flags/setting-flags.ts';

const flags = toFlags(TRAJECTORY_API_SETTINGS);

export const serveTrajectoryApiCommand = defineCommand({
  meta: {
    name: 'trajectory-api',
    description: 'Accept rollout groups from environments and hand batches to trainers (Atropos wire and native).',
  },
  args: { ...flags, json: { type: 'boolean', description: 'print one JSON line when ready' } },
  async run({ args, rawArgs }) {
    const { values: settings } = readOrFail(() =>
      readTrajectoryApiSettings(readSettingFlags(TRAJECTORY_API_SETTINGS, args, rawArgs, ['json']), process.env),
    );
    const database = settings.databaseUrl === undefined ? `SQLite in ${settings.home}` : 'PostgreSQL';
    await runServer({
      name: 'server',
      settings,
      start: (onRestart) => startTrajectoryApi({ settings, onRestart }),
      onReady: (url) => {
        process.stdout.write(
          args.json === true
            ? `${JSON.stringify({ url, pid: process.pid, database: settings.databaseUrl === undefined ? 'sqlite' : 'postgres' })}\n`
            : `trajectory API on ${url} (${database}${settings.strictAtropos ? ', strict Atropos' : ''})\n` +
                `  environments and trainers: use ${url} as the rollout server URL\n` +
                `  more runs:                 ${url}/run/<name>\n` +
                `  what is where:             ${url}/v1/ledger\n`,
        );
      },
    });
  },
});
