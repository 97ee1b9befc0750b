import type { SandboxProvider } from '@lachesis/sdk/sandbox';

import type { ScenarioLine } from '../../../scenarios/scenario.ts';
import { attacks } from '../cases/attacks.ts';
import { probes } from '../cases/probes.ts';
import type { Canaries } from './open-canaries.ts';
import { runAttacks } from './run-attacks.ts';
import { runProbes } from './run-probes.ts';

const LEAST_PROBES = 150;
const LEAST_CASES = 170;

export interface AttackProviderOptions {
  readonly provider: SandboxProvider;
  readonly canaries: Canaries;
  readonly name: string;
  readonly log: (text: string) => void;
}

/** The whole corpus against a provider that shows our own view of the system and has our own filter. */
export async function attackProvider({ provider, canaries, name, log }: AttackProviderOptions): Promise<ScenarioLine> {
  const sandbox = await provider.create({ owner: 'chaos-sandbox' });
  const { env } = canaries;
  const { through, broken } = await runProbes({ sandbox, probes, env, isFiltered: true });
  await sandbox.destroy();
  const escapes = await runAttacks({ provider, attacks, canaries, owner: 'chaos-sandbox', log });
  const found = [...escapes, ...through, ...broken];
  const cases = attacks.length + probes.length;
  return {
    name,
    figure: `${found.length} of ${attacks.length} attacks and ${probes.length} probes${found.length === 0 ? '' : `: ${found.join('; ')}`}`,
    bar: `0 of ≥ ${LEAST_CASES}, ≥ ${LEAST_PROBES} of them probes, canaries untouched`,
    ok: found.length === 0 && probes.length >= LEAST_PROBES && cases >= LEAST_CASES,
  };
}
