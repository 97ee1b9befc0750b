import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import type { Subject } from '../servers/subject.ts';
import { largestDifference } from '../rows/expect.ts';
import { normaliseAdvantages } from './normalise-advantages.ts';
import { MODEL, TRAINED, writeRecipe } from './recipe.ts';
import type { Recipe, RecipeResult } from './recipe.ts';
import { runOfficial } from './run-official.ts';
import { runOurs } from './run-ours.ts';

const MOST = 1e-5;

/** The same recipe through our client and the official one, and through one of ours with a seeded fault. */
export async function reportSameNumbers(context: ScenarioContext, { server, service }: Subject): Promise<void> {
  const { url, baseModel } = server;
  const fresh = await service.createTraining({ baseModel, ...MODEL });
  const recipe = writeRecipe((await fresh.forward(TRAINED)).logprobs);
  await fresh.close();
  const folder = await context.scratch();
  // At once: the one spends seconds on its imports. The engine keeps the rows of two models apart in full micro batches.
  const [ours, official] = await Promise.all([
    runOurs({ service, baseModel, recipe }),
    runOfficial({ url, baseModel, recipe, folder, defer: context.defer }),
  ]);
  for (const [index, block] of ours.blocks.entries()) reportBlock(context, recipe, block, official.blocks[index]);
  context.log(`compared with tinker ${official.version}`);

  const faulty = { ...recipe, blocks: recipe.blocks.slice(0, 1) };
  const distorted = await runOurs({ service, baseModel, recipe: faulty, distort: normaliseAdvantages });
  const probe = largestDifference(distorted.blocks[0]!.probe, official.blocks[0]!.probe);
  context.report({
    name: 'mutant normalised advantages',
    figure: `probe off by ${probe.toExponential(1)} after ${recipe.steps} steps`,
    bar: `caught: above ${MOST}`,
    ok: Number.isFinite(probe) && probe > MOST,
  });
}

type Block = RecipeResult['blocks'][number];

function reportBlock(context: ScenarioContext, recipe: Recipe, ours: Block, theirs: Block | undefined): void {
  const compare = (what: 'logprobs' | 'losses' | 'probe'): number =>
    largestDifference(ours[what], theirs?.[what] ?? []);
  const differences = { logprobs: compare('logprobs'), losses: compare('losses'), probe: compare('probe') };
  // Weights that stand still would be equal for any client.
  const rows = recipe.probe.length;
  const moved = largestDifference(ours.logprobs.slice(0, rows), ours.logprobs.slice(-rows));
  const figures = Object.entries(differences).map(([what, value]) => `${what} ${value.toExponential(1)}`);
  context.report({
    name: `same numbers ${ours.loss}`,
    figure: `max |Δ| ${figures.join(', ')}; ${recipe.steps} steps moved logprobs by ${moved.toFixed(2)}`,
    bar: `≤ ${MOST} against the official client, moved ≥ 0.1`,
    ok: Object.values(differences).every((value) => value <= MOST) && moved >= 0.1,
  });
}
