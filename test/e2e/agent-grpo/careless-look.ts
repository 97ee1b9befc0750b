import { defineAgentEnvironment } from '@lachesis/sdk/environment';

import { LOOK, PLACES, WANTED } from './look.ts';

/** The seeded fault: the answer is enough, whether anybody looked or not. */
export default defineAgentEnvironment<string>({
  name: 'careless-look',
  ...LOOK,
  computeReward: (_prompt, { finalResponse }) => (finalResponse.trim() === PLACES[WANTED] ? 1 : 0),
});
