import type { Passage } from '../proxy/start-storm-proxy.ts';

/** On a server that does not keep the numbers of all requests: those it took must be 1, 2, 3 and so on, model by model. */
export function findWireGaps(passages: readonly Passage[]): string[] {
  const taken = passages.filter(({ modelId, status }) => modelId !== undefined && status === 200);
  return [...Map.groupBy(taken, ({ modelId }) => modelId)].flatMap(([modelId, ofModel]) => {
    const numbers = new Set(ofModel.map(({ seqId }) => seqId));
    const missing = Array.from({ length: Math.max(...ofModel.map(({ seqId = 0 }) => seqId)) }, (_, index) => index + 1);
    return missing.filter((seqId) => !numbers.has(seqId)).map((seqId) => `${modelId ?? ''} never got number ${seqId}`);
  });
}
