import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ledgerQuery } from '../api/queries.ts';
import { LedgerBar } from '../parts/ledger-bar.tsx';

/** Where the groups of the run are. A run without a queue, such as one on a data set, has none. */
export function RunLedger({ run, isEnded }: { run: string; isEnded: boolean }): ReactNode {
  const { data } = useQuery({ ...ledgerQuery(run, isEnded), retry: false });
  return data === undefined || data.produced === 0 ? null : <LedgerBar ledger={data} />;
}
