import type { ImprovePlan } from '@lachesis/protocol';
import { createControlClient } from '@lachesis/sdk';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { beginImprovement, countNewRatings, refuseUnknownModel } from '@lachesis/server/processes';
import { defineCommand } from 'citty';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { placeFlags, planFlags, readPlan } from './plan-flags.ts';
import { finishImprovement } from './run.ts';
import { followImprovement } from './follow.ts';
import { fail } from '../../terminal/fail.ts';
import { findNamedServer } from '../../flags/library/locate-library.ts';
import { drainHome } from '../../flags/library/drain-home.ts';
import { orFail } from '../../flags/library/models.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { openLocalStore, readStorePlace, type LocalStore } from '../../flags/library/open-local-store.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';

const flags = {
  ...planFlags,
  'when-ratings': { type: 'string', description: 'wait for so many new ratings, improve, and wait again' },
  'every-seconds': { type: 'string', description: 'with --when-ratings: seconds between two looks (default: 10)' },
  ...placeFlags,
} as const;

const DEFAULT_EVERY_SECONDS = 10;

export const improveCommand = defineCommand({
  meta: {
    name: 'improve',
    description: 'From ratings to a better model in service: data set, training, evaluation, promotion, with gates.',
  },
  args: flags,
  subCommands: {
    resume: () => import('./resume.ts').then((module) => module.improveResumeCommand),
    show: () => import('./show.ts').then((module) => module.improveShowCommand),
    status: () => import('./status.ts').then((module) => module.improveStatusCommand),
    stop: () => import('./show.ts').then((module) => module.improveStopCommand),
  },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const wanted = readWholeNumber('when-ratings', args['when-ratings']);
    // What it waits for is enough to begin with.
    const least = wanted === undefined ? {} : { 'min-ratings': String(wanted) };
    const plan = await readPlan({ ...least, ...args }, Date.now());
    const server = await findNamedServer(args);
    if (server !== undefined) {
      if (wanted !== undefined)
        fail('--when-ratings looks at the ratings of a library here; a server has none of its own.');
      return await improveOnServer(server, { plan, isJson: args.json === true });
    }
    const place = readStorePlace(args);
    const tenantId = args.tenant ?? LOCAL_TENANT;
    const { signal } = listenForShutdown();
    const isJson = args.json === true;
    await using local = await openLocalStore(place);
    // A name that was mistyped is told before an engine is asked for.
    await needModelName({ local, place, tenantId, plan });
    const engineUrl = await findEngineUrl({ tinker: {} }, { home: place.home });
    const improveOnce = async (): Promise<void> => {
      const { improvement, isNew } = await beginImprovement({ store: local.store, tenantId, plan });
      if (!isNew) process.stderr.write(describeOpen(plan.model));
      const isWatching = wanted !== undefined;
      await finishImprovement({ local, place, improvement, engineUrl, signal, isJson, isWatching });
    };
    if (wanted === undefined) {
      await improveOnce();
      return;
    }
    const seconds = readWholeNumber('every-seconds', args['every-seconds']) ?? DEFAULT_EVERY_SECONDS;
    await watchRatings({ local, tenantId, plan, wanted, seconds, signal, improveOnce });
  },
});

/** Ends the command for a name that nothing is known of; what an application left a moment ago is looked at too. */
async function needModelName(options: {
  local: LocalStore;
  place: { home: string };
  tenantId: string;
  plan: ImprovePlan;
}): Promise<void> {
  const { local, place, tenantId, plan } = options;
  const look = (): Promise<void> => refuseUnknownModel({ store: local.store, tenantId, plan });
  await orFail(() =>
    look().catch(async () => {
      await drainHome({ local, place });
      await look();
    }),
  );
}

/** Has a server do it, and tells what it does. */
async function improveOnServer(
  server: { url: string; token: string | undefined },
  { plan, isJson }: { plan: ImprovePlan; isJson: boolean },
): Promise<void> {
  const { signal } = listenForShutdown();
  await orFail(async () => {
    const client = createControlClient(server);
    const started = await client.startImprovement(plan, { signal });
    if (!started.is_new) process.stderr.write(describeOpen(plan.model));
    await followImprovement({ client, from: started, isJson, signal });
  });
}

const describeOpen = (model: string): string =>
  `an improvement of ${model} is open; it goes on with its own settings\n`;

/** Improves whenever enough ratings are in, until Ctrl-C. */
async function watchRatings(options: {
  local: LocalStore;
  tenantId: string;
  plan: ImprovePlan;
  wanted: number;
  seconds: number;
  signal: AbortSignal;
  improveOnce: () => Promise<void>;
}): Promise<void> {
  const { local, tenantId, plan, wanted, seconds, signal, improveOnce } = options;
  let reported = -1;
  while (!signal.aborted) {
    const { model } = plan;
    const ratings = await countNewRatings({ store: local.store, tenantId, plan });
    if (ratings >= wanted) {
      await improveOnce();
      // What ended with a shut gate has used its ratings, too few of them excepted: those wait for more.
      reported = -1;
    } else if (ratings !== reported) {
      process.stderr.write(`${ratings} of ${wanted} new ratings for ${model}\n`);
      reported = ratings;
    }
    // Ending while it waits is the way to end it.
    await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);
  }
}
