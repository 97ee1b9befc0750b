import type { Show } from '../../shows/show.ts';
import { clientsShow } from './shows/clients.ts';
import { engineShow } from './shows/engine.ts';
import { managedShow } from './shows/managed.ts';
import { tokensShow } from './shows/tokens.ts';
import { turnsShow } from './shows/turns.ts';

/** `pnpm conformance inference`: what clients of the inference server are promised. */
export const shows: Show[] = [clientsShow, engineShow, managedShow, tokensShow, turnsShow];
