import { defineCommand } from 'citty';
import { tenantFlags } from '../../flags/library/library.ts';
import { withModels } from '../../flags/library/models.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';
import { describeJob, describeTroubles } from './job-text.ts';

const flags = {
  job: { type: 'positional', required: true, description: 'its --run_name, or the beginning of it' },
  ...tenantFlags,
} as const;

export const batchShowCommand = defineCommand({
  meta: { name: 'show', description: 'Show one job: how far it is, what it cost, and why items of it failed.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withModels(args, async (library) => {
      const job = await library.readJob(args.job);
      if (args.json === true) writeJson(job);
      else process.stdout.write(`${describeJob(job)}${describeTroubles(job)}`);
    });
  },
});
