import type { DatasetVersion } from '@lachesis/protocol';
import { writeCount } from '../parts/format.ts';

/** Rows of each split in one line. */
export const writeSplits = ({ splits }: Pick<DatasetVersion, 'splits'>): string =>
  Object.entries(splits)
    .map(([split, count]) => `${split} ${writeCount(count)}`)
    .join(' · ');
