import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CompareModels } from '../library/compare-models.tsx';
import { ComparePage as CompareRecords } from '../reading/compare-page.tsx';
import { CompareRuns } from './compare-runs.tsx';

/** Two of anything: `runs` names runs, `models` models, everything else is what was recorded. */
export function ComparePage(): ReactNode {
  const { runs, models } = useSearch({ strict: false });
  if (models !== undefined) return <CompareModels models={models.split(',').filter(Boolean)} />;
  return runs === undefined ? <CompareRecords /> : <CompareRuns runs={runs.split(',').filter(Boolean)} />;
}
