import type { Scenario } from '../../scenarios/scenario.ts';
import { agreementScenario } from './scenarios/agreement.ts';
import { mutantsScenario } from './scenarios/mutants.ts';

/** `pnpm conformance math-verify`: graded as the real math_verify grades. */
export const scenarios: Scenario[] = [agreementScenario, mutantsScenario];
