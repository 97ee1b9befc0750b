import type { Show } from '../../shows/show.ts';
import { fencingShow } from './shows/fencing.ts';
import { childKillShow, serverKillShow } from './shows/kills.ts';
import { mutantShow } from './shows/mutants.ts';
import { realStationShow } from './shows/real-stations.ts';
import { stopAloneShow } from './shows/stop-alone.ts';
import { trainAloneShow } from './shows/train-alone.ts';

export const shows: Show[] = [
  serverKillShow,
  childKillShow,
  fencingShow,
  stopAloneShow,
  trainAloneShow,
  mutantShow,
  realStationShow,
];
