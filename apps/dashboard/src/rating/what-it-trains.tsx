import type { TrajectorySummary } from '@lachesis/protocol';
import type { ReactNode } from 'react';
import type { RatingMode } from './rate-keys.ts';

const BECOMES: Readonly<Record<RatingMode, string>> = {
  one: 'a row for kto, or for sft when it is good',
  pairs: 'a pair for dpo',
  steps: 'a verdict on a step',
};

/** What becomes of an answer, in a line. */
export function WhatItTrains({ summary, mode }: { summary: TrajectorySummary; mode: RatingMode }): ReactNode {
  if (summary.consent !== 'train')
    return (
      <p className="soft">
        Its person allowed “{summary.consent}”: what you say is kept and shown, and trains nothing.
      </p>
    );
  return (
    <p className="soft">
      What you say becomes {BECOMES[mode]} in the next{' '}
      <code>lachesis improve{summary.model === null ? '' : ` ${summary.model.split('@')[0]}`}</code>.
    </p>
  );
}
