import { defineCommand } from 'citty';
import { modelsFlags, withModels } from '../../flags/library/models.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';
import { describeImprovement, toReport } from './run.ts';

const flags = {
  improvement: {
    type: 'positional',
    required: true,
    description: 'its id, the beginning of it, or the name of a model for the newest of that model',
  },
  ...modelsFlags,
} as const;

export const improveStopCommand = defineCommand({
  meta: {
    name: 'stop',
    description: 'End an improvement, here or on a server; its ratings are there for the next one.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withModels(args, async (library) => {
      const found = await library.stopImprovement(args.improvement);
      if (args.json === true) writeJson(toReport(found));
      else process.stdout.write(describeImprovement(found));
    });
  },
});
