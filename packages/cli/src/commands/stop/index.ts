import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { runArgument } from '../../flags/run-argument.ts';
import { serverFlags } from '../../flags/server.ts';

const flags = {
  wait: {
    type: 'boolean',
    default: true,
    description: 'return when it has ended',
    negativeDescription: 'return when the end is asked for',
  },
  'database-url': { type: 'string', description: 'the same, for a postgres:// URL [DATABASE_URL]' },
  ...serverFlags,
} as const;

export const stopCommand = defineCommand({
  meta: { name: 'stop', description: 'End a run: environment, trainer, trajectory API. What it has learned stays.' },
  args: { ...runArgument, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    // Loaded here, so that `--help` does not wait for it.
    const { stopNamedRun } = await import('./run.ts');
    await stopNamedRun(args);
  },
});
