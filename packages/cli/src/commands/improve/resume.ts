import { createControlClient } from '@lachesis/sdk';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { findInterrupted } from '@lachesis/server/services';
import { defineCommand } from 'citty';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { findNamedServer } from '../../flags/library/locate-library.ts';
import { orFail } from '../../flags/library/models.ts';
import { openLocalStore, readStorePlace } from '../../flags/library/open-local-store.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { followImprovement } from './follow.ts';
import { placeFlags } from './plan-flags.ts';
import { finishImprovement } from './run.ts';

const flags = {
  model: { type: 'string', description: 'the model, or the id of an improvement (default: the one that is open)' },
  drained: {
    type: 'boolean',
    description: 'a server reads what recorders left in the home, and this process does not',
  },
  ...placeFlags,
} as const;

export const improveResumeCommand = defineCommand({
  meta: { name: 'resume', description: 'Resume an improvement that was stopped or killed, with its own settings.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const isJson = args.json === true;
    const server = await findNamedServer(args);
    const { signal } = listenForShutdown();
    await orFail(async () => {
      if (server !== undefined) {
        const client = createControlClient(server);
        const open = async (): Promise<string | undefined> =>
          (await client.listImprovements({}, { signal })).improvements.find((each) => each.ended_at === null)
            ?.improvement_id;
        const ref = args.model ?? (await open());
        if (ref === undefined) throw new Error(NOTHING);
        const from = await client.resumeImprovement(ref, { signal });
        await followImprovement({ client, from, isJson, signal });
        return;
      }
      const place = readStorePlace(args);
      await using local = await openLocalStore(place);
      const tenantId = args.tenant ?? LOCAL_TENANT;
      const improvement = await findInterrupted({ store: local.store, tenantId, ref: args.model });
      if (improvement === undefined) throw new Error(NOTHING);
      const engineUrl = await findEngineUrl({ tinker: {} }, { home: place.home });
      const isDrained = args.drained === true;
      await finishImprovement({ local, place, improvement, engineUrl, signal, isJson, isDrained });
    });
  },
});

const NOTHING = 'there is no improvement to go on with. `lachesis improve status` shows them.';
