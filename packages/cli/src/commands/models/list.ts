import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { toModelJson } from './json.ts';
import { modelsFlags, withModels } from '../../flags/library/models.ts';
import { describeModels, hasWeights } from './text.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';

const flags = {
  name: { type: 'string', description: 'only the versions of this name' },
  all: { type: 'boolean', description: 'also those whose weights their run has deleted' },
  ...modelsFlags,
} as const;

export const modelsListCommand = defineCommand({
  meta: { name: 'list', description: 'List models, the newest version first. A star is what a name serves.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withModels(args, async (library) => {
      const { models: found } = await library.listModels(args.name === undefined ? {} : { name: args.name });
      const models = args.all === true ? found : found.filter(hasWeights);
      const hidden = found.length - models.length;
      if (args.json === true) {
        writeJson(models.map((model) => ({ ...toModelJson(model), isPromoted: model.is_promoted })));
      } else if (models.length === 0) {
        process.stdout.write(
          'no models; `lachesis train`, or `train sft|dpo|kto|reward --dataset name@version`, makes one\n',
        );
      } else process.stdout.write(describeModels(models, readScreen().columns));
      if (hidden > 0 && args.json !== true) {
        process.stdout.write(`${hidden} whose weights were deleted are not listed; --all lists them\n`);
      }
    });
  },
});
