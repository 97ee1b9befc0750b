import type { CompressionSettings } from '../settings/compression-settings.ts';
import type { Turn } from './turn.ts';

/** Turns from `start` up to, and without, `end`. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

export type ProtectionSettings = Pick<
  CompressionSettings,
  'protectFirstSystem' | 'protectFirstHuman' | 'protectFirstGpt' | 'protectFirstTool' | 'protectLastTurns'
>;

/** The turns between the protected first and last ones; undefined when there are none. It never begins with the answer to a call that stays. */
export function findCompressible(turns: readonly Turn[], settings: ProtectionSettings): Region | undefined {
  const half = Math.floor(turns.length / 2);
  let head = -1;
  let tail = turns.length;
  for (const at of listProtected(turns, settings)) {
    if (at < half) head = Math.max(head, at);
    else tail = Math.min(tail, at);
  }
  const start = snapBoundary(turns, head + 1, { start: head + 1, end: tail });
  return start < tail ? { start, end: tail } : undefined;
}

function listProtected(turns: readonly Turn[], settings: ProtectionSettings): number[] {
  const first = (role: string): number => turns.findIndex(({ from }) => from === role);
  const places = [
    settings.protectFirstSystem ? first('system') : -1,
    settings.protectFirstHuman ? first('human') : -1,
    settings.protectFirstGpt ? first('gpt') : -1,
    settings.protectFirstTool ? first('tool') : -1,
  ].filter((at) => at >= 0);
  for (let at = Math.max(0, turns.length - settings.protectLastTurns); at < turns.length; at += 1) places.push(at);
  return places;
}

/** Moves a boundary off the answer to a call: forward if there is a place before `limits.end`, else backward. */
export function snapBoundary(turns: readonly Turn[], at: number, limits: Region): number {
  const isClean = (place: number): boolean => turns[place]?.from !== 'tool';
  let forward = at;
  while (forward < limits.end && !isClean(forward)) forward += 1;
  if (isClean(forward)) return forward;
  let backward = at;
  while (backward > limits.start && !isClean(backward)) backward -= 1;
  return backward;
}
