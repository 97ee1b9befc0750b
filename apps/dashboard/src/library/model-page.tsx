import type { ReactNode } from 'react';
import { Empty } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';

export function ModelPage(): ReactNode {
  return (
    <Page title="Model" command="models show">
      <Empty title="This page is not drawn yet. The terminal shows it:" command="models show" />
    </Page>
  );
}
