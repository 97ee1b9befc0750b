/** Numbers that did not come, and the trajectory of the record after them. */
export type StreamGap = [from: number, to: number, trajectoryId: string];

/** How far one stream of a recorder has come. */
export interface StreamState {
  recorder: string;
  stream: string;
  nextSequence: number;
  gaps: StreamGap[];
  /** 0 while it is not stored. */
  version: number;
  isChanged: boolean;
}

/** A recorder that loses more than this is broken; its oldest gaps stop being listed one by one. */
const MAX_GAPS = 1_000;

/** Notes a number that came, and returns the trajectories whose gaps are others now. */
export function advanceStream(state: StreamState, sequence: number, trajectoryId: string): string[] {
  if (sequence >= state.nextSequence) {
    const isGap = sequence > state.nextSequence;
    if (isGap)
      state.gaps = [...state.gaps, [state.nextSequence, sequence - 1, trajectoryId] satisfies StreamGap].slice(
        -MAX_GAPS,
      );
    state.nextSequence = sequence + 1;
    state.isChanged = true;
    return isGap ? [trajectoryId] : [];
  }
  const index = state.gaps.findIndex(([from, to]) => sequence >= from && sequence <= to);
  const gap = state.gaps[index];
  // Came before: another record with a number that is taken.
  if (gap === undefined) return [];
  const [from, to, owner] = gap;
  const left: StreamGap[] = [];
  if (from < sequence) left.push([from, sequence - 1, owner]);
  if (sequence < to) left.push([sequence + 1, to, owner]);
  state.gaps = [...state.gaps.slice(0, index), ...left, ...state.gaps.slice(index + 1)];
  state.isChanged = true;
  return [owner];
}
