import type { Datum } from '@lachesis/tinker';

import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { readFloats } from '../data/make-datums.ts';
import { normaliseAdvantages } from '../sdk/normalise-advantages.ts';
import type { Subject } from '../servers/subject.ts';
import { compareGradients, measureDifferences, measureMovement } from './measure.ts';
import type { Distort } from './measure.ts';
import { openPreferences } from './preferences.ts';
import { cosine, length } from './space.ts';

const LEAST_COSINE = 0.999;
/** Curvature and 32 bits leave a percent; a normalisation that is not undone is off by a factor. */
const MOST_STRETCH = 0.05;

/** Faults of a client that carries a gradient to the server in the wrong way. */
const FAULTS: Readonly<Record<string, Distort>> = {
  'wrong sign': (datums) => datums.map((datum) => withAdvantages(datum, (value) => -value)),
  'normalised surrogate': normaliseAdvantages,
  'mask left out': (datums) =>
    datums.map((datum) => ({
      ...datum,
      inputs: { ...datum.inputs, weights: new Float32Array(datum.tokens.length).fill(1) },
    })),
};

const withAdvantages = (datum: Datum, change: (value: number) => number): Datum => ({
  ...datum,
  inputs: { ...datum.inputs, advantages: readFloats(datum, 'advantages').map(change) },
});

/** DPO on 16 pairs: its gradient by formula and by differences, and what it does to the weights of the real engine. */
export async function reportCustomLoss(context: ScenarioContext, { server, service }: Subject): Promise<void> {
  const preferences = await openPreferences(service, server.baseModel);
  const { training, pairs, loss } = preferences;
  const { logprobs } = await training.forward(pairs);
  const { analytic, numeric } = compareGradients(loss, pairs, logprobs);
  const formula = cosine(analytic, numeric);
  context.report({
    name: 'dpo gradient',
    figure: `cosine ${formula.toFixed(9)} over ${analytic.length} token log probabilities`,
    bar: `≥ ${LEAST_COSINE} against finite differences`,
    ok: formula >= LEAST_COSINE,
  });

  const probes = context.full ? 16 : 8;
  const movement = await measureMovement(preferences, probes);
  const differences = await measureDifferences(preferences, probes);
  context.log(`moved ${movement.map((value) => value.toFixed(1)).join(' ')}`);
  context.log(`differences ${differences.map((value) => value.toFixed(1)).join(' ')}`);
  const judge = (moved: readonly number[]): { angle: number; stretch: number; ok: boolean } => {
    const angle = cosine(moved, differences);
    const stretch = length(moved) / length(differences);
    return { angle, stretch, ok: angle >= LEAST_COSINE && Math.abs(stretch - 1) <= MOST_STRETCH };
  };
  const { angle, stretch, ok } = judge(movement);
  context.report({
    name: 'dpo movement',
    figure: `cosine ${angle.toFixed(5)}, length ${stretch.toFixed(3)} over ${probes} probes`,
    bar: `cosine ≥ ${LEAST_COSINE} and length 1 ± ${MOST_STRETCH} against finite differences on the engine`,
    ok,
  });
  for (const [name, distort] of Object.entries(FAULTS)) {
    const fault = judge(await measureMovement(preferences, probes, distort));
    context.report({
      name: `mutant ${name}`,
      figure: `cosine ${fault.angle.toFixed(5)}, length ${fault.stretch.toFixed(3)}`,
      bar: 'caught: below the bar of dpo movement',
      ok: !fault.ok && Number.isFinite(fault.angle),
    });
  }
  await training.close();
}
