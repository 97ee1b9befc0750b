import type { Route } from '../../http/route.ts';
import type { RolloutDeps } from '../../services/runs/rollouts/rollout-deps.ts';
import { createCostRoute } from './costs.ts';
import { createDatasetRoutes } from './datasets.ts';
import { createFeedbackRoutes } from './feedback.ts';
import type { LibraryDeps } from './library-deps.ts';
import { createQueueRoutes } from './queue.ts';
import { createRecordRoutes } from './records.ts';
import { createRerollRoute, type RerollRouteDeps } from './reroll.ts';
import { createTrajectoryRoutes } from './trajectories.ts';
import { createTurnRoutes } from './turns.ts';

/** Every route of the library. */
export function createLibraryRoutes(
  parts: LibraryDeps & RerollRouteDeps & Pick<RolloutDeps, 'openTokenText'>,
): Route[] {
  return [
    ...createRecordRoutes(parts),
    ...createTrajectoryRoutes(parts),
    ...createTurnRoutes(parts),
    createRerollRoute(parts),
    ...createFeedbackRoutes(parts),
    ...createQueueRoutes(parts),
    ...createDatasetRoutes(parts),
    createCostRoute(parts),
  ];
}
