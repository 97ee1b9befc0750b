import type { ReactNode } from 'react';
import { Empty } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';

export function SystemPage(): ReactNode {
  return (
    <Page title="System" command="doctor">
      <Empty title="This page is not drawn yet. The terminal shows it:" command="doctor" />
    </Page>
  );
}
