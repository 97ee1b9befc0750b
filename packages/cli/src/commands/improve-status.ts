import { listImprovements } from '@lachesis/store';
import { defineCommand } from 'citty';
import { refuseUnknownFlags } from '../setting-flags.ts';
import { placeFlags } from './improve-options.ts';
import { describeImprovement, TENANT, toReport } from './improve-run.ts';
import { openLocalStore, readStorePlace } from './open-local-store.ts';

const flags = {
  model: { type: 'string', description: 'only those of this model' },
  ...placeFlags,
} as const;

export const improveStatusCommand = defineCommand({
  meta: { name: 'status', description: 'Show improvements, the newest first: where each stands, and how it ended.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await using local = await openLocalStore(readStorePlace(args));
    const found = await listImprovements({ store: local.store, tenantId: TENANT, model: args.model });
    if (args.json === true) process.stdout.write(`${JSON.stringify(found.map(toReport))}\n`);
    else if (found.length === 0)
      process.stdout.write('no improvements; begin one with `lachesis improve --model name`\n');
    else process.stdout.write(found.map((each) => describeImprovement(each)).join('\n'));
  },
});
