import type { Random } from '../../simulation/random.ts';
import { DISTURBANCES } from './disturb.ts';
import type { FuzzCase } from './draft.ts';
import { draftRequest } from './draft-requests.ts';
import type { RequestDraft } from './draft-requests.ts';
import { frameRequest } from './frame-request.ts';
import type { Memory } from './memory.ts';

/** Where the requests of a server come from. */
export type DraftOf = (random: Random, memory: Memory) => RequestDraft;

/** One case: a request to a route, up to three disturbances of it, and a way to put it on the wire. */
export function makeCase(random: Random, memory: Memory, draftOf: DraftOf = draftRequest): FuzzCase {
  const draft = draftOf(random, memory);
  for (let left = random.pick([0, 0, 0, 0, 0, 0, 1, 1, 2, 3]); left > 0; left -= 1)
    random.pick(DISTURBANCES)(draft, random);
  return { route: draft.route, run: draft.run, ...frameRequest(draft, random) };
}
