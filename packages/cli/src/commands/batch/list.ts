import { defineCommand } from 'citty';
import { tenantFlags } from '../../flags/library/library.ts';
import { withModels } from '../../flags/library/models.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { cleanLine } from '../../terminal/clean-text.ts';
import { writeJson } from '../../terminal/screen.ts';
import { describeJob } from './job-text.ts';

const LARGEST_PAGE = 100;

const flags = {
  limit: { type: 'string', description: 'at most so many (default: 20)' },
  before: { type: 'string', description: 'go on behind this job, the last of the page before' },
  ...tenantFlags,
} as const;

export const batchListCommand = defineCommand({
  meta: {
    name: 'list',
    description: 'List jobs, the newest first: how far each is, and whether somebody works on it.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const limit = Math.min(LARGEST_PAGE, Math.max(1, readWholeNumber('limit', args.limit) ?? 20));
    await withModels(args, async (library) => {
      const page = await library.listJobs({ limit, ...(args.before === undefined ? {} : { before: args.before }) });
      if (args.json === true) {
        writeJson(page);
        return;
      }
      if (page.jobs.length === 0) process.stdout.write('no jobs; `lachesis batch --run_name name …` makes one\n');
      for (const job of page.jobs) process.stdout.write(describeJob(job));
      if (page.next !== null) process.stdout.write(`more: --before ${cleanLine(page.next)}\n`);
    });
  },
});
