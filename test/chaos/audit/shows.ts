import type { Show } from '../../shows/show.ts';
import { changesShow } from './shows/changes.ts';
import { costShow } from './shows/cost.ts';

export const shows: Show[] = [changesShow, costShow];
