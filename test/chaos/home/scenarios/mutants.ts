import { join } from 'node:path';

import { addBlobReference, claimLibrary, collectHomeOrphans, openStore, StrangeBlobsError } from '@lachesis/store';
import { checkLibrary } from '../../../../packages/store/src/home/claim-library.ts';
import { openHomeBlobs } from '../../../../packages/store/src/home/open-home.ts';
import { createHash } from 'node:crypto';

import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { agePayloads, countGone, listPayloads } from '../payloads.ts';

interface Guards {
  claimLibrary: typeof claimLibrary;
  checkLibrary: typeof checkLibrary;
}

const PAYLOADS = 5;
const trusting = async (): ReturnType<typeof checkLibrary> => ({ libraryId: 'mine', adoptedAtMs: null });

/** Openings and collectors that do not look at the marker. */
export const mutantsScenario: Scenario = {
  name: 'mutants',
  title: 'an opening or a collector that ignores the marker removes payloads of another database, and is found out',
  async run(context) {
    const real = await meetStranger(context, { claimLibrary, checkLibrary });
    context.report({
      name: 'the real guards',
      figure: `${real.gone} of ${PAYLOADS} gone, ${real.refused ? 'refused' : 'not refused'}`,
      bar: '0 gone, refused',
      ok: real.gone === 0 && real.refused,
    });
    const careless = await meetStranger(context, { claimLibrary: trusting, checkLibrary: trusting });
    context.report({
      name: 'mutant: opening and collector without the marker',
      figure: `${careless.gone} of ${PAYLOADS} gone`,
      bar: 'found out: some are gone',
      ok: careless.gone > 0,
    });
    const halfway = await meetStranger(context, { claimLibrary: trusting, checkLibrary });
    context.report({
      name: 'mutant: opening without the marker, collector with it',
      figure: `${halfway.gone} of ${PAYLOADS} gone, ${halfway.refused ? 'refused' : 'not refused'} by the collector`,
      bar: '0 gone, refused',
      ok: halfway.gone === 0 && halfway.refused,
    });
  },
};

/** A second database opens a home in which the first has acknowledged payloads, and collects what it takes for orphans. */
async function meetStranger(context: ScenarioContext, guards: Guards): Promise<{ gone: number; refused: boolean }> {
  const home = await context.scratch();
  const owner = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  context.defer(() => owner.close());
  const { blobs } = await openHomeBlobs({ store: owner, home });
  for (let number = 0; number < PAYLOADS; number += 1) {
    const bytes = Buffer.from(`payload ${number}`);
    const digest = createHash('sha256').update(bytes).digest('hex');
    await blobs.put(digest, bytes);
    await owner.commit({
      statements: [addBlobReference({ store: owner, tenantId: 'local', digest, bytes: bytes.byteLength })],
    });
  }
  await agePayloads(home);
  const before = await listPayloads(home);
  const stranger = await openStore({ sqlitePath: join(await context.scratch(), 'other.db') });
  context.defer(() => stranger.close());
  try {
    const opened = await openHomeBlobs({ store: stranger, home, claimLibrary: guards.claimLibrary });
    await collectHomeOrphans({
      home: { store: stranger, blobs: opened.blobs },
      checkLibrary: guards.checkLibrary,
    });
    return { gone: await countGone(home, before), refused: false };
  } catch (error) {
    if (!StrangeBlobsError.isInstance(error)) throw error;
    return { gone: await countGone(home, before), refused: true };
  }
}
