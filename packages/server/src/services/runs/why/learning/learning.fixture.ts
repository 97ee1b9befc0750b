import { NOTHING_KNOWN, type Learning } from './learning.ts';
import { toCurves } from './to-curves.ts';

/** What is known of a run with these series, one value a step from step 1 on. */
export function learningOf(
  series: Readonly<Record<string, readonly number[]>>,
  known: Partial<Omit<Learning, 'curves'>> = {},
): Learning {
  const points = Object.entries(series).flatMap(([name, values]) =>
    values.map((value, index) => ({ series: name, step: index + 1, value })),
  );
  return {
    ...NOTHING_KNOWN,
    ...{ run: 'abcdefgh', environment: 'digits', configPath: '/runs/r.yaml' },
    env: { group_size: 16, max_completion_tokens: 8 },
    tinker: { learning_rate: 2e-3 },
    ...known,
    curves: toCurves(points),
  };
}
