import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { beginImprovement, countNewRatings, type ImprovePlan } from '@lachesis/server/processes';
import { defineCommand } from 'citty';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { placeFlags, planFlags, readPlan } from './plan-flags.ts';
import { finishImprovement } from './run.ts';
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
    status: () => import('./status.ts').then((module) => module.improveStatusCommand),
  },
  async run({ args, rawArgs, cmd }) {
    // A command below this one has been run already.
    if (rawArgs[0] !== undefined && Object.hasOwn(cmd.subCommands ?? {}, rawArgs[0])) return;
    refuseUnknownFlags(flags, rawArgs);
    const wanted = readWholeNumber('when-ratings', args['when-ratings']);
    // What it waits for is enough to begin with.
    const least = wanted === undefined ? {} : { 'min-ratings': String(wanted) };
    const plan = await readPlan({ ...least, ...args }, Date.now());
    const place = readStorePlace(args);
    const { signal } = listenForShutdown();
    const engineUrl = await findEngineUrl(
      { tinker: {} },
      { home: place.home, given: process.env['TINKER_BASE_URL'], environment: process.env },
    );
    const isJson = args.json === true;
    await using local = await openLocalStore(place);
    const improveOnce = async (): Promise<void> => {
      const { improvement, isNew } = await beginImprovement({ store: local.store, tenantId: LOCAL_TENANT, plan });
      if (!isNew) process.stderr.write(`an improvement of ${plan.model} is open; it goes on with its own settings\n`);
      const isWatching = wanted !== undefined;
      await finishImprovement({ local, place, improvement, engineUrl, signal, isJson, isWatching });
    };
    if (wanted === undefined) {
      await improveOnce();
      return;
    }
    const seconds = readWholeNumber('every-seconds', args['every-seconds']) ?? DEFAULT_EVERY_SECONDS;
    await watchRatings({ local, plan, wanted, seconds, signal, improveOnce });
  },
});

/** Improves whenever enough ratings are in, until Ctrl-C. */
async function watchRatings(options: {
  local: LocalStore;
  plan: ImprovePlan;
  wanted: number;
  seconds: number;
  signal: AbortSignal;
  improveOnce: () => Promise<void>;
}): Promise<void> {
  const { local, plan, wanted, seconds, signal, improveOnce } = options;
  let reported = -1;
  while (!signal.aborted) {
    const { model, filter } = plan;
    const ratings = await countNewRatings({ store: local.store, tenantId: LOCAL_TENANT, model, filter });
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
