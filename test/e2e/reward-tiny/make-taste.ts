import { createDatasetVersion, openHome } from '@lachesis/store';

import { listPairs } from './list-pairs.ts';

export interface TasteSizes {
  readonly train: number;
  readonly heldOut: number;
}

/** Puts pairs of the synthetic taste into the library of a home: `taste` to learn from, with a split to measure with. */
export async function makeTaste(options: { home: string; seed: number; sizes: TasteSizes }): Promise<void> {
  const { home, seed, sizes } = options;
  const { store, blobs } = await openHome({ home });
  try {
    await createDatasetVersion({
      store,
      blobs,
      tenantId: 'local',
      name: 'taste',
      isHeldOut: false,
      recipe: { made: 'by a rule, for a test' },
      rows: [
        ...listPairs({ count: sizes.train, seed, split: 'train' }),
        ...listPairs({ count: sizes.heldOut, seed, split: 'eval' }),
      ],
    });
  } finally {
    await store.close();
  }
}
