import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { expectRows, readRows } from './expected-rows.ts';
import { BATCH_SIZE, feedTrainer, scoreTokens } from './feed-trainer.ts';
import { trainTorch } from './train-torch.ts';

const STEPS = 3;
/** The example trainer loads its model in bfloat16, which knows two to three digits; other tokens are 3 apart and more. */
const NEAR = 0.05;

async function countRows(
  { scratch, defer }: ScenarioContext,
  reEncodes: boolean,
): Promise<{ rows: number; same: number; batches: number }> {
  const { samples, batches } = await feedTrainer({ cwd: await scratch(), reEncodes, defer });
  const expected = expectRows(samples, scoreTokens);
  const rows = readRows(batches);
  return { rows: rows.length, same: rows.filter((row) => expected.has(row)).length, batches: batches.length };
}

/** `pnpm e2e python-trainer`: an environment of ours, the trainer of atroposlib. */
export const scenarios: Scenario[] = [
  {
    name: 'data-path',
    title: "get_data of atroposlib's example trainer makes of our groups what the engine sampled",
    async run(context) {
      const { rows, same, batches } = await countRows(context, false);
      context.report({
        name: 'rows of tensors',
        figure: `${same} of ${rows} equal to the engine's, in ${batches} batches`,
        bar: `all, at least ${BATCH_SIZE}`,
        ok: rows >= BATCH_SIZE && rows % BATCH_SIZE === 0 && same === rows,
      });
      if (context.full) await reportTorch(context);
    },
  },
  {
    name: 'mutant',
    title: 'tokens that were made from text again are caught',
    async run(context) {
      const { rows, same } = await countRows(context, true);
      context.report({
        name: 'mutant that re-encodes',
        figure: `${rows - same} of ${rows} rows differ`,
        bar: 'caught: all differ',
        ok: rows >= BATCH_SIZE && same === 0,
      });
    },
  },
];

/** The example trainer as a whole: 6 GB of torch, so not in every run. */
async function reportTorch(context: ScenarioContext): Promise<void> {
  const steps = await trainTorch({
    steps: STEPS,
    cwd: await context.scratch(),
    log: context.log,
    defer: context.defer,
  });
  const losses = steps.map(({ loss }) => Number(loss));
  const moved = steps.filter((step) => step['moved'] === true).length;
  context.report({
    name: 'steps of torch',
    figure: `${steps.length}, losses ${losses.map((loss) => loss.toFixed(4)).join(' ')}, ${moved} moved the weights`,
    bar: `${STEPS}, all finite, ${STEPS}`,
    ok: steps.length === STEPS && losses.every(Number.isFinite) && moved === STEPS,
  });
  const apart = Number(steps[0]?.['alignment/diff_abs_mean'] ?? Number.NaN);
  context.report({
    name: 'log probabilities before the first update',
    figure: `${apart.toFixed(4)} apart on average`,
    bar: `≤ ${NEAR}`,
    ok: apart <= NEAR,
  });
}
