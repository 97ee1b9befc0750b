import type { RunState } from '@lachesis/protocol';
import type { ReactNode } from 'react';
import { Mark, type MarkShape, type Tone } from './mark.tsx';

const SHOWN: Readonly<Record<RunState, readonly [MarkShape, Tone]>> = {
  pending: ['ring', 'plain'],
  starting: ['half', 'accent'],
  running: ['dot', 'accent'],
  stopping: ['half', 'warn'],
  stopped: ['square', 'plain'],
  completed: ['tick', 'good'],
  failed: ['cross', 'bad'],
};

/** The state of a run as a shape and a word. */
export function StateWord({ state }: { state: RunState }): ReactNode {
  const [shape, tone] = SHOWN[state];
  return (
    <span className="state-word">
      <Mark shape={shape} tone={tone} />
      {state}
    </span>
  );
}
