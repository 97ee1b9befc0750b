import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../setting-flags.ts';
import { toModelJson, toPromotionJson } from './models-json.ts';
import { modelArgument } from './models-options.ts';
import { modelsFlags, withModels } from './models-source.ts';
import { describeModel } from './models-text.ts';
import { writeJson } from './trajectories-screen.ts';

const flags = { ...modelArgument, ...modelsFlags } as const;

export const modelsShowCommand = defineCommand({
  meta: {
    name: 'show',
    description: 'Show one model: what it was made from and with, how it did, and when it was promoted.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withModels(args, async (library) => {
      const detail = await library.readModel(args.model);
      if (args.json === true) {
        writeJson({ ...toModelJson(detail.model), promotions: detail.promotions.map((each) => toPromotionJson(each)) });
      } else process.stdout.write(describeModel(detail));
    });
  },
});
