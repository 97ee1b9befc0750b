import { RUN_ROLES, type RunRole } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { fail } from '../terminal/fail.ts';
import { findNearest } from '../flags/find-nearest.ts';
import { cleanText } from '../terminal/clean-text.ts';
import { followLogs } from '../runs/follow-logs.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { readWholeNumber } from '../flags/read-value.ts';
import { listenForShutdown } from '../terminal/shutdown-signals.ts';
import { runArgument } from '../flags/run-argument.ts';
import { findRunId } from '../runs/find-run.ts';
import { serverFlags } from '../flags/server.ts';
import { withControl } from '../flags/library/find-control.ts';
import { readScreen, writeJson } from '../terminal/screen.ts';

const MOST_LINES = 100_000;

const flags = {
  follow: { type: 'boolean', alias: 'f', description: 'go on with lines as they come, until the run has ended' },
  tail: { type: 'string', description: 'begin with so many of the last lines (default: 100)' },
  ...serverFlags,
} as const;

export const logsCommand = defineCommand({
  meta: { name: 'logs', description: 'Read or follow (-f) what the processes of a run say.' },
  args: {
    ...runArgument,
    role: { type: 'positional', required: false, description: `${RUN_ROLES.join(', ')} (default: all)` },
    ...flags,
  },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const roles = readRoles(args.role);
    const tail = readWholeNumber('tail', args.tail);
    if (tail !== undefined && tail > MOST_LINES)
      fail(`--tail takes at most ${MOST_LINES} lines, and ${tail} was given.`);
    const { signal, hurry } = listenForShutdown();
    hurry.addEventListener('abort', () => process.exit());
    await withControl(args, async (client) => {
      const runId = await findRunId(client, args.run);
      const write = createWriter({ runId, roles, json: args.json === true });
      await followLogs({
        ...{ client, runId, roles, tail, signal, follow: args.follow === true, onLine: write },
        onAway: () => void process.stderr.write('lachesis: the server does not answer; waiting for it\n'),
      });
    });
  },
});

function readRoles(given: string | undefined): readonly RunRole[] {
  if (given === undefined) return RUN_ROLES;
  const role = RUN_ROLES.find((known) => known === given);
  if (role !== undefined) return [role];
  return fail(
    `a run has logs of ${RUN_ROLES.join(', ')}, and none of ${JSON.stringify(given)}. Did you mean ${findNearest(given, RUN_ROLES)}?`,
  );
}

function createWriter(options: { runId: string; roles: readonly RunRole[]; json: boolean }) {
  const { paint } = readScreen();
  const width = Math.max(...RUN_ROLES.map(({ length }) => length));
  const colours = { api: paint.cyan, trainer: paint.magenta, env: paint.green } as const;
  return (role: RunRole, line: string): void => {
    if (options.json) {
      writeJson({ run_id: options.runId, role, line });
      return;
    }
    const prefix = options.roles.length === 1 ? '' : `${colours[role](role.padEnd(width))} ${paint.dim('│')} `;
    // A file gets the line as it was written; a terminal would act on what stands in it.
    process.stdout.write(`${prefix}${process.stdout.isTTY ? cleanText(line) : line}\n`);
  };
}
