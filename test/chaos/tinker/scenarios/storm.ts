import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { runEngineLoss } from './engine-loss.ts';
import { runSkyrlStorm } from './skyrl-storm.ts';
import { runTuftStorm } from './tuft-storm.ts';

/** Both servers at once: the time of the storm is mostly waiting, and the engine takes as long to start. */
export const stormScenario: Scenario = {
  name: 'storm',
  title:
    'a thousand operations through every fault of a network, and the loss of an engine: right, or a typed error in time',
  async run(context) {
    await Promise.all([runTuftStorm(context), runSkyrl(context)]);
  },
};

async function runSkyrl(context: ScenarioContext): Promise<void> {
  const runDirectory = await context.scratch();
  const engine = await startEnginePeer({ runDirectory });
  context.defer(() => engine.stop());
  await runSkyrlStorm(context, { engine, runDirectory });
  await runEngineLoss(context, { engine, runDirectory });
}
