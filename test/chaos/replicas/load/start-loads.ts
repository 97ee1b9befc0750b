import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { startNativeLoad, startPlainLoad, type Load } from '../../trajectory-api/load/start-load.ts';

/** Longer than any take-over and any outage: who is refused within it was refused wrongly. */
export const LEASE_SECONDS = 12;

export interface Loads {
  readonly native: Load;
  readonly plain: Load;
  /** Both. */
  readonly loads: readonly Load[];
}

/** Clients of both kinds, each try of which goes to the next of the ports; abandoned at the end of the scenario. */
export async function startLoads(context: ScenarioContext, ports: readonly number[]): Promise<Loads> {
  const [port = 0, ...otherPorts] = ports;
  const load = { port, otherPorts, leaseSeconds: LEASE_SECONDS };
  const native = await startNativeLoad(load);
  context.defer(() => native.abandon());
  const plain = await startPlainLoad(load);
  context.defer(() => plain.abandon());
  return { native, plain, loads: [native, plain] };
}
