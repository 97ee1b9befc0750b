import { listModels, readLastPromotion } from '@lachesis/store';
import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../setting-flags.ts';
import { failWithSentence, libraryFlags, withLibrary } from './data-options.ts';
import { describeModels } from './models-text.ts';
import { writeJson } from './trajectories-screen.ts';

const flags = {
  name: { type: 'string', description: 'only the versions of this name' },
  ...libraryFlags,
} as const;

export const modelsListCommand = defineCommand({
  meta: { name: 'list', description: 'List models, the newest version first. A star is what a name serves.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withLibrary(args, async ({ store, tenantId }) => {
      const name = args.name === undefined ? {} : { name: args.name };
      const models = await listModels({ store, tenantId, ...name });
      const promoted = new Map<string, string>();
      for (const each of new Set(models.map((model) => model.name))) {
        const last = await readLastPromotion({ store, tenantId, name: each });
        if (last !== undefined) promoted.set(each, last.modelVersionId);
      }
      if (args.json === true) {
        writeJson(models.map((model) => ({ ...model, isPromoted: promoted.get(model.name) === model.modelVersionId })));
      } else if (models.length === 0) {
        process.stdout.write('no models; `lachesis train sft|dpo|kto|reward --dataset name@version` makes one\n');
      } else process.stdout.write(describeModels(models, promoted));
    }).catch(failWithSentence);
  },
});
