import type { ReactNode } from 'react';
import { Empty } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';

export function CostPage(): ReactNode {
  return (
    <Page title="Cost" command="trajectories stats">
      <Empty title="This page is not drawn yet. The terminal shows it:" command="trajectories stats" />
    </Page>
  );
}
