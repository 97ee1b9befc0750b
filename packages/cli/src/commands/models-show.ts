import { findModel, listPromotions } from '@lachesis/store';
import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../setting-flags.ts';
import { failWithSentence, libraryFlags, withLibrary } from './data-options.ts';
import { modelArgument, needModel } from './models-options.ts';
import { describeModel } from './models-text.ts';
import { writeJson } from './trajectories-screen.ts';

const flags = { ...modelArgument, ...libraryFlags } as const;

export const modelsShowCommand = defineCommand({
  meta: {
    name: 'show',
    description: 'Show one model: what it was made from and with, how it did, and when it was promoted.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withLibrary(args, async ({ store, tenantId }) => {
      const model = await needModel({ store, tenantId, ref: args.model });
      const history = await listPromotions({ store, tenantId, name: model.name });
      if (args.json === true) {
        writeJson({ ...model, promotions: history });
        return;
      }
      const parent = model.parent === null ? undefined : await findModel({ store, tenantId, ref: model.parent });
      process.stdout.write(describeModel({ model, parent, history }));
    }).catch(failWithSentence);
  },
});
