/** What a key does while somebody rates. The same keys as `lachesis rate` has. */
export type RateAction =
  | { kind: 'thumb'; isUp: boolean }
  | { kind: 'stars'; stars: number }
  | { kind: 'choose'; side: 'left' | 'right' }
  | { kind: 'edit' | 'comment' | 'skip' | 'back' | 'whole' | 'undo' | 'reroll' };

export interface RateKey {
  readonly keys: string;
  readonly label: string;
  readonly action: RateAction;
}

export const RATING_MODES = Object.freeze(['one', 'pairs', 'steps'] as const);

export type RatingMode = (typeof RATING_MODES)[number];

const stars = (count: number): RateKey => ({
  keys: String(count),
  label: count === 1 ? '1 star' : `${count} stars`,
  action: { kind: 'stars', stars: count },
});

const common: readonly RateKey[] = [
  { keys: 's', label: 'skip', action: { kind: 'skip' } },
  { keys: 'b', label: 'back', action: { kind: 'back' } },
  { keys: 'z', label: 'undo', action: { kind: 'undo' } },
];

const reroll: RateKey = { keys: 'r', label: 're-roll', action: { kind: 'reroll' } };

const KEYS: Readonly<Record<RatingMode, readonly RateKey[]>> = {
  one: [
    { keys: 'u', label: 'up', action: { kind: 'thumb', isUp: true } },
    { keys: 'd', label: 'down', action: { kind: 'thumb', isUp: false } },
    ...[1, 2, 3, 4, 5].map(stars),
    { keys: 'e', label: 'edit', action: { kind: 'edit' } },
    { keys: 'c', label: 'comment', action: { kind: 'comment' } },
    reroll,
    ...common,
    { keys: 'v', label: 'whole', action: { kind: 'whole' } },
  ],
  pairs: [
    { keys: 'ArrowLeft', label: 'left is better', action: { kind: 'choose', side: 'left' } },
    { keys: 'ArrowRight', label: 'right is better', action: { kind: 'choose', side: 'right' } },
    { keys: 'ArrowDown', label: 'equal', action: { kind: 'skip' } },
    ...common,
  ],
  steps: [
    { keys: 'u', label: 'step is right', action: { kind: 'thumb', isUp: true } },
    { keys: 'd', label: 'step is wrong', action: { kind: 'thumb', isUp: false } },
    { keys: 'c', label: 'comment', action: { kind: 'comment' } },
    reroll,
    ...common,
  ],
};

export const listRateKeys = (mode: RatingMode): readonly RateKey[] => KEYS[mode];
