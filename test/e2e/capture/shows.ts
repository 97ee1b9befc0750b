import type { Show } from '../../shows/show.ts';
import { agentsShow } from './shows/agents.ts';
import { redactionShow } from './shows/redaction.ts';
import { survivalShow } from './shows/survival.ts';

/** `pnpm e2e capture`: what agents did is in the library, whatever happened to them, and no secret with it. */
export const shows: Show[] = [agentsShow, survivalShow, redactionShow];
