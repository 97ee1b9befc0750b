import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ComparePage as CompareRecords } from '../reading/compare-page.tsx';
import { CompareRuns } from './compare-runs.tsx';

/** Two of anything: `runs` names runs, everything else is what was recorded. */
export function ComparePage(): ReactNode {
  const { runs } = useSearch({ strict: false });
  return runs === undefined ? <CompareRecords /> : <CompareRuns runs={runs.split(',').filter(Boolean)} />;
}
