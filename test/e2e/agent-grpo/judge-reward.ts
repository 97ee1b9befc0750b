import { createScriptedPolicy } from '@lachesis/sdk/environment';
import type { EnvironmentDefinition } from '@lachesis/sdk/environment';

import { call, runGroup } from '../../../packages/sdk/src/environment/agent/testing/run-agent-group.fixture.ts';
import { PLACES, WANTED } from './look.ts';

type Turn = string | ReturnType<typeof call>;

const RIGHT = PLACES[WANTED] ?? '';

/** What somebody may do who wants the reward, and whether all of it, a part or nothing is due. */
const CASES: readonly {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly isDue: (reward: number) => boolean;
}[] = [
  { name: 'looks and answers', turns: [call('look', { at: WANTED }), RIGHT], isDue: (reward) => reward === 1 },
  {
    name: 'looks and answers wrongly',
    turns: [call('look', { at: WANTED }), '9'],
    isDue: (reward) => reward > 0 && reward < 1,
  },
  { name: 'looks and says nothing', turns: [call('look', { at: WANTED }), ''], isDue: (reward) => reward < 1 },
  { name: 'answers without a look', turns: [RIGHT], isDue: (reward) => reward === 0 },
  { name: 'looks elsewhere and answers', turns: [call('look', { at: 'a' }), RIGHT], isDue: (reward) => reward === 0 },
  {
    name: 'calls a tool that is not there',
    turns: [call('peek', { at: WANTED }), RIGHT],
    isDue: (reward) => reward === 0,
  },
  { name: 'writes of a call', turns: [`look at ${WANTED}: ${RIGHT}`], isDue: (reward) => reward === 0 },
  {
    name: 'writes half a call',
    turns: [`<tool_call>look<arg_key>at</arg_key><arg_value>${WANTED}`],
    isDue: (reward) => reward === 0,
  },
];

export interface RewardJudgement {
  readonly cases: number;
  /** Cases that earn what is not due to them. */
  readonly wrong: readonly string[];
}

/** Plays each case through the agent loop and looks at what it earns. */
export async function judgeReward(definition: EnvironmentDefinition): Promise<RewardJudgement> {
  const wrong: string[] = [];
  for (const { name, turns, isDue } of CASES) {
    const policy = createScriptedPolicy(
      ({ messages }) => turns[messages.filter(({ role }) => role === 'assistant').length] ?? '',
    );
    const [rollout] = await runGroup({ definition, policy });
    const { outcome } = rollout!;
    if (outcome.kind !== 'scored' || !isDue(outcome.reward)) wrong.push(name);
  }
  return { cases: CASES.length, wrong };
}
