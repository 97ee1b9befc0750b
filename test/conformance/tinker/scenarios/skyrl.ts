import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { reportCustomLoss } from '../dpo/report-custom-loss.ts';
import { reportMutants } from '../mutants/report-mutants.ts';
import { reportRows } from '../rows/report-rows.ts';
import { reportSameNumbers } from '../sdk/report-same-numbers.ts';
import { openSubject } from '../servers/subject.ts';
import type { ServerAddress } from '../servers/subject.ts';

/** One show for all that needs the engine: it is started once. */
export const skyrlScenario: Scenario = {
  name: 'skyrl',
  title:
    'on the real engine: every row, the numbers of the official client, and a custom loss against finite differences',
  async run(context) {
    const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
    context.defer(() => engine.stop());
    const server: ServerAddress = {
      name: 'skyrl',
      url: engine.url,
      apiKey: undefined,
      baseModel: engine.modelDirectory,
    };
    const subject = await openSubject(server, { full: context.full });
    context.defer(() => subject.service.close());
    const timed = async (name: string, part: () => Promise<void>): Promise<void> => {
      const startedAt = performance.now();
      await part();
      context.log(`${name} took ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    };
    await timed('the official client', () => reportSameNumbers(context, subject));
    await timed('the custom loss', () => reportCustomLoss(context, subject));
    await timed('the rows', () => reportRows(context, subject));
    await timed('the mutants', () => reportMutants(context, server));
  },
};
