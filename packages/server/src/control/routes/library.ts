import type { Route } from '../../http/route.ts';
import { createDatasetRoutes } from './datasets.ts';
import { createFeedbackRoutes } from './feedback.ts';
import type { LibraryDeps } from './library-deps.ts';
import { createRecordRoutes } from './records.ts';
import { createTrajectoryRoutes } from './trajectories.ts';

/** Every route of the library. */
export function createLibraryRoutes(parts: LibraryDeps): Route[] {
  return [
    ...createRecordRoutes(parts),
    ...createTrajectoryRoutes(parts),
    ...createFeedbackRoutes(parts),
    ...createDatasetRoutes(parts),
  ];
}
