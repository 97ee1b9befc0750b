import { readTrajectoryApiSettings, startTrajectoryApi, SettingError, TRAJECTORY_API_SETTINGS } from '@lachesis/server';
import { defineCommand } from 'citty';
import { fail } from '../fail.ts';
import { readSettingFlags, toFlags } from '../setting-flags.ts';

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
    const keeper = await startTrajectoryApi({
      settings,
      onRestart: ({ code, signal }) => {
        process.stderr.write(`the server process ended (${signal ?? `exit code ${code}`}); starting it again\n`);
      },
    }).catch((error: unknown) => fail(describeStart(error, settings)));

    const { address, port } = keeper.address;
    const host = address.includes(':') ? `[${address}]` : address;
    const url = `http://${host}:${port}`;
    const database = settings.databaseUrl === undefined ? `SQLite in ${settings.home}` : 'PostgreSQL';
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify({ url, pid: process.pid, database: settings.databaseUrl === undefined ? 'sqlite' : 'postgres' })}\n`
        : `trajectory API on ${url} (${database}${settings.strictAtropos ? ', strict Atropos' : ''})\n` +
            `  environments and trainers: use ${url} as the rollout server URL\n` +
            `  more runs:                 ${url}/run/<name>\n` +
            `  what is where:             ${url}/v1/ledger\n`,
    );
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void keeper.stop());
    await keeper.ended.catch((error: unknown) => fail(describeStart(error, settings)));
  },
});

function readOrFail<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingError) return fail(error.message);
    throw error;
  }
}

function describeStart(error: unknown, { host, port }: { host: string; port: number }): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken. Stop the program that listens there, or choose another with --port.`;
  }
  if (code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine. Choose another with --host.`;
  if (code === 'EACCES') return `this user may not listen on port ${port}. Choose one above 1023 with --port.`;
  return message ?? String(error);
}
