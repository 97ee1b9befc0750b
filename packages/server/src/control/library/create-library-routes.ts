import type { Route } from '../../platform/http/route.ts';
import { createDatasetRoutes } from './dataset-routes.ts';
import { createFeedbackRoutes } from './feedback-routes.ts';
import type { LibraryParts } from './library-parts.ts';
import { createRecordRoutes } from './record-routes.ts';
import { createTrajectoryRoutes } from './trajectory-routes.ts';

/** Every route of the library. */
export function createLibraryRoutes(parts: LibraryParts): Route[] {
  return [
    ...createRecordRoutes(parts),
    ...createTrajectoryRoutes(parts),
    ...createFeedbackRoutes(parts),
    ...createDatasetRoutes(parts),
  ];
}
