import type { ReactNode } from 'react';
import { Empty } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';

export function LineagePage(): ReactNode {
  return (
    <Page title="Lineage" command="lineage">
      <Empty title="This page is not drawn yet. The terminal shows it:" command="lineage" />
    </Page>
  );
}
