import { promoteModel, rollbackModel, type ModelPromotion } from '@lachesis/store';
import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../setting-flags.ts';
import { failWithSentence, libraryFlags, withLibrary } from './data-options.ts';
import { readAuthor } from './feedback-author.ts';
import { modelArgument, nameOf, needModel } from './models-options.ts';
import { writeJson } from './trajectories-screen.ts';

const changeFlags = {
  reason: { type: 'string', description: 'why; it stays in the history' },
  by: { type: 'string', description: 'who does it (default: your user name) [LACHESIS_AUTHOR]' },
  ...libraryFlags,
} as const;

const promoteFlags = { ...modelArgument, ...changeFlags } as const;

export const modelsPromoteCommand = defineCommand({
  meta: {
    name: 'promote',
    description: 'Make a version the one its name serves. Inference servers with --model take it within a second.',
  },
  args: promoteFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(promoteFlags, rawArgs);
    await withLibrary(args, async ({ store, tenantId, audit }) => {
      const { name, version } = await needModel({ store, tenantId, ref: args.model });
      const change = { reason: args.reason ?? 'by hand', by: readAuthor({ author: args.by }) };
      const promotion = await promoteModel({ store, tenantId, name, version, ...change });
      await audit({ action: 'models promote', tenantId, things: { model: nameOf(promotion) } });
      report(promotion, args.json === true);
    }).catch(failWithSentence);
  },
});

const rollbackFlags = {
  name: { type: 'positional', required: true, description: 'name of the model' },
  ...changeFlags,
} as const;

export const modelsRollbackCommand = defineCommand({
  meta: { name: 'rollback', description: 'Go back to what a name served before its last promotion.' },
  args: rollbackFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(rollbackFlags, rawArgs);
    await withLibrary(args, async ({ store, tenantId, audit }) => {
      const change = { reason: args.reason ?? 'by hand', by: readAuthor({ author: args.by }) };
      const promotion = await rollbackModel({ store, tenantId, name: args.name, ...change });
      await audit({ action: 'models rollback', tenantId, things: { model: nameOf(promotion) } });
      report(promotion, args.json === true);
    }).catch(failWithSentence);
  },
});

function report(promotion: ModelPromotion, isJson: boolean): void {
  if (isJson) {
    writeJson(promotion);
    return;
  }
  const { name, ordinal } = promotion;
  process.stdout.write(
    `${name} serves ${nameOf(promotion)} (change ${ordinal})\n` +
      `  serve it: lachesis serve inference --model ${name}; servers that do so take it within a second\n` +
      `  take it back: lachesis models rollback ${name}\n`,
  );
}
