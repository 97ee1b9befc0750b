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

export const improveShowCommand = defineCommand({
  meta: { name: 'show', description: 'Show one improvement: where it stands, what each stage came to, how it ended.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withModels(args, async (library) => {
      const found = await library.readImprovement(args.improvement);
      if (args.json === true) writeJson(toReport(found));
      else process.stdout.write(describeImprovement(found));
    });
  },
});
