import type { GroupPayload } from '@lachesis/protocol/codec';

/**
 * Tells once of groups that were sampled at a temperature other than 1. Samplers give the log probabilities of temperature 1
 * whatever they sample with, and what a token had at another one needs those of all other tokens: it cannot be corrected here.
 */
export function createTemperatureWatch(warn: (message: string) => void): (groups: readonly GroupPayload[]) => void {
  let hasWarned = false;
  return (groups) => {
    if (hasWarned) return;
    const other = groups.map(readTemperature).find((temperature) => temperature !== undefined && temperature !== 1);
    if (other === undefined) return;
    hasWarned = true;
    warn(
      `replies are sampled at temperature ${other} and trained on as if it were 1, so every step is pulled towards what that temperature prefers: set env.temperature to 1`,
    );
  };
}

function readTemperature({ json }: GroupPayload): number | undefined {
  const bytes = json?.generation_params;
  if (bytes === undefined) return undefined;
  try {
    const { temperature } = JSON.parse(new TextDecoder().decode(bytes)) as { temperature?: unknown };
    return typeof temperature === 'number' ? temperature : undefined;
  } catch {
    // Whoever sent it means something else by it.
    return undefined;
  }
}
