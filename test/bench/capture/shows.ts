import type { Show } from '../../shows/show.ts';
import { gatewayShow } from './shows/gateway.ts';
import { libraryShow } from './shows/library.ts';

/** `pnpm bench capture`. */
export const shows: Show[] = [gatewayShow, libraryShow];
