import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { renderImprovement, toReport } from './run.ts';
import { modelsFlags, withModels } from '../../flags/library/models.ts';
import { writeJson } from '../../terminal/screen.ts';

const flags = {
  model: { type: 'string', description: 'only those of this model' },
  ...modelsFlags,
} as const;

export const improveStatusCommand = defineCommand({
  meta: { name: 'status', description: 'Show improvements, the newest first: where each stands, and how it ended.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withModels(args, async (library) => {
      const { improvements } = await library.listImprovements(args.model === undefined ? {} : { model: args.model });
      if (args.json === true) writeJson(improvements.map((each) => toReport(each)));
      else if (improvements.length === 0)
        process.stdout.write('no improvements; begin one with `lachesis improve --model name`\n');
      else process.stdout.write(improvements.map((each) => renderImprovement(each)).join('\n'));
    });
  },
});
