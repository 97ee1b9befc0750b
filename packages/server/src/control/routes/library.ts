import type { Route } from '../../http/route.ts';
import { createDatasetRoutes } from './datasets.ts';
import { createFeedbackRoutes } from './feedback.ts';
import type { LibraryParts } from './library-parts.ts';
import { createRecordRoutes } from './records.ts';
import { createTrajectoryRoutes } from './trajectories.ts';

/** Every route of the library. */
export function createLibraryRoutes(parts: LibraryParts): Route[] {
  return [
    ...createRecordRoutes(parts),
    ...createTrajectoryRoutes(parts),
    ...createFeedbackRoutes(parts),
    ...createDatasetRoutes(parts),
  ];
}
