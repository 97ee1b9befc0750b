import { createIdSource, openRedactor, readRedactionSettings } from '@lachesis/protocol';
import { drainOutboxes } from '@lachesis/server/services';
import { listDatasets, listTrajectories, openHome } from '@lachesis/store';
import { findInFiles, type Leak } from '../../../e2e/capture/find-leaks.ts';
import { createNoise, plantSecrets } from '../../../e2e/capture/plant-secrets.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { waysIn, type Variables, type WayIn } from '../ways-in.ts';

const SEED = 40;
/** One of them, known by its value, is written in two of these. */
const FORMS = 33;
const CUSTOMERS = 8;
const SECRETS = 40;

/** What a person who runs Lachesis sets, and what it takes out. */
function plant(): { texts: string[]; secrets: ReadonlySet<string>; variables: Variables } {
  const noise = createNoise(SEED);
  const known = `env-${noise(18)}`;
  const name = `Wile ${noise(8)} Coyote`;
  const planted = plantSecrets(FORMS, SEED, known);
  // No rule knows these: they go because the settings say so.
  const customers = Array.from({ length: CUSTOMERS - 1 }, (_, index) => `ACME-${10_000 + index}`);
  return {
    texts: [
      ...planted.map(({ text }) => text),
      ...customers.map((customer) => `customer ${customer} called`),
      `it was ${name} again`,
    ],
    secrets: new Set([...planted.map(({ secret }) => secret), ...customers, name]),
    variables: {
      SERVICE_TOKEN: known,
      ...{ CUSTOMER_NAME: name, LACHESIS_REDACT_VARIABLES: 'CUSTOMER_NAME' },
      LACHESIS_REDACT_PATTERN: String.raw`ACME-\d+`,
    },
  };
}

interface Entered {
  readonly leaks: readonly Leak[];
  readonly files: number;
  /** Trajectories, data sets and items of work: a way by which nothing came in shows nothing. */
  readonly kept: number;
}

/** Sends the texts in by one way, drains what lies in the outbox as every process does, and looks into every file. */
async function enter(context: ScenarioContext, way: WayIn, given: Variables): Promise<Entered> {
  const { texts, secrets, variables } = plant();
  const [home, folder] = [await context.scratch(), await context.scratch()];
  await way.enter({ home, folder, texts, variables: given, context });
  const opened = await openHome({ home });
  const leaks: Leak[] = [];
  let files = 0;
  const look = async (): Promise<void> => {
    const found = await findInFiles(home, secrets);
    leaks.push(...found.leaks);
    files = Math.max(files, found.files);
  };
  let kept = 0;
  try {
    // The recorder knew the settings: its outbox holds none either.
    if (way.isCleanOutbox) await look();
    const { store, blobs } = opened;
    // Of a way that forgets the settings, the drain must not make good what it left undone.
    const redactor = openRedactor(readRedactionSettings(way.isDrainTheWay ? given : variables), given);
    await drainOutboxes({
      parts: { store, blobs, ids: createIdSource(), redactor },
      home,
      now: Date.now,
      gatewayQuietMs: 0,
    });
    const { trajectories } = await listTrajectories({ store, tenantId: 'local', filter: {}, limit: 100 });
    const work = await store.db.selectFrom('work_items').select('item_index').execute();
    kept = trajectories.length + (await listDatasets({ store, tenantId: 'local' })).length + work.length;
    // With its write-ahead log, and once more when that is in the database.
    await look();
  } finally {
    await opened.close();
  }
  await look();
  return { leaks, files, kept };
}

export const waysInScenario: Scenario = {
  name: 'ways-in',
  title: '40 secrets by every way into a home: none in any file of it, and a way that forgets the settings is caught',
  async run(context) {
    const { secrets, variables } = plant();
    const real = await Promise.all(waysIn.map(async (way) => ({ way, ...(await enter(context, way, variables)) })));
    for (const { way, leaks, files, kept } of real) {
      for (const { place } of leaks.slice(0, 3)) context.log(`${way.name}: ${place}`);
      context.report({
        name: way.name,
        figure: `${new Set(leaks.map(({ secret }) => secret)).size} of ${secrets.size} found in ${files} files, ${kept} kept`,
        bar: '0 found, ≥ 1 kept',
        ok: leaks.length === 0 && kept > 0 && secrets.size === SECRETS,
      });
    }
    const chosen = waysIn.filter(({ isSlow }) => context.full || isSlow !== true);
    const mutants = await Promise.all(chosen.map(async (way) => ({ way, ...(await enter(context, way, {})) })));
    const caught = mutants.filter(({ leaks }) => leaks.length > 0);
    for (const { way } of mutants.filter((mutant) => !caught.includes(mutant))) context.log(`not caught: ${way.name}`);
    context.report({
      name: 'mutants: a way that forgets the settings',
      figure: `${caught.length} of ${mutants.length} caught`,
      bar: 'all',
      ok: caught.length === mutants.length,
    });
  },
};
