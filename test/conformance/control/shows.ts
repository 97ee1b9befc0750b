import type { Show } from '../../shows/show.ts';
import { callsShow } from './shows/calls.ts';
import { faultsShow } from './shows/faults.ts';
import { mcpShow } from './shows/mcp.ts';
import { realShow } from './shows/real.ts';

/** `pnpm conformance control`: what programs and agents are promised by the control API and its tools. */
export const shows: Show[] = [callsShow, mcpShow, realShow, faultsShow];
