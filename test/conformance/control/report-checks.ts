import type { ScenarioContext } from '../../scenarios/scenario.ts';
import type { Check } from './check-facts.ts';

/** One line for a list of checks, which names those that do not hold. */
export function reportChecks(context: ScenarioContext, name: string, checks: readonly Check[]): void {
  const wrong = checks.filter(([, holds]) => !holds).map(([what]) => what);
  context.report({
    name,
    figure: `${checks.length - wrong.length} of ${checks.length} checks${wrong.length === 0 ? '' : `, not: ${wrong.join('; ')}`}`,
    bar: 'all',
    ok: wrong.length === 0,
  });
}
