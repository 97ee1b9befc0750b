import type { Show } from '../../shows/show.ts';
import { diskFullShow } from './shows/disk-full.ts';
import { killShow } from './shows/kills.ts';
import { mutantShow } from './shows/mutants.ts';
import { partitionShow } from './shows/partition.ts';
import { responseLossShow } from './shows/response-loss.ts';

export const shows: Show[] = [killShow, responseLossShow, diskFullShow, partitionShow, mutantShow];
