import type { Scenario } from '../../scenarios/scenario.ts';
import { descriptorsScenario } from './scenarios/descriptors.ts';
import { diskFullScenario } from './scenarios/disk-full.ts';
import { foldersScenario } from './scenarios/folders.ts';
import { mutantsScenario } from './scenarios/mutants.ts';
import { passwordsScenario } from './scenarios/passwords.ts';

/** `pnpm chaos home`: nothing acknowledged is deleted by us. */
export const scenarios: Scenario[] = [
  foldersScenario,
  descriptorsScenario,
  diskFullScenario,
  passwordsScenario,
  mutantsScenario,
];
