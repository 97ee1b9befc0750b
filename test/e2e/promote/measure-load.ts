import { createTinkerClient } from '@lachesis/tinker';

/** How long the engine itself takes until weights answer that it has not loaded: what no server in front of it can save. */
export async function measureLoad(options: { url: string; weightsPath: string }): Promise<number> {
  const { url, weightsPath } = options;
  await using service = await createTinkerClient({ baseUrl: url }).connect();
  const startedAt = performance.now();
  await using sampler = await service.createSampler({ modelPath: weightsPath, eosTokens: [0] });
  await sampler.sample({ prompt: Int32Array.of(0), params: { maxTokens: 1, stop: [0] } });
  return Math.round(performance.now() - startedAt);
}
