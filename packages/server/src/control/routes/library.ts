import type { Route } from '../../http/route.ts';
import { createCostRoute } from './costs.ts';
import { createDatasetRoutes } from './datasets.ts';
import { createFeedbackRoutes } from './feedback.ts';
import { createQueueRoutes } from './queue.ts';
import { createRecordRoutes } from './records.ts';
import { createTrajectoryRoutes } from './trajectories.ts';
import { createTurnRoutes, type TurnRouteDeps } from './turns.ts';

/** Every route of the library. */
export function createLibraryRoutes(parts: TurnRouteDeps): Route[] {
  return [
    ...createRecordRoutes(parts),
    ...createTrajectoryRoutes(parts),
    ...createTurnRoutes(parts),
    ...createFeedbackRoutes(parts),
    ...createQueueRoutes(parts),
    ...createDatasetRoutes(parts),
    createCostRoute(parts),
  ];
}
