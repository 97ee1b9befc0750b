import type { Show } from '../../shows/show.ts';
import { gzipBombShow } from './shows/gzip-bomb.ts';
import { neighbourMutantsShow, neighboursShow } from './shows/neighbours.ts';
import { routeCaseShows } from './shows/route-cases.ts';
import { seededFaultShow } from './shows/seeded-faults.ts';
import { serverCaseShows } from './shows/server-cases.ts';

export const shows: readonly Show[] = [
  ...routeCaseShows,
  ...serverCaseShows,
  gzipBombShow,
  seededFaultShow,
  neighboursShow,
  neighbourMutantsShow,
];
