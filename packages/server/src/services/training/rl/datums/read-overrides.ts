import type { GroupPayload } from '@lachesis/protocol/codec';

/** Which sequences of a group are to have the advantage zero, as their environment says in `overrides`. */
export function readZeroedSequences({ json }: GroupPayload): ReadonlySet<number> {
  const text = json?.overrides;
  if (text === undefined) return new Set();
  const overrides = JSON.parse(new TextDecoder().decode(text)) as unknown;
  if (!Array.isArray(overrides)) return new Set();
  const zeroed = new Set<number>();
  for (const [sequence, override] of overrides.entries()) {
    if (typeof override !== 'object' || override === null) continue;
    if ((override as Record<string, unknown>)['set_advantage_to_zero'] === true) zeroed.add(sequence);
  }
  return zeroed;
}
