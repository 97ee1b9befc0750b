import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { runArgument } from '../../flags/run-argument.ts';
import { findRunId } from '../../runs/find-run.ts';
import { describeControlError, serverFlags } from '../../flags/server.ts';
import { findControl } from '../../flags/library/find-control.ts';
import { fail } from '../../terminal/fail.ts';
import { writeJson } from '../../terminal/screen.ts';

const flags = {
  detach: { type: 'boolean', description: 'at home: do not wait for its end, leave it to a process in the background' },
  ...serverFlags,
} as const;

export const runsResumeCommand = defineCommand({
  meta: {
    name: 'resume',
    description: 'Go on with a run that has ended, or that nobody looks after, from what it saved.',
  },
  args: { ...runArgument, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const found = await findIt(args);
    if (found.home === undefined) {
      if (args.json === true) writeJson(found.reply);
      else process.stdout.write(`${found.reply?.message}\n`);
      return;
    }
    const { superviseAtHome } = await import('./supervise-at-home.ts');
    await superviseAtHome({
      home: found.home,
      run: found.runId,
      json: args.json === true,
      detach: args.detach === true,
    });
  },
});

type Reply = Awaited<ReturnType<Awaited<ReturnType<typeof findControl>>['client']['resumeRun']>>;

/** On a server it is asked to go on; at home whoever asks looks after it. */
async function findIt(
  args: Parameters<typeof findControl>[0] & { run: string },
): Promise<{ runId: string; home?: string | undefined; reply?: Reply }> {
  await using place = await findControl(args);
  try {
    const runId = await findRunId(place.client, args.run);
    if (place.home !== undefined) return { runId, home: place.home };
    return { runId, reply: await place.client.resumeRun(runId) };
  } catch (error) {
    return fail(await describeControlError(error, place.client));
  }
}
