import type { ReactNode } from 'react';

export type MarkShape = 'dot' | 'ring' | 'half' | 'tick' | 'cross' | 'square' | 'triangle' | 'dash';
export type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad';

const PATHS: Readonly<Record<MarkShape, string>> = {
  dot: 'M6 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z',
  ring: 'M6 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8Zm0 1.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8Z',
  half: 'M6 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8Zm0 1.4v5.2a2.6 2.6 0 0 0 0-5.2Z',
  tick: 'M4.8 9.6 1.6 6.4l1.1-1.1 2.1 2.1 4.5-4.5 1.1 1.1-5.6 5.6Z',
  cross: 'm3.2 2.1 2.8 2.8 2.8-2.8 1.1 1.1L7.1 6l2.8 2.8-1.1 1.1L6 7.1 3.2 9.9 2.1 8.8 4.9 6 2.1 3.2l1.1-1.1Z',
  square: 'M2.5 2.5h7v7h-7z',
  triangle: 'M6 1.8 10.8 10H1.2L6 1.8Z',
  dash: 'M2 5.2h8v1.6H2z',
};

/** A shape that goes with a word: no state is told by its colour alone. */
export function Mark({ shape, tone = 'plain' }: { shape: MarkShape; tone?: Tone }): ReactNode {
  return (
    <svg className={`glyph tone-${tone}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d={PATHS[shape]} fill="currentColor" fillRule="evenodd" />
    </svg>
  );
}
