import { setTimeout as sleep } from 'node:timers/promises';

import { createTinkerClient } from '@lachesis/tinker';

import { askServer } from '../server/ask-server.ts';
import { MODEL } from '../workload.ts';
import { reportResult } from './report-result.ts';
import type { SampleFigures, SampleOptions } from './sample-options.ts';

const { url, count, promptTokens, sampledTokens } = JSON.parse(process.argv[2] ?? '{}') as SampleOptions;

const service = await createTinkerClient({ baseUrl: url, apiKey: 'tml-bench', env: {} }).connect();
const sampler = await service.createSampler({ baseModel: MODEL });
const prompt = Int32Array.from({ length: promptTokens }, (_, place) => 100 + place);
// Opening a session starts the thread of its heartbeat, which is no part of a sample.
while ((await askServer(url, 'recording')).heartbeats.length === 0) await sleep(50);

const cpu = process.cpuUsage();
const startedAt = performance.now();
const replies = await Promise.all(
  Array.from({ length: count }, () => sampler.sample({ prompt, params: { maxTokens: sampledTokens } })),
);
const wallMs = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpu);
const names = new Set<string>();
for (const { sequences } of replies) {
  const [sequence] = sequences;
  if (sequence?.tokens.length === sampledTokens && sequence.logprobs.length === sampledTokens) {
    names.add(sequence.sequenceId);
  }
}
const figures: SampleFigures = {
  // A sample that was handed out twice counts once.
  completed: names.size,
  wallMs,
  cpuMs: (user + system) / 1000,
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
};
reportResult(figures);
await service.close();
