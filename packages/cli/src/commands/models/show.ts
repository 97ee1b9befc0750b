import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { toModelJson, toPromotionJson } from './json.ts';
import { modelArgument } from '../../flags/library/name-model.ts';
import { modelsFlags, withModels } from '../../flags/library/models.ts';
import { describeModel } from './text.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';

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
      } else process.stdout.write(describeModel(detail, readScreen().columns));
    });
  },
});
