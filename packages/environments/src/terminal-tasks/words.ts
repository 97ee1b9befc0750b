import type { Random } from '@lachesis/sdk/environment';

const WORDS = (
  'amber anchor barley basket beacon birch bobbin bramble candle canvas cedar clover copper cotton ember fathom fennel flint ' +
  'garnet ginger harbor hazel heron indigo ivory juniper kettle lantern lichen linen maple marble meadow mortar nettle ' +
  'oat onyx orchard otter paddle pebble pepper quartz quill raven reed saddle saffron shuttle spindle tallow thistle timber ' +
  'topaz umber velvet walnut willow yarrow'
).split(' ');

/** So many words, no two alike. */
export const pickWords = (random: Random, count: number): string[] => random.shuffle(WORDS).slice(0, count);

export const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const lines = (list: readonly (string | number)[]): string => list.map((line) => `${line}\n`).join('');

/** As `sort` has it with LC_ALL=C. */
export const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const pad = (value: number): string => String(value).padStart(2, '0');
