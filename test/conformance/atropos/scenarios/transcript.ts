import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { finishAll } from '../finish-all.ts';
import { verifies } from '../requirements.ts';
import { readSubjectName, startSubject } from '../subject.ts';
import { replayTranscript } from '../transcript.ts';

/** What the recording holds; fewer would mean that it was cut. */
const REQUESTS = 1580;

export const transcriptScenario: Scenario = {
  name: 'transcript',
  title: 'a recorded session of the original, replayed with --strict-atropos on both databases, number texts compared',
  async run(context) {
    verifies('transcript', 'exact-packing', 'minimum-packing', 'buffering', 'floats-stay-floats', 'fourteen-keys');
    const databases = readSubjectName() === 'original' ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const);
    // At once: each waits for its own disk most of the time.
    await finishAll(databases.map((database) => replayOn(context, database)));
  },
};

async function replayOn(context: ScenarioContext, database: 'sqlite' | 'postgres'): Promise<void> {
  const { url } = await startSubject({ context, database, strict: true });
  const { requests, batches, differences } = await replayTranscript({ url });
  for (const difference of differences.slice(0, 10)) context.log(`${database} ${difference}`);
  context.report({
    name: `transcript ${database}`,
    figure: `${requests} requests, ${batches} batches, ${differences.length} differences`,
    bar: `${REQUESTS} requests, 0 differences`,
    ok: requests === REQUESTS && differences.length === 0,
  });
}
