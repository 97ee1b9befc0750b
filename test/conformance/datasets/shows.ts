import type { Show } from '../../shows/show.ts';
import { checkShow } from './shows/check.ts';
import { loadShow } from './shows/load.ts';
import { templatesShow } from './shows/templates.ts';
import { trainersShow } from './shows/trainers.ts';

/** `pnpm conformance datasets`: what the programs that read our exports find in them. */
export const shows: Show[] = [checkShow, loadShow, templatesShow, trainersShow];
