import type { ReactNode } from 'react';
import { Empty } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';

export function DataPage(): ReactNode {
  return (
    <Page title="Data" command="data sets list">
      <Empty title="This page is not drawn yet. The terminal shows it:" command="data sets list" />
    </Page>
  );
}
