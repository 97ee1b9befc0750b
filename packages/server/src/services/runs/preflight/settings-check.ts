import type { TrainingRun } from '@lachesis/store';
import { judgeTemperature } from '../why/learning/judge-policy.ts';
import { NOTHING_KNOWN } from '../why/learning/learning.ts';
import type { PreflightCheck } from './run-preflight.ts';

/** Settings that work and do something other than people expect. */
export function createSettingsCheck(): PreflightCheck {
  return {
    name: 'settings',
    limitMs: 1_000,
    fix: 'Look at the recipe.',
    run: async ({ config, environment }: TrainingRun) => {
      const { recipe, environmentFile } = config as {
        recipe?: { env?: Record<string, unknown> };
        environmentFile?: Record<string, unknown>;
      };
      const env = { ...recipe?.env, ...environmentFile };
      const found = judgeTemperature({ ...NOTHING_KNOWN, environment, env });
      if (found === undefined) return { state: 'passed', message: 'Nothing speaks against the settings.' };
      return { state: 'warned', message: `${found.message}.` };
    },
  };
}
