import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { findImprovement, listImprovements } from '@lachesis/store';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { placeFlags } from './plan-flags.ts';
import { finishImprovement } from './run.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { openLocalStore, readStorePlace } from '../../flags/library/open-local-store.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';

const flags = {
  model: { type: 'string', description: 'the model, or the id of an improvement (default: the one that is open)' },
  ...placeFlags,
} as const;

export const improveResumeCommand = defineCommand({
  meta: { name: 'resume', description: 'Resume an improvement that was stopped or killed, with its own settings.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const place = readStorePlace(args);
    await using local = await openLocalStore(place);
    const { store } = local;
    const improvement =
      args.model === undefined
        ? (await listImprovements({ store, tenantId: LOCAL_TENANT })).find(({ endedAt }) => endedAt === null)
        : await findImprovement({ store, tenantId: LOCAL_TENANT, ref: args.model });
    if (improvement === undefined) fail('there is no improvement to go on with. `lachesis improve status` shows them.');
    const { signal } = listenForShutdown();
    const engineUrl = await findEngineUrl(
      { tinker: {} },
      { home: place.home, given: process.env['TINKER_BASE_URL'], environment: process.env },
    );
    await finishImprovement({ local, place, improvement, engineUrl, signal, isJson: args.json === true });
  },
});
