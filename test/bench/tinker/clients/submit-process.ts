import { createTinkerClient } from '@lachesis/tinker';

import { askServer } from '../server/ask-server.ts';
import { makeSequences, MODEL } from '../workload.ts';
import { reportResult } from './report-result.ts';
import type { PassTimes, SubmitOptions, SubmitResult } from './submit-options.ts';

const { url, warmPasses, timedPasses, changesOneToken } = JSON.parse(process.argv[2] ?? '{}') as SubmitOptions;

const service = await createTinkerClient({ baseUrl: url, apiKey: 'tml-bench', env: {} }).connect();
const training = await service.createTraining({ baseModel: MODEL, rank: 8 });
const sequences = makeSequences();
if (changesOneToken === true) sequences.at(-1)!.tokens[0]! += 1;

const times: PassTimes[] = [];
for (let pass = 0; pass < warmPasses + timedPasses; pass += 1) {
  const timed = await submit('forget');
  if (pass >= warmPasses) times.push(timed);
}
const { recorded } = await submit('keep');
const result: SubmitResult = { times, recorded };
reportResult(result);
await service.close({ leavesModels: true });

async function submit(mode: 'forget' | 'keep'): Promise<PassTimes> {
  await askServer(url, mode);
  const cpu = process.cpuUsage();
  const startedNs = process.hrtime.bigint();
  const datums = sequences.map(({ tokens, targets, logprobs, advantages }) => ({
    tokens,
    inputs: { target_tokens: targets, logprobs, advantages },
  }));
  const readyNs = process.hrtime.bigint();
  // The server records and computes nothing, which it tells as a failed job.
  await training.forwardBackward(datums, { loss: 'importance_sampling' }).catch(() => undefined);
  const { user, system } = process.cpuUsage(cpu);
  const { passes } = await askServer(url, 'recording');
  return {
    startedNs: String(startedNs),
    readyNs: String(readyNs),
    cpuMs: (user + system) / 1000,
    recorded: passes,
  };
}
