import type { Show } from '../../shows/show.ts';
import { matrixShow } from './shows/matrix.ts';
import { seededFaultsShow } from './shows/seeded-faults.ts';
import { streamsShow } from './shows/streams.ts';
import { tenantsShow } from './shows/tenants.ts';

export const shows: readonly Show[] = [matrixShow, tenantsShow, streamsShow, seededFaultsShow];
