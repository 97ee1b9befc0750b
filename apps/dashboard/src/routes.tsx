import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Frame } from './shell/frame.tsx';
import { NoPage } from './shell/no-page.tsx';
import type { Search } from './shell/search.ts';

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Frame,
  notFoundComponent: NoPage,
  validateSearch: (search: Record<string, unknown>): Search => search as Search,
});

const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component });

// One line an address. Each page is a file of its own, which is fetched when somebody goes there.
const now = page(
  '/',
  lazyRouteComponent(() => import('./runs/now-page.tsx'), 'NowPage'),
);
const runs = page(
  '/runs',
  lazyRouteComponent(() => import('./runs/runs-page.tsx'), 'RunsPage'),
);
const start = page(
  '/start',
  lazyRouteComponent(() => import('./runs/start-page.tsx'), 'StartPage'),
);
const run = page(
  '/runs/$run',
  lazyRouteComponent(() => import('./runs/run-page.tsx'), 'RunPage'),
);
const step = page(
  '/runs/$run/steps/$step',
  lazyRouteComponent(() => import('./reading/step-page.tsx'), 'StepPage'),
);
const group = page(
  '/runs/$run/groups/$group',
  lazyRouteComponent(() => import('./reading/group-page.tsx'), 'GroupPage'),
);
const trajectories = page(
  '/trajectories',
  lazyRouteComponent(() => import('./reading/trajectories-page.tsx'), 'TrajectoriesPage'),
);
const trajectory = page(
  '/trajectories/$trajectory',
  lazyRouteComponent(() => import('./reading/trajectory-page.tsx'), 'TrajectoryPage'),
);
const compare = page(
  '/compare',
  lazyRouteComponent(() => import('./runs/compare-page.tsx'), 'ComparePage'),
);
const rate = page(
  '/rate',
  lazyRouteComponent(() => import('./rating/rate-page.tsx'), 'RatePage'),
);
const data = page(
  '/data',
  lazyRouteComponent(() => import('./library/data-page.tsx'), 'DataPage'),
);
const models = page(
  '/models',
  lazyRouteComponent(() => import('./library/models-page.tsx'), 'ModelsPage'),
);
const model = page(
  '/models/$model',
  lazyRouteComponent(() => import('./library/model-page.tsx'), 'ModelPage'),
);
const lineage = page(
  '/lineage',
  lazyRouteComponent(() => import('./library/lineage-page.tsx'), 'LineagePage'),
);
const lineageOf = page(
  '/lineage/$kind/$id',
  lazyRouteComponent(() => import('./library/lineage-page.tsx'), 'LineagePage'),
);
const environments = page(
  '/environments',
  lazyRouteComponent(() => import('./library/environments-page.tsx'), 'EnvironmentsPage'),
);
const cost = page(
  '/cost',
  lazyRouteComponent(() => import('./library/cost-page.tsx'), 'CostPage'),
);
const system = page(
  '/system',
  lazyRouteComponent(() => import('./library/system-page.tsx'), 'SystemPage'),
);
const design = page(
  '/design',
  lazyRouteComponent(() => import('./parts/design-page.tsx'), 'DesignPage'),
);

const tree = root.addChildren([
  ...[now, runs, start, run, step, group, trajectories, trajectory, compare, rate],
  ...[data, models, model, lineage, lineageOf, environments, cost, system, design],
]);

/** Addresses and their pages. A search is read and written as plain words, so that an address can be typed. */
export function createPageRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const kept = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
      return text === '' ? '' : `?${text}`;
    },
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}
