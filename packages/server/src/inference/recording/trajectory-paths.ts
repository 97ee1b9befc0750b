import type { Route } from '../../http/route.ts';

/**
 * The same routes under `/t/<key>`, for clients that are given a base URL and nothing else. The key names the trajectory.
 */
export function withTrajectoryPaths(routes: readonly Route[]): Route[] {
  return routes.flatMap((route) => [
    route,
    { ...route, path: `/t/:trajectory${route.path}`, summary: `${route.summary} The key names the trajectory.` },
  ]);
}
