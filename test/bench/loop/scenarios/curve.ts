import { warmUp } from '../../../e2e/grpo-tiny/warm-up.ts';
import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { compareCurves } from '../curves/compare-curves.ts';
import { runOurCurve, runTheirCurve } from '../curves/run-curves.ts';
import type { Curve, CurveOptions } from '../curves/run-curves.ts';

const SEED = 1;
const LEARNING_RATE = 4e-3;
/** Too small to move anything in so few steps. */
const NO_LEARNING_RATE = 1e-6;

/** The same toy from the same weights on the same engine, by the two ways. */
export const curveScenario: Scenario = {
  name: 'curve',
  title: 'both ways give the same reward curve, from the same weights on the real engine',
  async run(context) {
    const steps = context.full ? 40 : 8;
    const engine = await startEnginePeer();
    context.defer(() => engine.stop());
    const { statePath } = await warmUp({
      engineUrl: engine.url,
      modelDirectory: engine.modelDirectory,
      seed: SEED,
    });
    const scratch = await context.scratch();
    const options = (learningRate: number): CurveOptions => ({
      engineUrl: engine.url,
      modelDirectory: engine.modelDirectory,
      initialState: statePath,
      steps,
      seed: SEED,
      learningRate,
      scratch,
      timeoutMs: (context.full ? 600 : 120) * 1000,
    });
    // Rewards do not depend on the time they took, so the two share the engine.
    const [theirs, ours] = await Promise.all([
      runTheirCurve(options(LEARNING_RATE)),
      runOurCurve(options(LEARNING_RATE)),
    ]);
    context.log(`Python: ${describe(theirs)}`);
    context.log(`ours:   ${describe(ours)}`);
    const { meanGap, lag, isSame } = compareCurves(theirs, ours);
    context.report({
      name: `reward curve over ${steps} steps`,
      figure: `mean gap ${meanGap.toFixed(3)}, half-way ${lag} steps apart; ours ${ends(ours)}, Python ${ends(theirs)}`,
      bar: 'mean gap ≤ 0.12, ≤ 2 steps apart',
      ok: isSame,
    });
    // A trainer that does not learn stays where it began; the long form really runs one.
    const flat = context.full
      ? await runOurCurve(options(NO_LEARNING_RATE))
      : theirs.map(() => theirs[0] ?? Number.NaN);
    const isCaught = !compareCurves(theirs, flat).isSame;
    context.report({
      name: context.full
        ? 'curve mutant: a learning rate of nearly 0'
        : 'curve mutant: the reward of the first step, forever',
      figure: isCaught ? `caught, ${ends(flat)}` : 'not noticed',
      bar: 'caught',
      ok: isCaught,
    });
  },
};

const describe = (curve: Curve): string => curve.map((reward) => reward.toFixed(3)).join(' ');
const ends = (curve: Curve): string =>
  `${(curve[0] ?? Number.NaN).toFixed(3)} → ${(curve.at(-1) ?? Number.NaN).toFixed(3)}`;
