import type { Show } from '../../shows/show.ts';
import { callsShow } from './shows/calls.ts';
import { masksShow } from './shows/masks.ts';
import { templatesShow } from './shows/templates.ts';
import { tokensShow } from './shows/tokens.ts';

/** `pnpm conformance render`: between messages and tokens as Python has it, quickest first. */
export const shows: Show[] = [callsShow, templatesShow, tokensShow, masksShow];
