import { startTuft } from '../../../peers/tuft/start-tuft.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { reportMutants } from '../mutants/report-mutants.ts';
import { reportRows } from '../rows/report-rows.ts';
import { openSubject } from '../servers/subject.ts';
import type { ServerAddress } from '../servers/subject.ts';

export const tuftScenario: Scenario = {
  name: 'tuft',
  title: 'every row of the compatibility table on the real API of TuFT',
  async run(context) {
    const tuft = await startTuft();
    context.defer(async () => tuft[Symbol.asyncDispose]());
    const { url, apiKey, baseModel } = tuft;
    const server: ServerAddress = { name: 'tuft', url, apiKey, baseModel };
    const subject = await openSubject(server, { full: context.full });
    context.defer(() => subject.service.close());
    await reportRows(context, subject);
    await reportMutants(context, server);
  },
};
