import type { ModelChange, RegisteredPromotion } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { readAuthor } from '../../flags/author.ts';
import { toPromotionJson } from './json.ts';
import { modelArgument, nameOf } from '../../flags/library/name-model.ts';
import { modelsFlags, withModels } from '../../flags/library/models.ts';
import { writeJson } from '../../terminal/screen.ts';

const changeFlags = {
  reason: { type: 'string', description: 'why; it stays in the history' },
  by: { type: 'string', description: 'who does it (default: your user name) [LACHESIS_AUTHOR]' },
  ...modelsFlags,
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
    await withModels(args, async (library) =>
      report(await library.promoteModel(args.model, readChange(args)), args.json === true),
    );
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
    await withModels(args, async (library) =>
      report(await library.rollBackModel(args.name, readChange(args)), args.json === true),
    );
  },
});

const readChange = (args: { reason?: string | undefined; by?: string | undefined }): ModelChange => ({
  by: readAuthor({ author: args.by }),
  ...(args.reason === undefined ? {} : { reason: args.reason }),
});

function report(promotion: RegisteredPromotion, isJson: boolean): void {
  if (isJson) {
    writeJson(toPromotionJson(promotion));
    return;
  }
  const { name, ordinal } = promotion;
  process.stdout.write(
    `${name} serves ${nameOf(promotion)} (change ${ordinal})\n` +
      `  serve it: lachesis serve inference --model ${name}; servers that do so take it within a second\n` +
      `  take it back: lachesis models rollback ${name}\n`,
  );
}
