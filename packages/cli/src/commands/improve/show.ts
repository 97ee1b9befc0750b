import { defineCommand } from 'citty';
import { modelsFlags, withModels } from '../../flags/library/models.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';
import { renderImprovement, toReport } from './run.ts';

const flags = {
  improvement: {
    type: 'positional',
    required: true,
    description: 'its id, the beginning of it, or the name of a model for the newest of that model',
  },
  ...modelsFlags,
} as const;

/** A command that asks something of one improvement and shows it as it is then. */
const defineImprovementCommand = (name: string, description: string, ask: 'readImprovement' | 'stopImprovement') =>
  defineCommand({
    meta: { name, description },
    args: flags,
    async run({ args, rawArgs }) {
      refuseUnknownFlags(flags, rawArgs);
      await withModels(args, async (library) => {
        const found = await library[ask](args.improvement);
        if (args.json === true) writeJson(toReport(found));
        else process.stdout.write(renderImprovement(found));
      });
    },
  });

export const improveShowCommand = defineImprovementCommand(
  'show',
  'Show one improvement: where it stands, what each stage came to, how it ended.',
  'readImprovement',
);

export const improveStopCommand = defineImprovementCommand(
  'stop',
  'End an improvement, here or on a server; its ratings are there for the next one.',
  'stopImprovement',
);
