import type { TokenColumns } from './token-columns.ts';

/** What tokens are coloured by, in the order of the keys 1 to 5. */
export const TOKEN_COLOURS = Object.freeze(['logprob', 'drift', 'advantage', 'mask', 'version'] as const);

export type TokenColour = (typeof TOKEN_COLOURS)[number];

export interface LegendEntry {
  readonly shade: string;
  readonly label: string;
}

/** The shade of each token, and what the shades mean. Shades are names of classes; the style sheet knows the colours. */
export interface TokenShades {
  shadeOf(index: number): string;
  /** 0 for nothing to see, 1 for the strongest: how the map draws it. */
  weightOf(index: number): number;
  readonly legend: readonly LegendEntry[];
  /** Why there is nothing to colour by. */
  readonly missing?: string;
}

/** Bounds between shades. A token that was as good as sure stays plain. */
const SURPRISE = [0.1, 0.7, 1.6, 3, 6];
const DRIFT = [0.02, 0.1, 0.5];
const VERSION_SHADES = 6;
const UNKNOWN = 'is-unknown';

/** How a sequence is coloured; nothing here is measured, values only find their shade. */
export function colourTokens(tokens: TokenColumns, by: TokenColour): TokenShades {
  switch (by) {
    case 'logprob':
      return colourBySurprise(tokens);
    case 'drift':
      return colourByDrift(tokens);
    case 'advantage':
      return colourByAdvantage(tokens);
    case 'mask':
      return colourByMask(tokens);
    case 'version':
      return colourByVersion(tokens);
  }
}

function colourBySurprise({ sampler }: TokenColumns): TokenShades {
  if (sampler === undefined) return none('No log probabilities came with these tokens.');
  const step = (index: number): number => countBelow(SURPRISE, -(sampler[index] ?? Number.NaN));
  return {
    shadeOf: (index) => (Number.isNaN(sampler[index] ?? Number.NaN) ? UNKNOWN : `surprise-${step(index)}`),
    weightOf: (index) => step(index) / SURPRISE.length,
    legend: [
      { shade: 'surprise-0', label: 'sure' },
      ...['p < 0.9', 'p < 0.5', 'p < 0.2', 'p < 0.05', 'p < 0.0025'].map((label, at) => ({
        shade: `surprise-${at + 1}`,
        label,
      })),
      { shade: UNKNOWN, label: 'not sampled' },
    ],
  };
}

function colourByDrift({ sampler, trainer }: TokenColumns): TokenShades {
  if (sampler === undefined) return none('No log probabilities came with these tokens.');
  if (trainer === undefined)
    return none(
      'The trainer’s log probabilities of this sequence were not kept: `logprobs_interval` says for which steps they are.',
    );
  const drift = (index: number): number => (trainer[index] ?? Number.NaN) - (sampler[index] ?? Number.NaN);
  return diverging(drift, DRIFT, {
    below: 'trainer less sure',
    above: 'trainer more sure',
    bounds: DRIFT.map(String),
    unknown: 'one of both is missing',
  });
}

function colourByAdvantage({ advantages, length }: TokenColumns): TokenShades {
  if (advantages === undefined) return none('The trainer has not said which advantage these tokens had.');
  let largest = 0;
  for (let index = 0; index < length; index += 1) {
    const size = Math.abs(advantages[index] ?? 0);
    if (size > largest) largest = size;
  }
  const bounds = [1e-9, largest / 3, (largest * 2) / 3];
  return diverging((index) => advantages[index] ?? Number.NaN, bounds, {
    below: 'made rarer',
    above: 'made likelier',
    bounds: bounds.map((bound) => (bound < 1e-6 ? '0' : bound.toPrecision(2))),
    unknown: 'not trained',
  });
}

function colourByMask({ mask }: TokenColumns): TokenShades {
  if (mask === undefined) return none('No mask came with these tokens.');
  return {
    shadeOf: (index) => (mask[index] === 1 ? 'is-trained' : 'is-context'),
    weightOf: (index) => (mask[index] === 1 ? 0.6 : 0),
    legend: [
      { shade: 'is-trained', label: 'trained on' },
      { shade: 'is-context', label: 'context' },
    ],
  };
}

function colourByVersion({ versions }: TokenColumns): TokenShades {
  if (versions === undefined || versions.length === 0)
    return none('Nobody said which policy version sampled these tokens.');
  const known = [...new Set(versions.map(([, , version]) => version))].toSorted((one, other) => one - other);
  const shade = (version: number): string => `version-${known.indexOf(version) % VERSION_SHADES}`;
  const sorted = versions.toSorted(([one], [other]) => one - other);
  const find = (index: number): number | undefined => findVersion(sorted, index);
  return {
    shadeOf: (index) => {
      const version = find(index);
      return version === undefined ? UNKNOWN : shade(version);
    },
    weightOf: (index) => {
      const version = find(index);
      return version === undefined ? 0 : (known.indexOf(version) + 1) / known.length;
    },
    legend: [
      ...known.slice(0, VERSION_SHADES).map((version) => ({ shade: shade(version), label: `version ${version}` })),
      { shade: UNKNOWN, label: 'not sampled' },
    ],
  };
}

/** The policy version that sampled a token; ranges are sorted by their start. */
export function findVersion(sorted: readonly (readonly [number, number, number])[], index: number): number | undefined {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [start, end, version] = sorted[middle] ?? [0, 0, 0];
    if (index < start) high = middle - 1;
    else if (index >= end) low = middle + 1;
    else return version;
  }
  return undefined;
}

function diverging(
  valueOf: (index: number) => number,
  bounds: readonly number[],
  words: { below: string; above: string; bounds: readonly string[]; unknown: string },
): TokenShades {
  const step = (value: number): number => countBelow(bounds, Math.abs(value));
  const name = (value: number): string =>
    step(value) === 0 ? 'even' : `${value < 0 ? 'below' : 'above'}-${step(value)}`;
  // The side is named at its far end; the others say where they begin.
  const entries = (side: 'below' | 'above'): LegendEntry[] =>
    words.bounds.map((bound, at) => {
      const from = side === 'above' ? `> ${bound}` : `< ${bound === '0' ? '0' : `−${bound}`}`;
      return { shade: `${side}-${at + 1}`, label: at === words.bounds.length - 1 ? `${from} ${words[side]}` : from };
    });
  return {
    shadeOf: (index) => (Number.isNaN(valueOf(index)) ? UNKNOWN : name(valueOf(index))),
    weightOf: (index) => {
      const value = valueOf(index);
      return Number.isNaN(value) ? 0 : step(value) / bounds.length;
    },
    legend: [
      ...entries('below').toReversed(),
      { shade: 'even', label: 'even' },
      ...entries('above'),
      { shade: UNKNOWN, label: words.unknown },
    ],
  };
}

function countBelow(bounds: readonly number[], value: number): number {
  let count = 0;
  while (count < bounds.length && value > (bounds[count] ?? 0)) count += 1;
  return count;
}

const none = (missing: string): TokenShades => ({ shadeOf: () => '', weightOf: () => 0, legend: [], missing });
