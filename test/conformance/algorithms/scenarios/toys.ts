import { recipeSchema } from '@lachesis/protocol';
import { join } from 'node:path';

import { createConverter } from '../../../../packages/server/src/services/training/rl/datums/create-converter.ts';
import { makeGroup } from '../../../../packages/server/src/services/training/rl/datums/group.fixture.ts';
import { startPass } from '../../../../packages/server/src/services/training/rl/losses/start-pass.ts';
import { loadOwnCode } from '../../../../packages/server/src/services/training/rl/own-code/load-own-code.ts';
import { penalizeDrift } from '../../../../packages/server/src/services/training/rl/rlhf/kl-budget.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { createRandom } from '../../render/random.ts';
import { CHOICES, createExactPolicy, CUES, LENGTH } from '../exact-policy.ts';

const STEPS = 80;
const GROUP = 8;
const SEED = 22;
const LEAST = 0.9;
const own = join(import.meta.dirname, '../own');

const presets = [
  ...['grpo', 'dr_grpo', 'gspo', 'cispo', 'rloo', 'dapo', 'reinforce_pp', 'ppo', 'tis', 'mis', 'decoupled_ppo'],
] as const;

const recipes: readonly { name: string; tinker: Readonly<Record<string, unknown>> }[] = [
  // A reply of this toy has two tokens, and none is cut off.
  ...presets.map((algorithm) => ({ name: algorithm, tinker: { algorithm, overlong_length: 100 } })),
  {
    name: 'a loss and an advantage by file',
    tinker: { loss: join(own, 'clipped-loss.ts'), advantage: join(own, 'group-advantage.ts') },
  },
];

export const toysScenario: Scenario = {
  name: 'toys',
  title:
    'every preset learns what each cue wants, on a policy that is exact and in this process; a trainer of the wrong sign does not',
  async run(context) {
    for (const { name, tinker } of recipes) {
      const [start, end] = await learn(tinker, 1);
      context.report({
        name,
        figure: `expected reward ${start.toFixed(3)} → ${end.toFixed(3)} in ${STEPS} steps of ${CUES * GROUP} replies`,
        bar: `from ${(1 / CHOICES).toFixed(3)} to ≥ ${LEAST}`,
        ok: start <= 1 / CHOICES + 1e-9 && end >= LEAST,
      });
    }
    const ends: number[] = [];
    for (const { tinker } of recipes) ends.push((await learn(tinker, -1))[1]);
    context.report({
      name: 'mutants whose rewards have the wrong sign',
      figure: `end at ${Math.max(...ends).toFixed(3)} or below`,
      bar: `caught: all < ${(1 / CHOICES).toFixed(3)}`,
      ok: ends.every((end) => end < 1 / CHOICES),
    });
  },
};

/** The expected reward before and after: of each place, the chance of the token that the cue wants. */
async function learn(tinker: Readonly<Record<string, unknown>>, sign: 1 | -1): Promise<[number, number]> {
  const recipe = recipeSchema.parse({ env: { max_token_length: 100 }, tinker });
  const code = await loadOwnCode(recipe.tinker);
  const convert = createConverter(recipe, code);
  const random = createRandom(SEED);
  const policy = createExactPolicy();
  const wanted = (cue: number, place: number): number => (3 * cue + 5 * place) % CHOICES;
  const places = Array.from({ length: CUES * LENGTH }, (_, at) => [Math.floor(at / LENGTH), at % LENGTH] as const);
  const measure = (): number =>
    places.reduce((sum, [cue, place]) => sum + policy.chanceOf(cue, place, wanted(cue, place)), 0) / places.length;
  const before = measure();
  for (let step = 0; step < STEPS; step += 1) {
    const groups = Array.from({ length: CUES }, (_, cue) =>
      makeGroup(
        random.list(GROUP, () => {
          const { tokens, logprobs } = policy.sample(cue, random);
          const right = tokens.slice(1).filter((token, place) => token === wanted(cue, place)).length;
          return { tokens, logprobs, score: (sign * right) / LENGTH };
        }),
      ),
    );
    const converted = convert(groups);
    if (converted.sequences.length === 0) continue;
    const { converted: batch, inLoss } = await penalizeDrift({
      ...{ converted, section: recipe.tinker },
      reference: {
        logprobs: async (trained) => policy.reference(trained.map(({ datum }) => datum)),
        close: async () => {},
      },
    });
    await startPass({
      ...{ model: policy.model, recipe, sequences: batch.sequences, reference: inLoss, own: code.loss },
      // It has no loss of its own, so that the trainer computes each.
      traits: { losses: [], wantsWeights: true, savesStateWithWeights: true, repeatsSafely: true, clipNote: undefined },
    }).result;
    policy.step();
  }
  return [before, measure()];
}
