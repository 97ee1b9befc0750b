import { ConfigError } from '../../config/config-error.ts';
import type { BaseConfig } from './base-config.ts';

/** Several samples of a policy that always takes its likeliest token are one sample, told several times. */
export function refuseEqualSamples(config: Pick<BaseConfig, 'eval_samples' | 'eval_temperature'>): void {
  const { eval_samples: samples, eval_temperature: temperature } = config;
  if (samples === 1 || temperature > 0) return;
  throw new ConfigError({
    kind: 'bad-value',
    path: 'env.eval_temperature',
    reason: `${samples} samples of an item at temperature 0 would be the same reply ${samples} times.`,
    hint: 'Give the temperature that you serve with: --env.eval_temperature 1.',
  });
}
