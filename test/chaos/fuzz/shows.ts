import type { Show } from '../../shows/show.ts';
import { gzipBombShow } from './shows/gzip-bomb.ts';
import { routeCaseShows } from './shows/route-cases.ts';
import { seededFaultShow } from './shows/seeded-faults.ts';

export const shows: readonly Show[] = [...routeCaseShows, gzipBombShow, seededFaultShow];
